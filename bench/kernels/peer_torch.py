#!/usr/bin/env python3
"""Runs the products and convolutions of shapes.txt in PyTorch for bench/kernels. Needs torch.

  peer_torch.py THREADS

Reads commands as peer.py does; a program is a line of shapes.txt. Operands lie in memory as shardc's do (images and filters channels last),
and results are written into new arrays. The time of one thread is what the process computed, as in measure.c.
"""
import os
import sys
import time

threads = int(sys.argv[1])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
import torch  # noqa: E402

torch.set_num_threads(threads)
torch.manual_seed(1)
TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16, "i8": torch.int8}
now = time.process_time if threads == 1 else time.perf_counter


def draw(shape, name):
    if name == "i8":
        return torch.randint(-128, 128, shape, dtype=torch.int8)
    return (torch.rand(shape) - 0.5).to(TYPES[name])


def channels_last(rank, *shape_and_type):
    """Numbers with channels as the second dimension, which lies last in memory."""
    *shape, name = shape_and_type
    return draw([shape[0], *shape[2:], shape[1]], name).movedim(-1, 1)


def product(words):
    name, (batch, m, n, k), order = words[0], map(int, words[1:5]), words[5]
    entry = [batch] if batch > 1 else []
    a = draw(entry + ([k, m] if order[0] == "t" else [m, k]), name)
    b = draw(entry + ([n, k] if order[1] == "t" else [k, n]), name)
    a = a.mT if order[0] == "t" else a
    b = b.mT if order[1] == "t" else b
    if name != "i8":
        return lambda: torch.matmul(a, b)
    if batch == 1:
        return lambda: torch._int_mm(a, b)
    return lambda: torch.stack([torch._int_mm(x, y) for x, y in zip(a, b)])


def convolution(words):
    name = words[1]
    images, size, inputs, outputs, window, stride, groups, *rest = [int(w) for w in words[2:]]
    dilation, rank = (rest + [1, 2][len(rest):])[:2]
    x = channels_last(rank, images, inputs, *[size] * rank, name)
    w = channels_last(rank, outputs, inputs // groups, *[window] * rank, name)
    reach = (window - 1) * dilation
    if reach % 2:
        x = channels_last(rank, images, inputs, *[size + reach] * rank, name)
    call = [None, torch.conv1d, torch.conv2d, torch.conv3d][rank]
    padding = 0 if reach % 2 else reach // 2
    return lambda: call(x, w, None, stride, padding, dilation, groups)


def gradient(words):
    name = words[1]
    images, size, inputs, outputs, window, stride = [int(w) for w in words[2:8]]
    of, rank = words[8], int(words[9]) if len(words) > 9 else 2
    padding = (window - 1) // 2
    result = (size + window - 1 - window) // stride + 1
    x = channels_last(rank, images, inputs, *[size] * rank, name)
    w = channels_last(rank, outputs, inputs, *[window] * rank, name)
    g = channels_last(rank, images, outputs, *[result] * rank, name)
    mask = [of == "image", of == "filter", False]
    return lambda: torch.ops.aten.convolution_backward(g, x, w, None, [stride] * rank, [padding] * rank, [1] * rank, False, [0] * rank, 1, mask)


def load(line):
    words = line.split()
    return gradient(words) if words[0] == "convgrad" else convolution(words) if words[0] == "conv" else product(words)


def time_one(program):
    begin, times = now(), 0
    while times == 0 or now() - begin < 1e-3:
        program()
        times += 1
    return (now() - begin) / times


def main():
    commands, program = sys.stdin.buffer, None
    for line in commands:
        words = line.split()
        try:
            if words[0] == b"program":
                program = None
                program = load(commands.read(int(words[1])).decode())
                with torch.inference_mode():
                    program()
                print(1, flush=True)
            else:
                with torch.inference_mode():
                    print(time_one(program) if program else 0, flush=True)
        except Exception as error:  # noqa: BLE001: the next program may be fine
            print("PyTorch:", str(error).splitlines()[0], file=sys.stderr)
            program = None
            print(0, flush=True)


main()
