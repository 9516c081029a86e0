// Transposes in tiles of whole lines of the result, beside the evaluator: parts of tiles at all
// ends, results that begin anywhere in a line, any part of the grid.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

#include <sys/mman.h>
#include <unistd.h>

typedef struct Case {
    const char *name, *text;
} Case;

static const Case cases[] = {
    {"matrix", "func.func @main(%a: tensor<64x83xf32>) -> tensor<83x64xf32> {\n"
               "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<64x83xf32>) -> "
               "tensor<83x64xf32>\n"
               "return %0 : tensor<83x64xf32>\n"
               "}\n"},
    {"less_than_a_tile", "func.func @main(%a: tensor<16x9xf32>) -> tensor<9x16xf32> {\n"
                         "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<16x9xf32>) -> "
                         "tensor<9x16xf32>\n"
                         "return %0 : tensor<9x16xf32>\n"
                         "}\n"},
    {"batches", "func.func @main(%a: tensor<5x32x70xf64>) -> tensor<5x70x32xf64> {\n"
                "%0 = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<5x32x70xf64>) -> "
                "tensor<5x70x32xf64>\n"
                "%1 = stablehlo.negate %0 : tensor<5x70x32xf64>\n"
                "return %1 : tensor<5x70x32xf64>\n"
                "}\n"},
    {"between", "func.func @main(%a: tensor<48x3x40xf32>) -> tensor<40x3x48xf32> {\n"
                "%0 = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<48x3x40xf32>) -> "
                "tensor<40x3x48xf32>\n"
                "return %0 : tensor<40x3x48xf32>\n"
                "}\n"},
    {"narrow", "func.func @main(%a: tensor<96x130xbf16>) -> tensor<130x96xbf16> {\n"
               "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<96x130xbf16>) -> "
               "tensor<130x96xbf16>\n"
               "return %0 : tensor<130x96xbf16>\n"
               "}\n"},
    {"bytes", "func.func @main(%a: tensor<128x150xi8>) -> tensor<150x128xi8> {\n"
              "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<128x150xi8>) -> "
              "tensor<150x128xi8>\n"
              "return %0 : tensor<150x128xi8>\n"
              "}\n"},
    {"another_type", "func.func @main(%a: tensor<64x70xf32>) -> tensor<70x64xbf16> {\n"
                     "%0 = stablehlo.convert %a : (tensor<64x70xf32>) -> tensor<64x70xbf16>\n"
                     "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x70xbf16>) -> "
                     "tensor<70x64xbf16>\n"
                     "return %1 : tensor<70x64xbf16>\n"
                     "}\n"},
    {"pieces_of_rows",
     "func.func @main(%a: tensor<2x64x70xf32>, %b: tensor<3x64x70xf32>) -> tensor<5x70x64xf32> {\n"
     "%0 = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<2x64x70xf32>) -> "
     "tensor<2x70x64xf32>\n"
     "%1 = stablehlo.transpose %b, dims = [0, 2, 1] : (tensor<3x64x70xf32>) -> "
     "tensor<3x70x64xf32>\n"
     "%2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x70x64xf32>, tensor<3x70x64xf32>) -> "
     "tensor<5x70x64xf32>\n"
     "return %2 : tensor<5x70x64xf32>\n"
     "}\n"},
    {"of_two_sizes", "func.func @main(%a: tensor<64x70xf32>, %b: tensor<64x70xi8>) -> "
                     "tensor<70x64xf32> {\n"
                     "%0 = stablehlo.convert %b : (tensor<64x70xi8>) -> tensor<64x70xf32>\n"
                     "%1 = stablehlo.add %a, %0 : tensor<64x70xf32>\n"
                     "%2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x70xf32>) -> "
                     "tensor<70x64xf32>\n"
                     "return %2 : tensor<70x64xf32>\n"
                     "}\n"},
    {"to_a_wider_type", "func.func @main(%a: tensor<64x70xf32>) -> tensor<70x64xf64> {\n"
                        "%0 = stablehlo.convert %a : (tensor<64x70xf32>) -> tensor<64x70xf64>\n"
                        "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x70xf64>) -> "
                        "tensor<70x64xf64>\n"
                        "return %1 : tensor<70x64xf64>\n"
                        "}\n"},
    {"bytes_to_a_wider_type", "func.func @main(%a: tensor<64x130xi8>) -> tensor<130x64xf64> {\n"
                              "%0 = stablehlo.convert %a : (tensor<64x130xi8>) -> "
                              "tensor<64x130xf64>\n"
                              "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x130xf64>) "
                              "-> tensor<130x64xf64>\n"
                              "return %1 : tensor<130x64xf64>\n"
                              "}\n"},
    {"two_operands", "func.func @main(%a: tensor<32x70xf32>, %b: tensor<32x70xf32>) -> "
                     "tensor<70x32xf32> {\n"
                     "%0 = stablehlo.multiply %a, %b : tensor<32x70xf32>\n"
                     "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<32x70xf32>) -> "
                     "tensor<70x32xf32>\n"
                     "return %1 : tensor<70x32xf32>\n"
                     "}\n"},
};

// The operands' memory ends where no page follows: nothing behind them may be read.
static void guard_inputs(KernelRun *run) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < run->kernel.input_count; i++) {
        Tensor *input = run->inputs[i];
        size_t bytes = type_bytes(input->type), pages = (bytes + page - 1) / page * page;
        char *memory =
            mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(memory != MAP_FAILED);
        assert_int_equal(mprotect(memory + pages, page, PROT_NONE), 0);
        input->data = memcpy(memory + pages - bytes, input->data, bytes);
    }
}

static void release_inputs(const KernelRun *run) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < run->kernel.input_count; i++) {
        size_t bytes = type_bytes(run->inputs[i]->type), pages = (bytes + page - 1) / page * page;
        munmap((char *)run->inputs[i]->data + bytes - pages, pages + page);
    }
}

// The result begins `shift` bytes before a line.
static void check(const Case *c, const char *cpu, int64_t shift) {
    static const int64_t parts[] = {1, 3, 7};
    enum { GUARD = 128 };
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {.by_lines = true};
    assert_true(kernel_run_create(&run, arena, c->text, KERNEL_LOOP, OP_COUNT));
    assert_true(kernel_run_compile(&run, cpu, false));
    if (!run.kernel.stage->space->turns) print_message("%s makes no tiles\n", c->name);
    assert_true(run.kernel.stage->space->turns);
    guard_inputs(&run);
    Tensor *output = run.outputs[0];
    size_t bytes = type_bytes(output->type);
    char *memory = arena_alloc_aligned(arena, bytes + 2 * GUARD, 64);
    memset(memory, 0x11, bytes + 2 * GUARD);
    char *result = memory + GUARD - shift, *aligned = arena_alloc_aligned(arena, bytes, 64);
    for (int k = 0; k < 3; k++) {
        output->data = result;
        kernel_run_execute(&run, parts[k]);
        output->data = memcpy(aligned, result, bytes);
        if (kernel_run_error(&run) > 0)
            print_message(
                "%s in %d parts, %d bytes before a line\n", c->name, (int)parts[k], (int)shift);
        assert_true(kernel_run_error(&run) == 0);
    }
    for (const char *at = memory; at < memory + bytes + 2 * GUARD; at++) {
        bool is_outside = at < result || at >= result + bytes;
        if (is_outside) assert_int_equal(*at, 0x11);
    }
    release_inputs(&run);
    kernel_run_free(&run);
    arena_free(arena);
}

static void tiles_of_lines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int64_t shift = 0; shift < 64; shift += 24)
            check(&cases[i], NULL, shift);
        check(&cases[i], NULL, 3);
        check(&cases[i], "x86-64-v2", 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_of_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
