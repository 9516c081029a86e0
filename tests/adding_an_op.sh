#!/bin/bash
# Adds the op of docs/adding-an-op.md to a copy of the tree by that page alone, counts the places, and tries it; then the same without a
# column, and without the function that the row names, which must not build.
#
# With the argument `dialect`: the dialect of docs/adding-a-dialect.md. The copy is compiled without optimisation: the codes of all ops
# behind the new one change, so every file that knows ops is compiled.
cd "$(dirname "$0")/.." || exit 1
. tests/follow_page.sh
what=${1:-op}
case $what in
op) page=docs/adding-an-op.md row=ir/dialects/chlo.def function=codegen/emit/math/emit_softsign.c ;;
dialect) page=docs/adding-a-dialect.md row=ir/dialects/act.def function=ir/legalize/legalize_act.c ;;
esac
follow_page $page
echo "places: $files new files, $inserts rows in $(inserted_into)"
if [ "$what" = op ]; then
    check "its row, its two functions, its test" test "$files,$inserts" = 2,2
else
    check "its rows, its functions, its two tests, and one line" test "$files,$inserts" = 4,1
fi

configure() {
    cmake -S "$copy/tree" -B "$copy/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF -DCMAKE_C_FLAGS="-O0 -g0 -w"
}
compile() { CCACHE_DISABLE=1 nice ninja -C "$copy/build" shardc shardc-opt; }
check "it is configured" configure
check "it builds" compile
if [ -x "$copy/build/shardc-opt" ]; then
    export SHARDC=$copy/build/shardc SHARDC_OPT=$copy/build/shardc-opt
    for test in $(awk '$1 == "file" { print $2 }' "$copy/places" | grep '^tests/'); do
        case $test in
        tests/golden/*) check "$test" bash "$copy/tree/tests/golden/run.sh" "$test" ;;
        *)
            check "$test, evaluated" "$SHARDC" test --interpret "$copy/tree/$test"
            check "$test, compiled" "$SHARDC" test --native "$copy/tree/$test"
            ;;
        esac
    done

    # must_fail HOW TEXT: the copy does not build, and the compiler or the linker says why.
    must_fail() {
        ! compile >"$copy/build.log" 2>&1 && grep -q -- "$1" "$copy/build.log"
    }
    mv "$copy/tree/$function" "$copy/function"
    check "without the function it does not link" must_fail "undefined reference to .*\(softsign\|act_relu\)"
    mv "$copy/function" "$copy/tree/$function"
    sed -i 's/^\(   IR([a-z_]*, [a-z_]*, [a-z_]*, \(none\|act_relu\)),.*\) \(NO_VHLO, \)\(NO_HLO)\)$/\1 \4/' "$copy/tree/$row"
    check "without a column it does not compile" must_fail 'macro "OP" requires 14 arguments\|too few arguments provided to function-like macro'
fi
report
