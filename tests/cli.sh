#!/bin/bash
# The tools against bad input and bad surroundings: always a clear message and the right exit status (1 a problem in what was given,
# 2 wrong usage, 77 not implemented), never a signal, a hang or a file left behind. SHARDC and SHARDC_OPT are the tools.
cd "$(dirname "$0")/.." || exit 1
tests=$PWD/tests
# shellcheck source=tests/cli_common.sh
. tests/cli_common.sh

# ---- programs

expect 0 '' "the good program" "$shardc" run "$good"
expect 0 'good.mlir:2:17: warning: argument 0: dimension 0 of size 4 does not divide into 3 parts' \
    "a mesh that does not divide, run" "$shardc" run --mesh=x=3 "$good"
expect 0 'warning: argument 0: ' "a mesh that does not divide, compiled" \
    "$shardc" compile --mesh=x=3 "$good" --emit=propagated -o "$out/p.mlir"
expect 0 'warning: argument 0: ' "a mesh that does not divide, inspected" "$shardc" inspect --mesh=x=3 "$good"
expect 0 'warning: argument 0: ' "a mesh that does not divide, explained" "$shardc" explain --mesh=x=3 "$good"

size=$(wc -c <"$good")
for part in 1 20 30 100 $((size / 3)) $((size / 2)) $((size * 3 / 4)) $((size - 3)); do
    head -c "$part" "$good" >cut.mlir
    expect 1,77 'cut.mlir:[0-9]+:[0-9]+: error: ' "a program cut after $part bytes" "$shardc" compile cut.mlir -o "$out/model.so"
done
for ((at = 3; at < size; at += 29)); do
    byte=$(od -An -tu1 -j "$at" -N1 "$good" | tr -d ' ')
    {
        head -c "$at" "$good"
        # shellcheck disable=SC2059
        printf "\\x$(printf %x $((byte ^ (1 << (at % 8)))))"
        tail -c +$((at + 2)) "$good"
    } >flipped.mlir
    expect 0,1,77 '' "a program with a bit flipped in byte $at" "$shardc" check flipped.mlir
done

# refused PATTERN NAME: the program on standard input is refused with this message and a place.
refused() {
    cat >program.mlir
    expect 1 "program.mlir:[0-9]+:[0-9]+: error: .*$1" "$2" "$shardc" check program.mlir
}
# refused_body PATTERN NAME BODY: the same for a function's body.
refused_body() {
    refused "$1" "$2" <<END
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>, %b: tensor<3x2xf32>) -> tensor<4x2xf32> {
  $3
  return %0 : tensor<4x2xf32>
}
END
}
refused_body '' "shapes that do not agree" '%0 = stablehlo.add %a, %b : tensor<4x2xf32>'
refused_body 'stablehlo.no_such_op' "an unknown op" '%0 = "stablehlo.no_such_op"(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>'
{
    echo '!a0 = tuple<tensor<f32>, tensor<f32>>'
    echo '#b0 = [1, 2]'
    for i in 1 2 3 4 5 6 7 8 9; do
        p=$((i - 1))
        echo "!a$i = tuple<!a$p, !a$p, !a$p, !a$p, !a$p, !a$p, !a$p, !a$p>"
        echo "#b$i = [#b$p, #b$p, #b$p, #b$p, #b$p, #b$p, #b$p, #b$p]"
    done
    echo 'func.func @main(%a: !a9) attributes {x = #b9} { return }'
} | refused "stands for more than" "aliases that multiply"
echo 'func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { %0 = "other.op"(%a) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }' >other.mlir
expect 0 '' "an op of an unknown dialect: check" "$shardc" check other.mlir
expect 1 'other.mlir:1:.*unregistered dialect.*other.op' "an op of an unknown dialect" "$shardc" run other.mlir
# refused_collective PATTERN OP ATTRIBUTES SIZE: an op on the tile of one of 4 devices, compiled and evaluated.
refused_collective() {
    local body= groups="$3"
    case $2 in *reduce*)
        body='({^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %x : tensor<f32>})' ;;
    esac
    cat >collective.mlir <<END
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16xf32>) -> tensor<$(($4 * 4))xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = "stablehlo.$2"(%b) $body {$groups, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xf32>) -> tensor<$4xf32>
    sdy.return %1 : tensor<$4xf32>
  } : (tensor<16xf32>) -> tensor<$(($4 * 4))xf32>
  return %0 : tensor<$(($4 * 4))xf32>
}
END
    expect 1 "collective.mlir:4:10: error: .*stablehlo.$2.*$1" "$2: $1" "$shardc" compile collective.mlir -o "$out/m.so"
    expect 1 "collective.mlir:4:10: error: .*stablehlo.$2" "$2: $1, evaluated" "$shardc" run --interpret collective.mlir
}
global='use_global_device_ids, replica_groups ='
refused_collective 'names device 7, but there are 4' collective_permute 'source_target_pairs = dense<[[0, 1], [1, 7]]> : tensor<2x2xi64>' 4
refused_collective 'duplicate targets' collective_permute 'source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>' 4
refused_collective 'duplicate sources' collective_permute 'source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>' 4
refused_collective 'must be >= 0' collective_permute 'source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>' 4
refused_collective 'names device 4' all_reduce "$global dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>" 4
refused_collective 'no group with device 2' all_reduce "$global dense<[[0, 1]]> : tensor<1x2xi64>" 4
refused_collective 'seen more than once' all_reduce "$global dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>" 4
refused_collective 'size 4 one of size 8, but its groups have 4' all_gather "all_gather_dim = 0 : i64, $global dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>" 8
refused_collective 'size 4 one of size 2, but its groups have 4' reduce_scatter "scatter_dimension = 0 : i64, $global dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>" 2
refused_collective 'multiple of result' reduce_scatter "scatter_dimension = 0 : i64, $global dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>" 3
refused_collective 'names device 4' all_to_all 'split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>' 4
refused_collective 'no group with device 2' all_to_all 'split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>' 4
refused_collective 'group size' all_to_all 'split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>' 4
refused_collective 'names device 4' collective_broadcast 'replica_groups = dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>' 4
cat >names.mlir <<'END'
module attributes {sdy.something_else = 1 : i32, mhlo.cross_program_prefetches = [], mhlo.num_partition = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(
      %a: tensor<4xf32> {sdy.shardng = #sdy.sharding<@mesh, [{"x"}]>, jax.arg_info = "x"}) -> (tensor<4xf32> {mhlo.shardings = "{replicated}"}) {
    %0 = stablehlo.abs %a {sdy.sharding_rules = 1 : i32, other.sharding = 2 : i32} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
END
for name in "4:7:.*'sdy.shardng' is unknown and has no effect: did you mean 'sdy.sharding'" "1:1:.*'sdy.something_else' is unknown and has no effect\$" \
    "1:1:.*'mhlo.num_partition' .*did you mean 'mhlo.num_partitions'" "3:3:.*'mhlo.shardings' .*did you mean 'mhlo.sharding'" \
    "5:10:.*'sdy.sharding_rules' .*did you mean 'sdy.sharding_rule'"; do
    expect 0 "names.mlir:$name" "a misspelt attribute, compiled" "$shardc" compile names.mlir --emit=propagated -o "$out/p.mlir"
    expect 0 "names.mlir:$name" "a misspelt attribute, checked" "$shardc" check names.mlir
done
"$shardc" check names.mlir 2>&1 | grep -q "attribute 'jax.arg_info'\|attribute 'mhlo.cross\|attribute 'other" && fail "foreign attributes" "were reported"

# donated STATUS PATTERN ATTRIBUTES ATTRIBUTES: what two arguments (f32, then i32) say of their memory.
donated() {
    cat >donated.mlir <<END
func.func @main(
    %a: tensor<4xf32> {$3},
    %b: tensor<2xf64> {$4}) -> (tensor<4xf32>, tensor<2xf64>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
  return %a, %b, %0 : tensor<4xf32>, tensor<2xf64>, tensor<2xf32>
}
END
    expect "$1" "$2" "donation: $3; $4" "$shardc" compile donated.mlir --emit=llvm -o "$out/m.ll"
}
donated 0 '' 'tf.aliasing_output = 0 : i32' 'tf.aliasing_output = 1 : i32'
donated 0 '' 'jax.buffer_donor = true' 'jax.buffer_donor = false'
donated 0 'donated.mlir:2:5: warning: argument 0 keeps its memory' 'tf.aliasing_output = 1 : i32' ''
donated 1 'donated.mlir:2:5: error: argument 0: tf.aliasing_output names result 3, but the function has 3' 'tf.aliasing_output = 3 : i32' ''
donated 1 'donated.mlir:3:5: error: argument 1: tf.aliasing_output names result -1' '' 'tf.aliasing_output = -1 : i32'
donated 1 'names result 4294967296' 'tf.aliasing_output = 4294967296 : i64' ''
expect 0 'columns i[0-9]+:64 together' "what is known of many sums' columns fits on a small stack" \
    sh -c "'$shardc' compile '$tree/tests/exec/cases/columns_of_many_sums.mlir' --target-cpu=x86-64-v4 --print-after=schedule -o '$out/columns.so' >&2"
cat >kept.mlir <<END
func.func @main(%a: tensor<64x8xf32> {tf.aliasing_output = 0 : i32}, %u: tensor<1x8xf32>, %i: tensor<i32>) -> tensor<64x8xf32> {
  %r = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}
END
expect 0 'moves' "a donated array that is its result is not copied" \
    sh -c "'$shardc' compile kept.mlir --emit=llvm -o '$out/kept.ll' && grep moves '$out/kept.ll' >&2"
for k in 0 1; do
    cat >product.mlir <<END
func.func @main(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [$k] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
END
    expect 0 'call void @llvm.prefetch' "packing asks for what it reads soon, memory along dimension $k" \
        sh -c "'$shardc' compile product.mlir --emit=llvm -o '$out/product.ll' && grep llvm.prefetch '$out/product.ll' >&2"
done
cat >stream.mlir <<END
func.func @main(%a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %r = stablehlo.multiply %a, %b : tensor<8192x8192xf32>
  return %r : tensor<8192x8192xf32>
}
END
case $(uname -m) in
x86_64)
    expect 0 'i64 1024' "what is streamed through is read a kilobyte ahead" \
        sh -c "'$shardc' compile stream.mlir --emit=llvm -o '$out/stream.ll' && grep -B1 llvm.prefetch '$out/stream.ll' >&2"
    ;;
esac
cat >products.mlir <<END
func.func @main(%a: tensor<64x192xf32>, %b: tensor<192x192xf32>, %c: tensor<192x192xf32>) -> tensor<64x192xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x192xf32>, tensor<192x192xf32>) -> tensor<64x192xf32>
  %1 = stablehlo.tanh %0 : tensor<64x192xf32>
  %2 = stablehlo.dot_general %1, %c, contracting_dims = [1] x [0] : (tensor<64x192xf32>, tensor<192x192xf32>) -> tensor<64x192xf32>
  return %2 : tensor<64x192xf32>
}
END
for t in 1 4; do
    expect 0 '^1$' "two products share a micro-kernel, $t threads" \
        sh -c "'$shardc' compile products.mlir --emit=llvm --compile-threads=$t -o products$t.ll && grep -c 'define .*@microkernel' products$t.ll >&2"
done
expect 0 '' "the order of the outputs does not depend on the threads" cmp products1.ll products4.ll
cat >torn.mlir <<END
func.func @main(%x: tensor<4x8x64x250xf32>, %w: tensor<512x300xf32>) -> tensor<4x250x300xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<4x8x64x250xf32>) -> tensor<4x250x8x64xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x250x8x64xf32>) -> tensor<4x250x512xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [2] x [0] : (tensor<4x250x512xf32>, tensor<512x300xf32>) -> tensor<4x250x300xf32>
  return %2 : tensor<4x250x300xf32>
}
END
cat >along.mlir <<END
func.func @main(%x: tensor<500x512xf32>, %w: tensor<300x512xf32>, %y: tensor<500x300xf32>) -> tensor<500x300xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<500x512xf32>, tensor<300x512xf32>) -> tensor<500x300xf32>
  %1 = stablehlo.multiply %0, %y : tensor<500x300xf32>
  return %1 : tensor<500x300xf32>
}
END
convolution() { # convolution NAME IMAGE FILTER RESULT DIMENSIONS PADDING
    cat >"$1.mlir" <<END
func.func @main(%x: tensor<$2xf32>, %w: tensor<$3xf32>) -> tensor<$4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = $5, window = {pad = [[$6, $6], [$6, $6]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<$2xf32>, tensor<$3xf32>) -> tensor<$4xf32>
  return %0 : tensor<$4xf32>
}
END
}
forward='[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]' filter='[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]'
convolution small 4x8x8x640 3x3x640x320 4x8x8x320 "$forward" 1
convolution paged 2x14x14x1024 1x1x1024x96 2x14x14x96 "$forward" 0
convolution sums 2x14x14x256 2x14x14x256 3x3x256x256 "$filter" 1
convolution long 2x28x28x64 3x3x64x64 2x28x28x64 "$forward" 1
case $(uname -m) in
x86_64)
    # the direct forms address a slab by offsets
    for form in "small 0 a panel of the filter leaves the cache" "paged 0 pixels lie whole pages apart" \
        "sums 0 the sums of a filter's gradient leave the cache" "long 1 long rows of pixels are read from a slab"; do
        name=${form%% *} rest=${form#* }
        expect $((1 - ${rest%% *})) "^${rest%% *}\$" "convolutions: ${rest#* }" \
            sh -c "'$shardc' compile $name.mlir --target-cpu=skylake-avx512 --emit=llvm -o $name.ll && grep -c '^@offsets' $name.ll >&2"
    done
    expect 1 '^0$' "windows' features are not gathered one by one" \
        sh -c "'$shardc' compile small.mlir --target-cpu=skylake-avx512 --emit=asm -o small.s && grep -c vgather small.s >&2"
    expect 1 '^0$' "rows that lie in two runs of memory are not gathered one by one" \
        sh -c "'$shardc' compile torn.mlir --target-cpu=skylake-avx512 --emit=asm -o torn.s && grep -c vgather torn.s >&2"
    expect 0 '@transpose_16_32_4_rows' "rows are transposed from where they lie" \
        sh -c "'$shardc' compile along.mlir --target-cpu=skylake-avx512 --emit=llvm -o along.ll && grep 'define .*@transpose' along.ll >&2"
    expect 0 '_2x' "the result and what a product's end reads are asked for" sh -c "grep 'define .*@microkernel' along.ll >&2"
    ;;
esac
cat >product.mlir <<END
func.func @main(%a: tensor<8x2x64xf32>, %b: tensor<1024x8x64xf32>) -> tensor<8x2x1024xf32> {
  %r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [2] : (tensor<8x2x64xf32>, tensor<1024x8x64xf32>) -> tensor<8x2x1024xf32>
  return %r : tensor<8x2x1024xf32>
}
END
expect 0 'i64 32768' "few rows ask for 16 short lines with gaps ahead, which are 4 KB" \
    sh -c "'$shardc' compile product.mlir --emit=llvm -o '$out/product.ll' && grep -B1 llvm.prefetch '$out/product.ll' >&2"
donated 1 'donated.mlir:3:5: error: .* which argument 0 names already' 'tf.aliasing_output = 0 : i32' 'tf.aliasing_output = 0 : i32'
donated 1 'tf.aliasing_output needs a result of its size, but it is tensor<4xf32> and result 2 tensor<2xf32>' 'tf.aliasing_output = 2 : i32' ''
donated 1 'tf.aliasing_output must be an integer' 'tf.aliasing_output = "0"' ''
cat >twice.hlo <<'END'
HloModule twice, input_output_alias={ {0}: (0, {}, may-alias), {1}: (0, {}, may-alias) }

ENTRY main {
  p = f32[4] parameter(0)
  ROOT t = (f32[4], f32[4]) tuple(p, p)
}
END
expect 1 'twice.hlo:1:.*argument 0 is given to two results' "HLO: an argument given twice" "$shardc" compile twice.hlo -o "$out/m.so"
donated 1 'jax.buffer_donor must be true or false' 'jax.buffer_donor = "yes"' ''
donated 1 '' 'tf.aliasing_output = 0 : i32, tf.aliasing_output = 1 : i32' ''
refused_body 'nowhere' "an unknown mesh" '%0 = sdy.sharding_constraint %a <@nowhere, [{"x"}, {}]> : tensor<4x2xf32>'
refused_body '"?z"?' "an unknown axis" '%0 = sdy.sharding_constraint %a <@mesh, [{"z"}, {}]> : tensor<4x2xf32>'
refused_body 'axis' "an axis used twice" '%0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"x"}]> : tensor<4x2xf32>'
refused_body 'rank|dimension' "too many dimensions in a sharding" '%0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}, {}]> : tensor<4x2xf32>'
refused_body 'undefined|undeclared' "an undefined value" '%0 = stablehlo.add %a, %c : tensor<4x2xf32>'
refused_body '' "a wrong number of operands" '%0 = "stablehlo.add"(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>'
refused_body '' "a wrong result type" '%0 = "stablehlo.tanh"(%a) : (tensor<4x2xf32>) -> tensor<4x3xf32>'
refused_body '' "a missing attribute" '%0 = "stablehlo.transpose"(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>'
refused '' "a mesh with a negative axis" <<<'sdy.mesh @mesh = <["x"=-2]>'
refused '' "a mesh with an axis twice" <<<'sdy.mesh @mesh = <["x"=2, "x"=2]>'
refused '' "a mesh of far too many devices" <<<'sdy.mesh @mesh = <["x"=9223372036854775807, "y"=9223372036854775807]>'
refused '' "a shape whose size overflows" <<<'func.func @main(%a: tensor<9223372036854775807x9223372036854775807xf32>) { return }'
refused '' "a function twice" <<<'func.func @f() { return } func.func @f() { return }'
refused 'deep|nest' "deep nesting" <<<"func.func @main(%a: $(head -c 100000 /dev/zero | tr '\0' '(')"
refused '' "an array whose length is wrong" <<<'func.func @main() -> tensor<3xi32> { %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32> return %0 : tensor<3xi32> }'
refused '' "random bytes" < <(head -c 3000 "$shardc" | tail -c 2000)
refused '' "text that is no program" <<<'Dear compiler, please make this fast.'

cat >approx.mlir <<'END'
func.func @main(%arg0: tensor<?x8xf32>) -> (tensor<?x3xf32>, tensor<?x3xi32>) {
  %rows = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %row = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c8 = stablehlo.constant dense<8> : tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %k = stablehlo.constant dense<3> : tensor<i32>
  %shape = stablehlo.concatenate %row, %c8, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %found = stablehlo.concatenate %row, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x8xi32>
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%arg0, %0, %inf, %none, %k, %found, %found) {indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64}} : (tensor<?x8xf32>, tensor<?x8xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  return %1#0, %1#1 : tensor<?x3xf32>, tensor<?x3xi32>
}
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
END
expect 0 '' "approximate candidates of dynamic arrays" "$shardc" run approx.mlir --input-types='tensor<2x8xf32>' --compare=interpret

: >empty.mlir
printf '\n  // nothing\n\n' >comments.mlir
printf 'module {\n  sdy.mesh @m = <["x"=2]>\n}\n' >module.mlir
for command in run inspect explain "compile -o $out/model.so"; do
    # shellcheck disable=SC2086
    expect 1 'empty.mlir:1:1: error: the file is empty' "an empty file: $command" "$shardc" $command empty.mlir
    # shellcheck disable=SC2086
    expect 1 '/dev/null:1:1: error: the file is empty' "/dev/null: $command" "$shardc" $command /dev/null
    # shellcheck disable=SC2086
    expect 1 'only blanks and comments' "comments alone: $command" "$shardc" $command comments.mlir
    # shellcheck disable=SC2086
    expect 1 'error: the program has no functions' "a module without functions: $command" "$shardc" $command module.mlir
    # shellcheck disable=SC2086
    expect 1 'missing.mlir.*No such file' "a missing file: $command" "$shardc" $command missing.mlir
    # shellcheck disable=SC2086
    expect 1 'directory' "a folder: $command" "$shardc" $command "$scratch"
done
expect 1 'empty.mlir:1:1: error: the file is empty' "an empty file: check" "$shardc" check empty.mlir
expect 1 'empty.mlir:1:1: error: the file is empty' "an empty file: test" "$shardc" test empty.mlir
expect 1 'missing.mlir.*No such file' "a missing file: check" "$shardc" check missing.mlir
expect 1 'missing.mlir.*No such file' "a missing file: test" "$shardc" test missing.mlir
expect 1 'missing.mlir.*No such file' "a missing file: shardc-opt" "$opt" missing.mlir
expect 1 'directory' "a folder: shardc-opt" "$opt" "$scratch"
expect 1 'cut.mlir:[0-9]+:[0-9]+: error: ' "a cut program: shardc-opt" "$opt" cut.mlir --sdy-propagation-pipeline

# ---- an argument of a function lies as any of its calls wants, however many there are
{
    echo 'sdy.mesh @mesh = <["x"=2]>'
    echo 'func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {'
    i=0
    while [ $i -lt 300 ]; do
        echo "  %$i = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>"
        i=$((i + 1))
    done
    echo '  %300 = func.call @f(%b) : (tensor<8xf32>) -> tensor<8xf32>'
    echo '  return %300 : tensor<8xf32>'
    echo '}'
    echo 'func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {'
    echo '  return %x : tensor<8xf32>'
    echo '}'
} >calls.mlir
# shellcheck disable=SC2016
expect 0 'edge %arg0 .sdy.sharding' "the last one of 301 calls is sharded" sh -c \
    '"$1" calls.mlir --sdy-add-func-data-flow-edges --sdy-basic-propagate | grep -A1 "private @f" >&2' sh "$opt"

# ---- checking functions: compiled, evaluated where they cannot be, and either way in the same words

cat >checks.mlir <<'END'
func.func @holds() {
  %0 = stablehlo.constant dense<[1.0, -2.0, 4.0]> : tensor<3xf32>
  %1 = call @twice(%0) : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[2.0, -4.0, 8.0]> : tensor<3xf32>
  %2 = stablehlo.abs %0 : tensor<3xf32>
  %3 = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_close(%2, %3) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
func.func private @twice(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @fails() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.negate %0 : tensor<2xi32>
  check.expect_eq_const %1, dense<[-1, 2]> : tensor<2xi32>
  return
}
func.func @in_a_region() {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%0) ({
    %2 = stablehlo.constant dense<1> : tensor<i32>
    check.expect_eq_const %2, dense<1> : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }, {
    %2 = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}
END
# expect_lines NAME LINE...: what the last command printed.
expect_lines() {
    local name=$1
    shift
    if [ "$(printf '%s\n' "$@")" = "$(sed "s|$scratch/||g" "$scratch/stdout")" ]; then
        passed=$((passed + 1))
    else
        fail "$name" "printed: $(cat "$scratch/stdout")"
    fi
}
failure="FAIL checks.mlir:fails: checks.mlir:17:3: check.expect_eq_const: element [1] is -2, expected 2 (1 of 2 differ)"
expect 1 '' "checking functions" "$shardc" test checks.mlir
expect_lines "checking functions" 'PASS checks.mlir:holds checks=2' "$failure" \
    "NOTE checks.mlir:in_a_region: 'check.expect_eq_const' op in a region is not run natively" 'PASS checks.mlir:in_a_region checks=1'
expect 1 '' "checking functions, native" "$shardc" test --native checks.mlir
expect_lines "checking functions, native" 'PASS checks.mlir:holds checks=2' "$failure" \
    "UNSUPPORTED checks.mlir:in_a_region: 'check.expect_eq_const' op in a region is not run natively"
expect 1 '' "checking functions, evaluated" "$shardc" test --interpret checks.mlir
expect_lines "checking functions, evaluated" 'PASS checks.mlir:holds checks=2' "$failure" 'PASS checks.mlir:in_a_region checks=1'
expect 0 '' "one checking function" "$shardc" run checks.mlir --entry=holds
expect_lines "one checking function" 'checks passed: 2'
expect 1 'expected 2' "a checking function that fails" "$shardc" run checks.mlir --entry=fails
expect 0 'note: evaluated' "a checking function that is evaluated" "$shardc" run checks.mlir --entry=in_a_region

# ---- what is not implemented

cat >unsupported.mlir <<'END'
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @somebody_elses_function(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
expect 77 'somebody_elses_function' "an unknown custom call: run" "$shardc" run unsupported.mlir
expect 77 'somebody_elses_function' "an unknown custom call: interpret" "$shardc" run --interpret unsupported.mlir
expect 77 'somebody_elses_function' "an unknown custom call: compile" "$shardc" compile unsupported.mlir -o "$out/model.so"

# ---- options

expect 2 'usage' "no command" "$shardc"
for command in compile run test check inspect explain; do
    for help in "$command --help" "$command -h" "help $command" "$command $good --help"; do
        expect 0 '' "$help" sh -c '$1 $2 | grep -q "^usage: shardc $3"' sh "$shardc" "$help" "$command"
    done
done
expect 2 "unknown command 'rum'" "help of an unknown command" "$shardc" help rum
expect 0 '' "text on standard output" sh -c '"$@" | grep -q "func.func @main"' sh "$shardc" compile "$good" --emit=partitioned -o -
expect 2 'no text for standard output' "a library on standard output" "$shardc" compile "$good" -o -
expect 2 "unknown command 'rum'" "an unknown command" "$shardc" rum "$good"
expect 2 'usage' "no program" "$shardc" run
expect 2 'usage' "two programs" "$shardc" run "$good" "$good"
expect 2 'usage' "no output" "$shardc" compile "$good"
expect 2 "unknown option '--frobnicate'" "an unknown option" "$shardc" run --frobnicate "$good"
expect 2 "unknown option '-x'" "an unknown short option" "$shardc" compile -x "$good" -o "$out/model.so"
expect 2 'needs a value' "an option without its value" "$shardc" run "$good" --seed
expect 2 'takes no value' "a flag with a value" "$shardc" run "$good" --json=yes
expect 2 'emit' "an unknown form" "$shardc" compile "$good" --emit=exe -o "$out/model.so"
for value in '' x -1 0 1.5 99999999999999999999999 0x10 ' 3 '; do
    expect 2 '--threads' "--threads='$value'" "$shardc" run "$good" "--threads=$value"
done
expect 2 '--repeat' "--repeat=huge" "$shardc" run "$good" --repeat=99999999999999999999999
expect 2 '--seed' "--seed=-1" "$shardc" run "$good" --seed=-1
for value in '' x -1 nan inf 1e99; do
    expect 2 '--min-time' "--min-time='$value'" "$shardc" run "$good" "--min-time=$value"
    expect 2 '--rtol' "--rtol='$value'" "$shardc" run "$good" "--rtol=$value"
done
expect 0 '' "--seed=largest" "$shardc" run "$good" --seed=9223372036854775807
expect 0 '' "many threads" "$shardc" run "$good" --threads=300
for mesh in x x= =2 x=0 x=-1 x=y x=99999999999999999999 'x=2,x=2' 'x=2,' ',' 'x=1000000,y=1000000' "$(head -c 5000 /dev/zero | tr '\0' x)=2"; do
    expect 1,2 'mesh' "--mesh='${mesh:0:30}'" "$shardc" run "$good" "--mesh=$mesh"
done
expect 1 'too many devices' "--mesh of too many devices" "$shardc" run "$good" --mesh=x=9000000000000000000
expect 77 'more than [0-9]+ devices' "--mesh of many devices" "$shardc" run "$good" --mesh=x=1000000
expect 1,2 'nobody' "an unknown function" "$shardc" run "$good" --entry=nobody
expect 1 'nobody' "an unknown function: interpret" "$shardc" run "$good" --interpret --entry=nobody
expect 1,2 'pentium-9' "an unknown processor" "$shardc" compile "$good" --target-cpu=pentium-9 -o "$out/model.so"
expect 1,2,77 'z80' "an unknown target" "$shardc" compile "$good" --target=z80-none-none -o "$out/model.so"
expect 1,2 '' "a name that is none" "$shardc" compile "$good" '--name=a b;c' -o "$out/model.so"
expect 1,2 'no-such-pass' "an unknown pass" "$opt" "$good" --no-such-pass
expect 2 'file|usage' "shardc-opt without a file" "$opt"

# ---- the report of compile
expect 0 '' "a report" "$shardc" compile "$good" -o "$out/model.so" --report
for word in 'Memory before' 'Memory after' 'Memory of the compiled program' 'Reshards: 1' '"x"  *{{0,1}}'; do
    grep -q "$word" stdout || fail "a report" "without '$word'"
done
expect 0 '' "a report as JSON" "$shardc" compile "$good" -o "$out/model.so" --report=json
python3 -c 'import json, sys
report = json.load(sys.stdin)
memory = report["memory"]
assert memory["before"]["argument_bytes"] == 64 and memory["after"]["peak_bytes"] > 0
assert memory["compiled"]["argument_bytes"] == memory["after"]["argument_bytes"]
assert sum(r["bytes"] for r in report["reshards"]) == sum(c["bytes"] for c in report["collectives"]) > 0' <stdout ||
    fail "a report as JSON" "wrong numbers"
expect 0 '' "a report as HTML" "$shardc" compile "$good" --emit=obj -o "$out/model.o" --report=html
grep -q '</html>' stdout || fail "a report as HTML" "no page"
expect 2 'text, json or html' "a report of no form" "$shardc" compile "$good" -o "$out/model.so" --report=xml
expect 2 'do not go together' "a report beside the program" "$shardc" compile "$good" --emit=propagated -o - --report

# ---- explain

expect 0 '' "explain" "$shardc" explain "$good"
expect 2 'usage' "explain without a program" "$shardc" explain
expect 2 'usage' "explain two programs" "$shardc" explain "$good" "$good"
expect 2 'do not go together' "explain a value and a collective" "$shardc" explain "$good" --value=%0 --collective=1
expect 2 'do not go together' "explain as JSON and HTML" "$shardc" explain "$good" --json "--html=$out/page.html"
expect 2 'do not go together' "apply a value" "$shardc" explain "$good" --value=%0 "--apply=$out/changed.mlir"
for value in '' x 0 -1 99999999999999999999999; do
    expect 2 '--collective' "--collective='$value'" "$shardc" explain "$good" "--collective=$value"
done
expect 1 'no collective 1000' "explain a collective that is not there" "$shardc" explain "$good" --collective=1000
expect 1 "no value '%nobody'" "explain a value that is not there" "$shardc" explain "$good" --value=%nobody
expect 0 '' "explain a value by two words" "$shardc" explain "$good" --value %0
expect 1 'nowhere' "a page in a missing folder" "$shardc" explain "$good" --html=nowhere/page.html
expect 1 'no collective to avoid' "advice for a program without collectives" "$shardc" explain "$good" --mesh=x=1 "--apply=$out/changed.mlir"
expect 1 'missing.mlir.*No such file' "a missing file: explain" "$shardc" explain missing.mlir
expect 1 'nobody' "explain an unknown function" "$shardc" explain "$good" --entry=nobody
expect 1,77 '' "explain a library" "$shardc" explain "$shardc"

# ---- arrays

npy a.npy '<f4' '4, 2' 32
expect 0 '' "good arrays" "$shardc" run "$good" --in=a.npy --in=a.npy
echo 'func.func @main(%a: tensor<2xbf16>) -> tensor<2xbf16> { return %a : tensor<2xbf16> }' >narrow.mlir
npy wide.npy '<f4' '2,' 8
expect 0 '' "f32 numbers for bf16" "$shardc" run narrow.mlir --in=wide.npy
printf '\315\314\314\075' | dd of=wide.npy bs=1 seek=$(($(wc -c <wide.npy) - 8)) conv=notrunc 2>/dev/null
expect 1 'input 0: wide.npy: its element 0 is 0.1' "f32 numbers that bf16 does not have" "$shardc" run narrow.mlir --in=wide.npy
npy type.npy '<i8' '4, 2' 64
npy shape.npy '<f4' '2, 4' 32
npy rank.npy '<f4' '8,' 32
npy short.npy '<f4' '4, 2' 31
npy none.npy '<f4' '4, 2' 0
npy negative.npy '<f4' '-4, 2' 32
npy overflow.npy '<f4' '9223372036854775807, 9223372036854775807' 32
npy ranks.npy '<f4' '1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1' 4
npy object.npy '|O' '4, 2' 32
npy order.npy '*f4' '4, 2' 32
head -c 5 a.npy >magic.npy
head -c 60 a.npy >header.npy
printf '\x93NUMPY\x02\x00\xff\xff\xff\xff{' >huge.npy
printf '\x93NUMPY\x09\x00\x10\x00{' >version.npy
: >empty.npy
for file in type shape rank short none negative overflow ranks object order magic header huge version empty; do
    expect 1 "error: input 1: $file.npy: " "input $file.npy" "$shardc" run "$good" --in=a.npy "--in=$file.npy"
done
expect 1 "error: expected output 0: shape.npy: " "expected shape.npy" "$shardc" run "$good" --expect=shape.npy
# Dynamic dimensions have the sizes of the arrays, or of --input-types; shapes may depend on an argument's value.
cat >dynamic.mlir <<'END'
func.func @main(%n: tensor<1xi32>, %a: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?xf32>) {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %a, %0 : tensor<?x2xf32>, tensor<?xf32>
}
END
npy n.npy '<i4' '1,' 4
npy no.npy '<f4' '0,' 0
for mode in --threads=1 --interpret; do
    expect 0 '' "dynamic arrays $mode" "$shardc" run dynamic.mlir $mode --in=n.npy --in=a.npy --expect=a.npy --expect=no.npy
    expect 1 'takes tensor<\?x2xf32>, the file has tensor<2x4xf32>' "a dynamic array of another shape $mode" \
        "$shardc" run dynamic.mlir $mode --in=n.npy --in=shape.npy
done
expect 1 "argument 1 has type 'tensor<\?x2xf32>': its shape must be given" "no shapes" "$shardc" run dynamic.mlir
expect 77 'shape is not known when the program is compiled' "a shape of data" \
    "$shardc" compile dynamic.mlir -o out/model.so "--input-types=none, tensor<4x2xf32>"
expect 1 "does not fit 'tensor<4x3xf32>'" "wrong shapes" "$shardc" compile dynamic.mlir -o out/model.so "--input-types=none, tensor<4x3xf32>"
expect 1 '1 types of arguments were given, @main has 2' "too few shapes" "$shardc" compile dynamic.mlir -o out/model.so --input-types=none

# ---- formats: jax.export's files are read, others are named

exports=$tests/fuzz/seeds/bytecode
npy ones.npy '<f4' 3, 0 && printf '\0\0\x80\x3f%.0s' 1 2 3 >>ones.npy
npy twos.npy '<f4' 3, 0 && printf '\0\0\0\x40%.0s' 1 2 3 >>twos.npy
for mode in '' --interpret; do
    # shellcheck disable=SC2086
    expect 0 '' "an export for several platforms $mode" "$shardc" run "$exports/export_platforms.bin" $mode --in=ones.npy --expect=twos.npy
done
expect 0 '' "an export with shardings" "$shardc" run "$exports/export_sharded.bin"
expect 77 'exported for the platforms tpu, cuda: add "cpu"' "an export for other platforms" "$shardc" run "$exports/export_no_cpu.bin"
head -c 700 "$exports/export_sharded.bin" >cut.bin
expect 1 'binary data' "an export that is cut" "$shardc" check cut.bin
printf '\x0a\x03mod\x12\x04main\x1a\x02\x0a\x00' >module.pb
printf '\x0a\x0f\x0a\x03mod\x12\x04main\x1a\x02\x0a\x00' >proto.pb
printf '\x80\x04\x95\0\0' >model.pkl
printf '\x08\x08\x12\x02me\x3a\x02\x0a\x00' >model.onnx
printf 'PK\x03\x04' >model.npz
expect 1 'byte [0-9]*: error: .*no opcode|no instructions' "HLO as a protobuf, without an instruction" "$shardc" run module.pb
expect 1 'no opcode|no instructions' "HLO as a snapshot, without an instruction" "$shardc" check proto.pb
protos=$tests/fuzz/seeds/hlo_proto
golden=$tests/golden/hlo
for name in asynchronous contractions control_flow gather start_lists proto_calls proto_literals; do # the same of text and protobuf
    sed '/^\/\/ ---- expect$/,$d' "$golden/$name.hlo" >"$name.hlo"
    "$opt" "$name.hlo" >from_text 2>&1
    "$opt" "$protos/$name.pb" >from_proto 2>&1
    expect 0 '' "text and protobuf of $name" cmp from_text from_proto
done
for name in hlo_proto with_config snapshot; do
    expect 0 '' "HLO in $name" "$shardc" run "$protos/$name.pb" --compare=interpret
done
expect 0 '' "an HLO protobuf, compiled" "$shardc" compile "$protos/control_flow.pb" -o out/model.so
expect 1 'byte 21: error: tuples are nested' "an HLO protobuf, too deep" "$shardc" check "$protos/deep_tuple.pb"
expect 77 'stochastic-convert' "an HLO protobuf with an opcode that is not supported" "$shardc" check "$protos/refused_opcode.pb"
expect 0 '' "a sharding in all notations" "$shardc" inspect --sharding='{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}' --shape=16x8 --mesh=x=2,y=4
grep -q "P('y', None)" stdout && grep -q '8:12 | 2 6' stdout || fail "a sharding in all notations" "what is printed"
expect 0 '' "a tuple of shardings" "$shardc" inspect --sharding='{{replicated}, {devices=[2]<=[2]}}' --json
expect 1 'is no sharding' "no sharding" "$shardc" inspect --sharding=
expect 1 'rank 2, but the shape has 1' "a sharding of another rank" "$shardc" inspect --sharding='{devices=[2,4]<=[8]}' --shape=8
expect 1 'is no mesh' "no mesh" "$shardc" inspect --sharding='{replicated}' --mesh=x
expect 1 'is no shape' "no shape" "$shardc" inspect --sharding='{replicated}' --shape=8xx
expect 2 'usage' "a sharding and a program" "$shardc" inspect --sharding='{replicated}' module.pb
head -c 700 "$protos/gather.pb" >cut.pb
expect 1 'binary data|error' "an HLO protobuf that is cut" "$shardc" check cut.pb
expect 77 'a Python pickle' "a pickle" "$shardc" compile model.pkl -o out/model.so
expect 77 'an ONNX model' "an ONNX model" "$opt" model.onnx
expect 77 'a zip archive' "a zip archive" "$opt" model.npz -split-input-file
expect 1 'a NumPy array' "an array as program" "$shardc" run ones.npy
expect 1 'expected' "no type" "$shardc" compile dynamic.mlir -o out/model.so "--input-types=tensor<4"
for command in inspect explain; do
    expect 0 '' "$command with shapes" "$shardc" $command dynamic.mlir "--input-types=dense<3> : tensor<1xi32>, tensor<4x2xf32>"
done
expect 0 '' "shapes and values" "$shardc" compile dynamic.mlir -o out/model.so "--input-types=dense<3> : tensor<1xi32>, tensor<4x2xf32>"
expect 1 'input 0.*No such file' "a missing array" "$shardc" run "$good" --in=missing.npy --in=a.npy
expect 1 'directory' "a folder as an array" "$shardc" run "$good" "--in=$scratch" --in=a.npy
expect 1 '1 inputs were given, the program has 2' "too few arrays" "$shardc" run "$good" --in=a.npy
expect 1 'inputs were given' "too many arrays" "$shardc" run "$good" --in=a.npy --in=a.npy --in=a.npy
expect 1 'expected outputs were given' "too many expected arrays" "$shardc" run "$good" --expect=a.npy --expect=a.npy
expect 1 'elements differ' "wrong results" "$shardc" run "$good" --expect=a.npy --seed=1

# Tokens have no array and no file; the evaluator takes tuples apart.
cat >token.mlir <<'END'
func.func @main(%t: !stablehlo.token, %a: tensor<?x2xf32>) -> (!stablehlo.token, tensor<?x2xf32>) {
  return %t, %a : !stablehlo.token, tensor<?x2xf32>
}
END
cat >tuple.mlir <<'END'
func.func @main(%a: tuple<!stablehlo.token, tensor<2xf32>>, %b: tensor<4x2xf32>) -> tuple<tensor<4x2xf32>, tuple<!stablehlo.token, tensor<2xf32>>> {
  %0 = stablehlo.tuple %b, %a : tuple<tensor<4x2xf32>, tuple<!stablehlo.token, tensor<2xf32>>>
  return %0 : tuple<tensor<4x2xf32>, tuple<!stablehlo.token, tensor<2xf32>>>
}
END
for mode in --threads=1 --interpret; do
    expect 0 '' "a token $mode" "$shardc" run token.mlir $mode --in=a.npy --expect=a.npy --out-dir=tokens
    expect 1 'inputs were given, the program has 1' "no file for a token $mode" \
        "$shardc" run token.mlir $mode "--input-types=none, tensor<4x2xf32>" --in=a.npy --in=a.npy
    expect 1 'outputs were given, the program has 1' "no expected file for a token $mode" \
        "$shardc" run token.mlir $mode --in=a.npy --expect=a.npy --expect=a.npy
done
[ "$(ls tokens)" = out0.npy ] || fail "a token" "written: $(ls tokens)"
expect 0 '' "a token of a library" "$shardc" compile token.mlir -o tokens/model.so "--input-types=none, tensor<4x2xf32>"
expect 0 '' "a library's token" "$shardc" run tokens/model.so --in=a.npy --expect=a.npy
expect 0 '' "tuples" "$shardc" run tuple.mlir --interpret --in=wide.npy --in=a.npy --expect=a.npy --expect=wide.npy --out-dir=tuples
[ "$(ls tuples | wc -l)" = 2 ] || fail "tuples" "written: $(ls tuples)"

# ---- libraries

"$shardc" compile "$good" -o model.so 2>stderr || fail "a library" "does not compile"
expect 0 '' "a good library" "$shardc" run model.so --in=a.npy --in=a.npy
# A program that is linked with it finds it by its name, from wherever it is started.
if command -v cc >/dev/null 2>&1; then
    mkdir -p linked
    printf '#include "model.h"\nint main(void) { return shardc_model_entry() == 0; }\n' >linked/main.c
    # shellcheck disable=SC2016
    cc -I. linked/main.c -o linked/main ./model.so -Wl,-rpath,'$ORIGIN/..' 2>stderr || fail "a library" "cannot be linked"
    expect 0 '' "a linked program in another folder" sh -c 'cd / && "$1"' sh "$PWD/linked/main"
    # An OpenMP library in a folder of its own is found there later.
    openmp=$(ldd model.so | sed -n 's/.*lib[gi]*omp[^ ]* => \([^ ]*\).*/\1/p')
    if [ -n "$openmp" ]; then
        mkdir -p openmp
        cp "$openmp" openmp/
        LD_LIBRARY_PATH=$PWD/openmp "$shardc" compile "$good" -o elsewhere.so 2>stderr || fail "a library" "does not compile with OpenMP elsewhere"
        expect 0 '' "OpenMP in a folder of its own" sh -c 'ldd ./elsewhere.so | grep -q "=> $1/openmp/"' sh "$PWD"
        expect 0 '' "a library with it" "$shardc" run elsewhere.so --in=a.npy --in=a.npy
    fi
fi
size=$(wc -c <model.so)
for part in 1 4 16 63 64 200 $((size / 3)) $((size / 2)) $((size - 17)) $((size - 1)); do
    head -c "$part" model.so >cut.so
    expect 1 'cut.so' "a library cut after $part bytes" "$shardc" run ./cut.so
done
head -c 64 /dev/zero | cat - model.so >shifted.so
expect 1 'shifted.so' "a library behind zeros" "$shardc" run shifted.so
cat model.so - <<<more >longer.so
expect 1 'longer.so' "a library with more behind" "$shardc" run longer.so
for ((at = 5; at < size; at += size / 12)); do
    byte=$(od -An -tu1 -j "$at" -N1 model.so | tr -d ' ')
    cp model.so flipped.so
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ (1 << (at % 8)))))" | dd of=flipped.so bs=1 seek="$at" conv=notrunc status=none
    expect 1 'flipped.so' "a library with a bit flipped in byte $at" "$shardc" run flipped.so
    expect 1 'flipped.so' "inspecting a library with a bit flipped in byte $at" "$shardc" inspect flipped.so
done
libc=$(ldd "$shardc" | sed -n 's/.*libc\.so.* => \([^ ]*\).*/\1/p')
[ -z "$libc" ] || expect 1 'not a shardc model' "somebody else's library" "$shardc" run "$libc"
expect 1 '' "a library that is given to compile" "$shardc" compile model.so -o "$out/model.so"
expect 1,2 '' "a library that is given to interpret" "$shardc" run --interpret model.so

# one file per device
"$shardc" run model.so --out-dir=whole 2>stderr || fail "a library" "does not run"
"$shardc" compile "$good" --per-shard -o shard.so 2>stderr || fail "per-shard libraries" "do not compile"
last=$(ls shard.*.so | tail -1)
expect 0 '' "per-shard libraries together" "$shardc" run "$last" --seed=0 --expect=whole/out0.npy
expect 0 '' "inspecting per-shard libraries" "$shardc" inspect shard.0.so
cat >custom.mlir <<'END'
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mine(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
expect 77 "of @mine is not supported" "a custom call of nobody" "$shardc" compile custom.mlir -o "$out/custom.so"
expect 0 '' "a custom call that the caller brings" "$shardc" compile custom.mlir -o custom.so --custom=other,mine
expect 0 '' "inspecting it" sh -c '"$1" inspect custom.so | grep -q "0 mine(f32\[4\]) -> (f32\[4\])  custom.mlir:2:8"' sh "$shardc"
expect 1 "calls custom functions \('mine' first\)" "running it without them" "$shardc" run custom.so
head -c 5000 "$last" >cut.so && mv cut.so "$last"
expect 1 "$last" "per-shard libraries, one of them cut" "$shardc" run shard.0.so
rm "$last"
expect 1 'join the files of all devices' "per-shard libraries, one of them missing" "$shardc" run shard.0.so
expect 1 'nowhere/' "per-shard libraries in a missing folder" "$shardc" compile "$good" --per-shard -o nowhere/model.so

# ---- places to write to

mkdir there
expect 1 'there' "a folder as output" "$shardc" compile "$good" -o there
expect 1 'nowhere/model.so' "a missing folder" "$shardc" compile "$good" -o nowhere/model.so
expect 1 'good.mlir/model.so' "a file as folder" "$shardc" compile "$good" -o "$good/model.so"
expect 1 'good.mlir' "a file as output folder" "$shardc" run "$good" --out-dir="$good"
expect 1 'nowhere' "a missing folder for outputs" "$shardc" run "$good" --out-dir=nowhere/out
expect 1 'nowhere' "a missing folder for a profile" "$shardc" run "$good" --profile=nowhere/profile
expect 0 '' "/dev/null as output" "$shardc" compile "$good" --emit=llvm -o /dev/null
[ -c /dev/null ] || fail "/dev/null" "it was replaced"
if [ -e /dev/full ]; then
    expect 1 'No space|/dev/full' "a full device" "$shardc" compile "$good" --emit=llvm -o /dev/full
    expect 1 '' "standard output on a full device" sh -c '"$@" >/dev/full' sh "$shardc" inspect "$good"
    expect 1 '' "shardc-opt on a full device" sh -c '"$@" >/dev/full' sh "$opt" "$good"
fi

if [ "$(id -u)" = 0 ] && mkdir "$scratch/disk" && mount -t tmpfs -o size=64k none "$scratch/disk" 2>/dev/null; then
    disk=$scratch/disk
    cat >big.mlir <<'END'
func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.tanh %a : tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
END
    head -c 60000 /dev/zero >disk/ballast
    for emit in so obj llvm asm header partitioned; do
        head -c 63000 /dev/zero >disk/ballast
        cat "$good" "$good" >disk/x 2>/dev/null
        rm -f disk/x
        expect 0,1 '' "no space for --emit=$emit" "$shardc" compile "$good" --emit=$emit -o disk/model
        rm -f disk/model disk/model.h disk/ballast
        [ -z "$(ls -A disk)" ] || fail "no space for --emit=$emit" "left behind: $(ls -A disk)"
    done
    head -c 40000 /dev/zero >disk/ballast
    expect 1 'No space' "no space for a library" "$shardc" compile "$good" -o disk/model.so
    expect 1 'No space' "no space for outputs" "$shardc" run big.mlir --out-dir=disk/out
    rm disk/ballast
    rmdir disk/out 2>/dev/null
    [ -z "$(ls -A disk)" ] || fail "no space" "left behind: $(ls -A disk/*)"
    umount disk && disk=
else
    skipped=$((skipped + 1))
fi

# HLO text.
cat >program.hlo <<'END'
HloModule program, num_partitions=2
ENTRY main {
  x = f32[4,2]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  ROOT y = f32[4,2]{1,0} exponential(x)
}
END
expect 0 '' "HLO: check" "$shardc" check program.hlo
expect 0 '' "HLO: run" "$shardc" run program.hlo --in=a.npy --out-dir=hlo
expect 0 '' "HLO: evaluated" "$shardc" run --interpret program.hlo --in=a.npy --expect=hlo/out0.npy
expect 0 '' "HLO: compile" "$shardc" compile program.hlo -o hlo/model.so
expect 0 '' "HLO: a compiled model" "$shardc" run hlo/model.so --in=a.npy --expect=hlo/out0.npy
expect 0 '' "HLO: inspect" "$shardc" inspect program.hlo
expect 0 '' "HLO: explain" "$shardc" explain program.hlo
expect 0 '' "HLO: shardc-opt" "$opt" program.hlo
grep -q 'stablehlo.exponential' stdout || fail "HLO: shardc-opt" 'printed something else'
sed 's/exponential/stochastic-convert/' program.hlo >refused.hlo
expect 77 "refused.hlo:4:26: error: HLO's opcode 'stochastic-convert' is not supported" "HLO: an unknown opcode" "$shardc" run refused.hlo
for part in 1 40 70 120 150; do
    head -c "$part" program.hlo >cut.hlo
    expect 1 'cut.hlo:[0-9]+:[0-9]+: error: ' "HLO cut after $part bytes" "$shardc" check cut.hlo
done

# As many devices as a program is made for, and more.
cat >permute.mlir <<'END'
sdy.mesh @mesh = <["x"=64, "y"=64]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
END
expect 0 '' "a permute among 4096 devices" "$opt" permute.mlir --sdy-convert-global-to-local
cp stdout permuted.mlir
expect 0 '' "a permute among 4096 devices, read back" "$opt" permuted.mlir
cmp -s stdout permuted.mlir || fail "a permute among 4096 devices" 'reads back as something else'
sed 's/"y"=64/"y"=64, "z"=2/' permute.mlir >crowd.mlir
expect 77 'crowd.mlir:2:[0-9]+: error: programs for more than 4096 devices' "too many devices" "$opt" crowd.mlir --sdy-convert-global-to-local

# As somebody else, for root may do everything.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$shardc"; then
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
    as_nobody=()
fi
if [ ${#as_nobody[@]} -gt 0 ] || [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod 555 closed
    cp "$good" secret.mlir && chmod 0 secret.mlir
    cp a.npy secret.npy && chmod 0 secret.npy
    expect 1 'closed.*Permission' "a read-only folder" "${as_nobody[@]}" "$shardc" compile "$good" -o closed/model.so
    expect 1 'closed.*Permission' "a read-only folder for outputs" "${as_nobody[@]}" "$shardc" run "$good" --out-dir=closed/out
    expect 1 'closed.*Permission' "outputs in a read-only folder" "${as_nobody[@]}" "$shardc" run "$good" --out-dir=closed
    expect 1 'closed.*Permission' "a profile in a read-only folder" "${as_nobody[@]}" "$shardc" run "$good" --profile=closed/p
    expect 1 'secret.mlir.*Permission' "an unreadable program" "${as_nobody[@]}" "$shardc" run secret.mlir
    expect 1 'secret.npy.*Permission' "an unreadable array" "${as_nobody[@]}" "$shardc" run "$good" --in=a.npy --in=secret.npy
    [ -z "$(ls -A closed)" ] || fail "a read-only folder" "left behind: $(ls -A closed)"
else
    skipped=$((skipped + 1))
fi

finish
