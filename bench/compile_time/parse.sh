#!/bin/bash
# Reading: seconds of processor time and peak memory of `shardc check` for a constant of 100 MB, as hexadecimal digits and as a list of
# numbers, and for modules of 50,000 and 500,000 ops, whose cost per op should be the same.
#
#   SHARDC     the compiler; default build/release/shardc
cd "$(dirname "$0")/../.." || exit 1
shardc=${SHARDC:-$PWD/build/release/shardc}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

hex_constant() { # hex_constant MEGABYTES of text
    local words=$(($1 * 125000))
    printf 'func.func @main() -> tensor<%dxf32> {\n  %%c = stablehlo.constant dense<"0x' "$words"
    head -c $((4 * words)) /dev/urandom | od -An -v -tx1 | tr -d ' \n'
    printf '"> : tensor<%dxf32>\n  return %%c : tensor<%dxf32>\n}\n' "$words" "$words"
}

list_constant() { # list_constant MEGABYTES of text
    awk -v n=$(($1 * 71428)) 'BEGIN {
        printf "func.func @main() -> tensor<%dxf32> {\n  %%c = stablehlo.constant dense<[", n
        for (i = 0; i < n; i++) printf "%s%.6e", i ? ", " : "", 2 * rand() - 1
        printf "]> : tensor<%dxf32>\n  return %%c : tensor<%dxf32>\n}\n", n, n
    }'
}

ops() { # ops COUNT: a chain of products, sums, constants and maxima
    awk -v n="$1" 'BEGIN {
        t = "tensor<8x16xf32>"
        printf "func.func @main(%%a: %s, %%b: tensor<16x16xf32>) -> %s {\n", t, t
        last = "%a"
        for (i = 0; i < n; i += 4) {
            printf "  %%%d = stablehlo.dot_general %s, %%b, contracting_dims = [1] x [0] : (%s, tensor<16x16xf32>) -> %s\n", i, last, t, t
            printf "  %%%d = stablehlo.add %%%d, %%a : %s\n", i + 1, i, t
            printf "  %%%d = stablehlo.constant dense<%d.0> : %s\n", i + 2, i, t
            printf "  %%%d = stablehlo.maximum %%%d, %%%d : %s\n", i + 3, i + 1, i + 2, t
            last = "%" (i + 3)
        }
        printf "  return %s : %s\n}\n", last, t
    }'
}

measure() { # measure NAME FILE UNITS: the best of three
    local best=
    for _ in 1 2 3; do
        /usr/bin/time -f '%U %S %M' -o "$scratch/time" "$shardc" check "$2" >/dev/null || exit 1
        best=$( (cat "$scratch/time"; echo "$best") | awk 'NF == 3 { t = $1 + $2; if (!n++ || t < b) { b = t; m = $3 } } NF == 2 { if (!n++ || $1 < b) { b = $1; m = $2 } } END { print b, m }')
    done
    awk -v name="$1" -v units="$3" -v size="$(stat -c %s "$2")" '{
        printf "%-28s %8.1f MB of text %7.2f s %8.0f MB", name, size / 1e6, $1, $2 / 1024
        if (units) printf " %7.2f us per op", 1e6 * $1 / units
        print ""
    }' <<<"$best"
}

hex_constant 100 >"$scratch/hex.mlir"
measure "constant, hexadecimal" "$scratch/hex.mlir" 0
list_constant 100 >"$scratch/list.mlir"
measure "constant, list" "$scratch/list.mlir" 0
for count in 50000 500000; do
    ops "$count" >"$scratch/ops.mlir"
    measure "$count ops" "$scratch/ops.mlir" "$count"
done
