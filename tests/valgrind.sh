#!/bin/bash
# Memory errors and leaks that no sanitizer sees, because what runs is the release build itself, generated code included: reading, the
# evaluator, every pass, compiling, and running a model.so, each on a few programs of the project under valgrind's memcheck.
#
#   SHARDC, SHARDC_OPT     the tools, as ./dev sets them
#
# valgrind knows no AVX-512, so the libraries are compiled for x86-64-v3. Skipped without valgrind. The last line counts.
cd "$(dirname "$0")/.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
opt=${SHARDC_OPT:-$PWD/build/release/shardc-opt}
if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no valgrind"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/verdicts"

# fail NAME LOG...: counts a failure and shows the logs.
fail() {
    echo "FAIL $1"
    tail -n 30 "${@:2}"
    touch "$scratch/verdicts/failed $1"
}

# clean NAME COMMAND...: status 0, no error, nothing lost. Its output stays in $scratch/NAME.log.
clean() {
    local log="$scratch/$1.log" report="$scratch/$1.valgrind"
    if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        --log-file="$report" "${@:2}" >"$log" 2>&1; then
        touch "$scratch/verdicts/passed $1"
    else
        fail "$1" "$log" "$report"
    fi
}

cases=$(ls tests/exec/cases/*.mlir | awk 'NR % 10 == 1')

one_program() {
    local program=$1 name
    name=$(basename "$program" .mlir)
    clean "check $name" "$shardc" check "$program"
    clean "evaluate $name" "$shardc" run --interpret "$program"
    clean "partition $name" "$shardc" compile "$program" --emit=partitioned -o "$scratch/$name.mlir"
    if "$shardc" compile "$program" --target-cpu=x86-64-v3 -o "$scratch/$name.so" >"$scratch/$name.log" 2>&1; then
        clean "run $name.so" "$shardc" run "$scratch/$name.so" --threads=2
    else
        fail "compile $name" "$scratch/$name.log"
    fi
}

other_commands() {
    clean "compile" "$shardc" compile examples/mlp_train.mlir --target-cpu=x86-64-v3 -o "$scratch/model.so"
    clean "explain" "$shardc" explain examples/mlp_misplaced.mlir
    clean "write bytecode" "$opt" examples/mlp_train.mlir --emit-bytecode
    cp "$scratch/write bytecode.log" "$scratch/model.mlirbc"
    clean "read bytecode" "$opt" "$scratch/model.mlirbc"
    sed '/^\/\/ ---- expect$/,$d' tests/golden/hlo/collectives.hlo >"$scratch/program.hlo"
    clean "read HLO" "$shardc" check "$scratch/program.hlo"
}

# As many at once as there are processors.
most=$(nproc 2>/dev/null || echo 2)
other_commands &
for program in examples/mlp_train.mlir $cases; do
    while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do wait -n; done
    one_program "$program" &
done
wait
passed=$(find "$scratch/verdicts" -name 'passed *' | wc -l)
failed=$(find "$scratch/verdicts" -name 'failed *' | wc -l)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
