#!/bin/bash
# What `./dev demo` shows: a sharded transformer becomes a shared library, runs on 8 devices, agrees with the evaluator, and is
# called from C. SHARDC_BUILD is the build folder; everything is written to its folder `demo`. Exit status 1 when anything fails.
set -u
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
build=${SHARDC_BUILD:-$examples/../build/release}
build=$(cd "$build" && pwd) || exit 1
shardc=${SHARDC:-$build/shardc}
demo=$build/demo
failures=0

heading() { printf '\n== %s\n' "$*"; }
show() { # show COMMAND...: prints the command as one would type it, runs it, remembers a failure
    printf '$ %s\n' "$(printf '%s ' "$@" | sed "s,$shardc,shardc,g; s,$examples/,examples/,g; s,$demo/,,g; s,$build,BUILD,g")" >&3
    "$@" && return 0
    echo "FAILED (status $?)" >&3
    failures=$((failures + 1))
    return 1
}

exec 3>&1
rm -rf "$demo"
mkdir -p "$demo"
cd "$demo" || exit 1
[ -t 1 ] && heading() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

heading "1. A sharded transformer becomes a shared library and a C header"
show "$shardc" compile "$examples/transformer.mlir" -o "$demo/transformer.so" --name=transformer || exit 1
ls -l transformer.so transformer.h | awk '{print "  " $5 " bytes  " $9}'
echo "  it needs: $(ldd transformer.so | awk '/^[ \t]*lib/ {print $1}' | sort | tr '\n' ' ')"

heading "2. What is in it: which device holds which part of the arrays"
show "$shardc" inspect "$demo/transformer.so" >inspect.txt || cat inspect.txt
sed -n 1p inspect.txt
awk '/^inputs/ {p = 1} p' inspect.txt | sed -n '1,12p'
echo "  ..."
awk '/^outputs/ {p = 1} p' inspect.txt

heading "3. The reference evaluator runs the whole program; its results are what we compare with"
show "$shardc" run "$examples/transformer.mlir" --seed=1 --interpret --out-dir="$demo/expected"

heading "4. Native, on 8 devices: the same inputs, the same results? And where the time goes"
show "$shardc" run "$demo/transformer.so" --seed=1 --expect="$demo/expected/out0.npy" --rtol=1e-4 --atol=1e-5 \
    --repeat=50 --profile="$demo/profile" --json >run.txt
sed -n '1,2p' run.txt
grep -v ' barrier ' run.txt | sed -n '3,12p' | sed "s,$examples/,examples/,g" | cut -c1-150
echo "     ..."
tail -1 run.txt
[ "$failures" -gt 0 ] || echo "the results agree with the evaluator's (within 1e-4)"
echo "for chrome://tracing or ui.perfetto.dev: $demo/profile.trace.json"

heading "5. The same just in time: compiled in memory"
show "$shardc" run "$examples/transformer.mlir" --seed=1 --expect="$demo/expected/out0.npy" --rtol=1e-4 --atol=1e-5 &&
    echo "the results agree with the evaluator's (within 1e-4)"

heading "6. A C program calls the library through its header; nothing of shardc is linked"
show cc -O1 -I. "$examples/aot.c" -o aot ./transformer.so -Wl,-rpath,"$demo" -lm && show ./aot

heading "7. C programs on the public API: install, build, compile at run time, train in place"
show cmake --install "$build" --prefix "$demo/usr" >install.txt || tail -5 install.txt
pc=$(find "$demo/usr" -name shardc.pc | head -1)
lib=$(dirname "$(dirname "$pc")")
flags="-I$demo/usr/include -L$lib -lshardc -Wl,-rpath,$lib"
if command -v pkg-config >/dev/null; then
    flags="$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs shardc) -Wl,-rpath,$lib"
fi
# shellcheck disable=SC2086
for program in build jit train; do
    cc -O1 "$examples/$program.c" -o $program $flags -lm || failures=$((failures + 1))
done
show ./build >build.txt; tail -4 build.txt
show ./jit
show ./train "$examples/mlp_train.mlir"

if [ "$failures" -gt 0 ]; then
    heading "$failures steps of the demo failed"
    exit 1
fi
heading "Everything agrees. The files are in $demo"
