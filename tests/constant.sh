#!/bin/bash
# Constant arguments: products give the same bits with what is kept and without; steps that run once do; wrong lists are refused.
# SHARDC is the tool.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/cli_common.sh
. tests/cli_common.sh

# same NAME FILE LIST [OPTION...]: three executions with the arguments constant give what they give without, with 1 thread and with 3.
same() {
    local name=$1 file=$2 list=$3 threads
    shift 3
    for threads in ${all_threads:-1 3}; do
        rm -rf "$scratch/with" "$scratch/without"
        if ! timeout 120 "$shardc" run "$file" --quiet --threads=$threads --out-dir="$scratch/without" "$@" 2>"$scratch/stderr" ||
            ! timeout 120 "$shardc" run "$file" --quiet --threads=$threads --repeat=3 --out-dir="$scratch/with" --constant-arguments="$list" "$@" 2>"$scratch/stderr"; then
            fail "$name, $threads threads" "does not run"
        elif ! diff -r "$scratch/with" "$scratch/without" >"$scratch/stderr"; then
            fail "$name, $threads threads" "other results"
        else
            passed=$((passed + 1))
        fi
    done
}

# kept FILE LIST NUMBER NAME: so many values are kept.
kept() {
    "$shardc" run "$1" --constant-arguments="$2" --print-after=buffers 2>"$scratch/stderr" >"$scratch/stdout"
    local count
    count=$(grep -c '^once: b[0-9]' "$scratch/stdout")
    if [ "$count" = "$3" ]; then passed=$((passed + 1)); else fail "$4" "$count values are kept, expected $3"; fi
}

# ---- products of all kinds: rows, K, N, and how the weights lie

# product ROWS K N TYPE FORM: a program of two products in a row; FORM: plain, turned, converted, stack (of 3 layers, in a loop).
product() {
    local rows=$1 k=$2 n=$3 type=$4 form=$5 x y
    x="tensor<${rows}x${k}x$type>" y="tensor<${rows}x${n}x$type>"
    case $form in
    plain)
        echo "func.func @main(%x: $x, %w: tensor<${k}x${n}x$type>) -> $y {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ($x, tensor<${k}x${n}x$type>) -> $y" ;;
    turned)
        echo "func.func @main(%x: $x, %w: tensor<${n}x${k}x$type>) -> $y {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : ($x, tensor<${n}x${k}x$type>) -> $y" ;;
    converted)
        echo "func.func @main(%x: $x, %w: tensor<${k}x${n}xi8>) -> $y {
  %f = stablehlo.convert %w : (tensor<${k}x${n}xi8>) -> tensor<${k}x${n}x$type>
  %p = stablehlo.dot_general %x, %f, contracting_dims = [1] x [0] : ($x, tensor<${k}x${n}x$type>) -> $y" ;;
    stack)
        echo "func.func @main(%x: $x, %w: tensor<${k}x3x${n}x$type>) -> $y {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : $y
  %a:2 = stablehlo.while(%i = %zero, %p = %none) : tensor<i32>, $y
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %w, %zero, %i, %zero, sizes = [$k, 1, $n] : (tensor<${k}x3x${n}x$type>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<${k}x1x${n}x$type>
    %l = stablehlo.reshape %s : (tensor<${k}x1x${n}x$type>) -> tensor<${k}x${n}x$type>
    %t = stablehlo.transpose %l, dims = [1, 0] : (tensor<${k}x${n}x$type>) -> tensor<${n}x${k}x$type>
    %q = stablehlo.dot_general %x, %t, contracting_dims = [1] x [1] : ($x, tensor<${n}x${k}x$type>) -> $y
    %r = stablehlo.add %p, %q : $y
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r : tensor<i32>, $y
  }
  %p = stablehlo.tanh %a#1 : $y" ;;
    esac
    echo "  return %p : $y
}"
}

program=$scratch/product.mlir
for type in f32 bf16 f64; do
    for rows in 1 8 16 32 33 64 500; do
        for form in plain turned converted stack; do
            for size in '130 192' '700 64'; do
                # shellcheck disable=SC2086
                product $rows $size $type $form >"$program"
                if [ "$rows" -gt 64 ]; then all_threads=3; else all_threads=1; fi
                same "$rows rows, $size, $type, $form" "$program" w
            done
        done
    done
done
all_threads='1 3'
product 64 96 100 f32 plain >"$program" # no whole panels
same "columns that are no whole panels" "$program" w
product 64 256 256 f32 plain >"$program"
kept "$program" w 1 "a plain product"
kept "$program" x 0 "a left operand"
product 64 256 256 f32 stack >"$program"
kept "$program" w 1 "all layers of a stack"
product 64 256 256 f32 converted >"$program"
kept "$program" all 1 "weights that are converted"

# ---- devices share panels, gather what they sum, and take arrays that do not divide

sharded() {
    echo "sdy.mesh @mesh = <[\"d\"=2, \"m\"=2]>
func.func @main(%x: tensor<$1x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}, {}]>}, %w: tensor<256x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"m\"}]>}, %v: tensor<384x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"m\"}, {}]>}, %u: tensor<3x256x256xf32>) -> (tensor<$1x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<$1x256xf32>, tensor<256x384xf32>) -> tensor<$1x384xf32>
  %t = stablehlo.tanh %p : tensor<$1x384xf32>
  %q = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<$1x384xf32>, tensor<384x256xf32>) -> tensor<$1x256xf32>
  %a:2 = stablehlo.while(%i = %zero, %y = %q) : tensor<i32>, tensor<$1x256xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %u, %i, %zero, %zero, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
    %l = stablehlo.reshape %s : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
    %r = stablehlo.dot_general %y, %l, contracting_dims = [1] x [0] : (tensor<$1x256xf32>, tensor<256x256xf32>) -> tensor<$1x256xf32>
    %z = stablehlo.tanh %r : tensor<$1x256xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %z : tensor<i32>, tensor<$1x256xf32>
  }
  return %a#1 : tensor<$1x256xf32>
}"
}
for rows in 10 24 80 81 127 300; do
    sharded $rows >"$program"
    for list in all w,v u 1-3; do same "$rows rows on 4 devices, $list" "$program" $list; done
done
sharded 128 >"$program"
kept "$program" w,v,u 3 "weights of 4 devices"

# ---- branches: what only some executions need is kept as well

cat >"$program" <<'END'
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>, %b: tensor<i1>) -> tensor<64x128xf32> {
  %r = "stablehlo.if"(%b) ({
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    stablehlo.return %p : tensor<64x128xf32>
  }, {
    %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %p = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
    stablehlo.return %p : tensor<64x128xf32>
  }) : (tensor<i1>) -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
END
for seed in 0 1 2 3; do same "a branch, seed $seed" "$program" w --seed=$seed; done

# ---- what is refused

product 64 128 128 f32 plain >"$program"
for list in v 2 0-2 1-0 w, ,w w,,x -1 1- 'y*' "w['"; do
    expect 1 "constant arguments '.*there are 0 x, 1 w|constant arguments '.*(is empty|ends before)" "--constant-arguments='$list'" \
        "$shardc" run "$program" --quiet "--constant-arguments=$list"
    expect 1 "constant arguments" "compile --constant-arguments='$list'" "$shardc" compile "$program" -o "$out/m.so" "--constant-arguments=$list"
done
expect 2 'do not go together' "evaluated" "$shardc" run "$program" --interpret --constant-arguments=w
"$shardc" compile "$program" -o "$scratch/m.so" --constant-arguments=w || fail "a library" "is not compiled"
expect 2 'is for programs' "of a library" "$shardc" run "$scratch/m.so" --constant-arguments=w
"$shardc" inspect "$scratch/m.so" >"$scratch/stdout"
if grep -q '64.0 KiB of them kept' "$scratch/stdout"; then passed=$((passed + 1)); else fail "inspect" "does not say what is kept"; fi

finish
