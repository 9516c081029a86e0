#!/bin/bash
# What the tools read from and write to: devices, pipes, links, closed descriptors, several files at once, signals. Files appear
# all together or not at all. SHARDC and SHARDC_OPT are the tools.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/cli_common.sh
. tests/cli_common.sh

# check NAME COMMAND...: it succeeds.
check() {
    local name=$1
    shift
    if "$@" >"$scratch/check" 2>&1; then passed=$((passed + 1)); else fail "$name" "$(head -3 "$scratch/check")"; fi
}
mode() { stat -c %a "$1"; }
has_mode() { [ "$(mode "$2")" = "$1" ] || { echo "mode $(mode "$2")"; false; }; }

# ---- standard output, whatever it is

expect 0 '' "text on standard output" sh -c '"$@" | grep -q "func.func @main"' sh "$shardc" compile "$good" --emit=partitioned -o -
expect 1 'cannot write to standard output' "no standard output" sh -c '"$@" >&-' sh "$shardc" compile "$good" --emit=header -o -
for target in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    expect 1 'cannot (write|create|open)' "no standard output: $target" sh -c '"$@" >&-' sh "$shardc" compile "$good" --emit=header -o $target
    expect 0 '' "$target" sh -c '"$@" | grep -q "good_run\|model_run"' sh "$shardc" compile "$good" --emit=header -o $target
done
check "/dev/stdout is a link" [ -L /dev/stdout ]
expect 1 'cannot write to standard output' "no standard output: a page" sh -c '"$@" >&-' sh "$shardc" explain "$good" --html=-
expect 1 'cannot write to standard output' "no standard output: a changed program" sh -c '"$@" >&-' sh "$shardc" explain "$good" --apply=-
expect 0 '' "a changed program alone" sh -c '"$1" explain "$2" --apply=- | "$1" check -' sh "$shardc" "$good"
expect 1 'cannot write to standard output' "no standard output: shardc-opt" sh -c '"$@" >&-' sh "$opt" "$good"
expect 1 'cannot write to standard output' "no standard output: shardc-opt -o -" sh -c '"$@" >&-' sh "$opt" "$good" -o -
expect 0 '' "no standard streams, and none needed" sh -c '"$@" >&- 2>&- <&-' sh "$shardc" compile "$good" --emit=header -o header.h
check "the header is whole" grep -q '_destroy' header.h
expect 0 '' "shardc-opt to a file" "$opt" "$good" --sdy-propagation-pipeline -o propagated.mlir
expect 0 '' "what it wrote" "$shardc" check propagated.mlir
expect 2 '-o' "shardc-opt to nowhere" "$opt" "$good" -o
expect 2 'folder' "outputs to standard output" "$shardc" run "$good" --out-dir=-
expect 2 'beginning' "a profile to standard output" "$shardc" run "$good" --profile=-
expect 2 'no text' "an object to standard output" "$shardc" compile "$good" --emit=obj -o -
check "no file is called -" [ ! -e ./- ]
printf 'before\n' >appended
sh -c '"$@" >>appended' sh "$shardc" compile "$good" --emit=header -o -
check "standard output goes on" sh -c 'head -1 appended | grep -q before && grep -q _destroy appended'

# ---- pipes and links

mkfifo pipe
timeout 20 cat pipe >from_pipe &
expect 0 '' "a pipe" "$shardc" compile "$good" --emit=header -o pipe
wait
check "the pipe got the header" grep -q _destroy from_pipe
check "the pipe is still one" [ -p pipe ]
mkdir -p elsewhere
ln -s elsewhere/target.h link.h
expect 0 '' "a link that leads to no file yet" "$shardc" compile "$good" --emit=header -o link.h
check "its target is made" sh -c '[ -L link.h ] && [ -f elsewhere/target.h ]'
ln -s loop_b loop_a && ln -s loop_a loop_b
expect 1 'loop_a' "a link that leads to itself" "$shardc" compile "$good" --emit=header -o loop_a
ln -s nowhere/x.h dangling.h
expect 1 'dangling.h.*No such' "a link into a missing folder" "$shardc" compile "$good" --emit=header -o dangling.h
expect 1 'dangling.h.*No such' "reading a link that leads nowhere" "$shardc" run dangling.h
expect 1 'loop_a' "reading a link that leads to itself" "$shardc" run loop_a
cat >test.mlir <<'EOF'
func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  return %0 : tensor<i32>
}
EOF
for command in run inspect explain check test; do
    program=$good
    [ $command != test ] || program=test.mlir
    expect 0 '' "a program from a pipe: $command" sh -c 'cat "$3" | "$1" $2 -' sh "$shardc" $command "$program"
    expect 0 '' "a program from a named pipe: $command" sh -c 'timeout 20 cat "$3" >pipe & "$1" $2 pipe' sh "$shardc" $command "$program"
done

# ---- what has no end

for endless in /dev/zero /dev/urandom; do
    for command in run compile inspect explain check test; do
        output=
        [ $command != compile ] || output="-o $out/model.so"
        # shellcheck disable=SC2086
        expect 1 "$endless.*(MiB|limit)" "$endless: $command" "$shardc" $command $endless $output
    done
    expect 1 "$endless.*(MiB|limit)" "$endless: shardc-opt" "$opt" $endless
    expect 1 "$endless.*(MiB|limit)" "$endless: an input" "$shardc" run "$good" --in=$endless --in=$endless
    expect 1 "$endless.*(MiB|limit)" "$endless: an expected output" "$shardc" run "$good" --expect=$endless
done
truncate -s 100G sparse
for command in run inspect check test; do
    expect 1 'sparse.*limit' "a file of 100 GiB: $command" "$shardc" $command sparse
done
expect 1 'sparse' "a file of 100 GiB: an input" "$shardc" run "$good" --in=sparse --in=sparse
rm sparse

# ---- linkers

# A linker that takes nothing of the list of exported functions for granted, as LLVM's does.
mkdir strict
printf '#!/bin/sh\nexec %s --no-undefined-version "$@"\n' "$(command -v ld)" >strict/ld
chmod +x strict/ld
expect 0 '' "a strict linker" env COMPILER_PATH="$PWD/strict" "$shardc" compile "$good" -o strict/plain.so
expect 0 '' "a strict linker, constant arguments" env COMPILER_PATH="$PWD/strict" "$shardc" compile "$good" -o strict/kept.so --constant-arguments=all

# ---- permissions

umask 027
expect 0 '' "a library" "$shardc" compile "$good" -o model.so
check "a library may be executed, as the umask allows" has_mode 750 model.so
check "a header may not" has_mode 640 model.h
for emit in obj asm llvm header propagated partitioned; do
    expect 0 '' "--emit=$emit" "$shardc" compile "$good" --emit=$emit -o form.$emit
    check "--emit=$emit may not be executed" has_mode 640 form.$emit
done
chmod 700 form.asm
expect 0 '' "text in the place of a program" "$shardc" compile "$good" --emit=asm -o form.asm
check "it may not be executed" has_mode 600 form.asm
chmod 600 model.so
expect 0 '' "a library again" "$shardc" compile "$good" -o model.so
check "who may read it stays" has_mode 700 model.so
umask 022
"$shardc" compile "$good" --per-shard -o shard.so
check "libraries of devices may be executed" has_mode 755 shard.1.so

# ---- names that clash

cp "$good" program.h
expect 2 'header' "a library with the header's name" "$shardc" compile "$good" -o "$out/model.h"
expect 1 'program.h.*is the program' "a header in the place of the program" "$shardc" compile program.h -o program.so
check "neither is written" sh -c 'cmp -s program.h "$1" && [ ! -e program.so ]' sh "$good"
expect 1 'is the program' "the program as output" "$shardc" compile program.h --emit=partitioned -o ./program.h
ln program.h program.0.so
expect 1 'is the program' "the program as a device's library" "$shardc" compile program.h --per-shard -o program.so
check "the program is there" cmp -s program.h "$good"
check "no other library is" [ ! -e program.1.so ]
cp "$good" .so
expect 0 '' "a hidden name" "$shardc" compile "$good" -o .hidden
check "it has its header beside it" [ -f .hidden.h ]
expect 0 '' "a library for a device" "$shardc" compile "$good" -o /dev/null
check "it has no header" [ ! -e /dev/null.h ]

# ---- all or nothing

mkdir blocked.h
expect 1 'blocked.h' "a header that cannot be written" "$shardc" compile "$good" -o blocked.so
check "nor is its library" [ ! -e blocked.so ]
printf old >kept.so
mkdir kept.h
expect 1 'kept.h' "a header that cannot be written, over an old library" "$shardc" compile "$good" -o kept.so
check "the old library is there" grep -qx old kept.so
mkdir -p outputs/out1.npy
cat >two.mlir <<'EOF'
func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.tanh %a : tensor<2xf32>
  return %a, %0 : tensor<2xf32>, tensor<2xf32>
}
EOF
expect 1 'out1.npy' "an output that cannot be written" "$shardc" run two.mlir --out-dir=outputs
check "nor are the others" [ ! -e outputs/out0.npy ]
printf old >outputs/out0.npy
expect 1 'out1.npy' "an output that cannot be written, over old ones" "$shardc" run two.mlir --out-dir=outputs
check "the old one is there" grep -qx old outputs/out0.npy
expect 1 'no_such' "a profile that cannot be written" "$shardc" run two.mlir --out-dir="$out/new" --profile=no_such/profile
mkdir part.1.so
expect 1 'part.1.so' "a device's library that cannot be written" "$shardc" compile "$good" --per-shard -o part.so
check "nor is the other" [ ! -e part.0.so ]
check "nothing is left beside" sh -c '! ls -A . outputs | grep -E "\.(tmp|link-)"'

# ---- signals

{
    echo 'func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {'
    last=a
    for i in $(seq 60); do
        echo "  %d$i = stablehlo.dot_general %$last, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>"
        echo "  %s$i = stablehlo.sine %d$i : tensor<64x64xf32>"
        last=s$i
    done
    echo "  return %$last : tensor<64x64xf32>"
    echo '}'
} >long.mlir
mkdir signalled temporary
for signal in INT TERM HUP; do
    for delay in 0.02 0.1 0.3 0.6 1; do
        # by a shell of its own: background jobs of this one ignore SIGINT
        TMPDIR=$scratch/temporary timeout -s $signal $delay "$shardc" compile long.mlir -o signalled/model.so >/dev/null 2>&1
        status=$?
        left=$(ls -A signalled temporary | grep -vE '^(signalled:|temporary:|model\.so|model\.h|)$')
        [ $status -eq 0 ] || [ $status -eq 124 ] || left="status $status $left"
        if [ -z "$left" ]; then passed=$((passed + 1)); else fail "SIG$signal after $delay s" "$left"; fi
        if [ "$(ls signalled | wc -l)" = 1 ]; then fail "SIG$signal after $delay s" "half of the files"; fi
        rm -f signalled/*
    done
done
"$shardc" compile long.mlir -o signalled/model.so 2>/dev/null &
child=$!
sleep 0.2
kill -TERM $child 2>/dev/null
wait $child
status=$?
check "a signal ends the process as one" sh -c '[ "$1" = 143 ] || [ "$1" = 0 ]' sh $status

finish
