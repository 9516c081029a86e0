#!/bin/bash
# What users meet: options that are wrong or without effect, where inputs come from, names, reports, comparisons, profiles.
# SHARDC and SHARDC_OPT are the tools.
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/cli_common.sh
. tests/cli_common.sh

# prints PATTERN NAME: what the last command printed.
prints() {
    if grep -qE -- "$1" "$scratch/stdout"; then passed=$((passed + 1)); else fail "$2" "printed: $(head -20 "$scratch/stdout")"; fi
}
# prints_not PATTERN NAME
prints_not() {
    if grep -qE -- "$1" "$scratch/stdout"; then fail "$2" "printed: $(grep -E -- "$1" "$scratch/stdout")"; else passed=$((passed + 1)); fi
}

# ---- options: wrong values

for option in --in --in-dir --expect --compare --out-dir --entry --input-types --mesh --target-cpu --profile --print-after --constant-arguments; do
    expect 2 "$option has an empty value" "run $option=" "$shardc" run "$good" $option=
done
for option in -o --mesh --entry --input-types --name --custom --target-cpu --target --emit --print-after --constant-arguments; do
    expect 2 "$option has an empty value" "compile $option=" "$shardc" compile "$good" $option=
done
for option in --seed --threads --repeat; do
    for value in '' x -5 1.5 nan 99999999999999999999 0x10 '1 '; do
        expect 2 "$option" "run $option='$value'" "$shardc" run "$good" "$option=$value"
    done
    expect 2 "$option" "run $option -5" "$shardc" run "$good" "$option" -5
done
expect 2 '--threads' "--threads=0" "$shardc" run "$good" --threads=0
expect 2 '--repeat' "--repeat=0" "$shardc" run "$good" --repeat=0
for value in x -1 nan inf -inf 1e99 1,5; do
    expect 2 '--min-time' "--min-time=$value" "$shardc" run "$good" "--min-time=$value"
    expect 2 '--rtol' "--rtol=$value" "$shardc" run "$good" "--rtol=$value" --compare=interpret
    expect 2 '--atol' "--atol=$value" "$shardc" run "$good" "--atol=$value" --compare=interpret
done
for option in --top --advise --collective; do
    for value in x -1 1.5 99999999999; do
        expect 2 "$option" "explain $option=$value" "$shardc" explain "$good" "$option=$value"
    done
done
for value in 0 -1 x 5000; do
    expect 2 '--compile-threads' "--compile-threads=$value" "$shardc" compile "$good" -o "$out/m.so" --compile-threads=$value
done
for emit in SO text so,obj 'so '; do
    expect 2 'emit' "--emit=$emit" "$shardc" compile "$good" -o "$out/m.so" "--emit=$emit"
done
expect 2 'given twice' "an option that is given twice" "$shardc" run "$good" --seed=1 --seed=2
expect 2 'given twice' "two outputs" "$shardc" compile "$good" -o "$out/a.so" -o "$out/b.so"
expect 2 'do not go together' "two levels" "$shardc" compile "$good" -o "$out/a.so" -O0 -O3
expect 2 'do not go together' "evaluated and compiled" "$shardc" test --native --interpret "$good"
for program in 'a b' 'a,b' '9x'; do
    expect 1 'not a C identifier' "--name='$program'" "$shardc" compile "$good" -o "$out/m.so" "--name=$program"
done
for list in , a, ,a a,,b 'a,a'; do
    expect 1,2 'custom' "--custom=$list" "$shardc" compile "$good" -o "$out/m.so" "--custom=$list"
done

# ---- options: without effect

expect 2 '--rtol needs' "a tolerance for nothing" "$shardc" run "$good" --rtol=1e-3
expect 2 '--atol needs' "an absolute tolerance for nothing" "$shardc" run "$good" --atol=1e-3
for option in --threads=2 --repeat=2 --min-time=1 --profile=p --target-cpu=native --reference-kernels --print-after=kernels --time-passes --cache=c --mesh=x=4; do
    expect 2 'do not go together' "run --interpret $option" "$shardc" run --interpret "$good" $option
done
"$shardc" compile "$good" -o model.so
for option in --entry=main --interpret --mesh=x=4 --target-cpu=native --reference-kernels --print-after=kernels --time-passes --cache=c '--input-types=none'; do
    expect 2 'library is compiled' "run model.so $option" "$shardc" run model.so "$option"
done
for option in --entry=main --mesh=x=4 '--input-types=none'; do
    expect 2 'library is compiled' "inspect model.so $option" "$shardc" inspect model.so "$option"
done

# ordered TOOL PASS...: --help lists the passes in this order.
ordered() {
    local tool=$1 last=0 line
    shift
    for pass in "$@"; do
        line=$("$tool" --help | grep -nE -- "^ +--$pass( |\$)" | head -1 | cut -d: -f1)
        if [ "${line:-0}" -le "$last" ]; then
            fail "the order of passes" "$pass"
            return
        fi
        last=$line
    done
    passed=$((passed + 1))
}

# ---- shardc-opt

for call in --sdy-close-shardings=foo --sdy-close-shardings=foo=bar=baz --sdy-insert-explicit-reshards=enable-full-version=maybe \
    --sdy-convert-global-to-local=replica-count=0 --sdy-convert-global-to-local=replica-count=x --canonicalize=enabled-patterns=all \
    --sdy-aggressive-propagate=propagation-strategy=slow --cse=fast '--sdy-export-pipeline=inline-meshes inline-meshes'; do
    expect 2 'option' "shardc-opt $call" "$opt" "$good" "$call"
done
expect 0 '' "shardc-opt: an option" "$opt" "$good" --sdy-propagation-pipeline='keep-sharding-rules=true'
expect 2 "no pass 'no-such-pass'; the passes are: .*sdy-close-shardings" "shardc-opt: print after an unknown pass" "$opt" "$good" --cse --print-after=no-such-pass
expect 2 "unknown pass or option 'no-such-pass'; the passes are: .*sdy-close-shardings" "shardc-opt: an unknown pass" "$opt" "$good" --no-such-pass
expect 2 "unknown pass or option 'kernels'" "shardc-opt: a phase of the code generator" "$opt" "$good" --kernels
expect 2 'sdy-unflatten-call-graph has no option .x.; its options are: dedup-functions-fully' "shardc-opt: an unknown option" "$opt" "$good" --sdy-unflatten-call-graph=x
expect 0 '' "shardc-opt: the list of passes" "$opt" --help
prints '^ +--sdy-import-pipeline .*' "pipelines"
ordered "$opt" shardc-import shardc-select-entry sdy-lift-inlined-meshes sdy-user-priority-propagate sdy-close-shardings localize shardc-split-reductions
expect 1 "'symbol-dce' did not run; those that did: cse" "shardc-opt: print after a pass that does not run" "$opt" "$good" --cse --print-after=symbol-dce
expect 0 '// after sdy-close-shardings' "shardc-opt: print after a pass of a pipeline" "$opt" "$good" --sdy-propagation-pipeline --print-after=sdy-close-shardings
expect 0 'sdy-propagation-pipeline' "shardc-opt: times" "$opt" "$good" --sdy-propagation-pipeline --time-passes
expect 2 '--target needs' "shardc-opt: a version of no artifact" "$opt" "$good" --target=1.0.0

# ---- the program after a pass or phase, and times

for phase in simplify kernels buffers llvm propagate localize sdy-user-priority-propagate shardc-combine-collectives shardc-import-lapack \
    sdy-close-shardings shardc-split-reductions shardc-select-entry; do
    expect 0 '' "run --print-after=$phase" "$shardc" run "$good" --print-after=$phase --quiet
    prints '.' "it prints"
    expect 0 '' "compile --print-after=$phase" "$shardc" compile "$good" -o "$out/model.so" --print-after=$phase
    prints '.' "it prints"
done
expect 1 "there is no pass 'foo'; the passes are: shardc-import, .*sdy-close-shardings.*kernels" "run --print-after=foo" "$shardc" run "$good" --print-after=foo
expect 1 "there is no pass 'foo'" "compile --print-after=foo" "$shardc" compile "$good" -o "$out/model.so" --print-after=foo
expect 1 "pass 'kernels' did not run; those that did: .*shardc-import-lapack.*sdy-close-shardings" "a phase that does not come" "$shardc" compile "$good" --emit=propagated -o "$out/p.mlir" --print-after=kernels
expect 2 'do not go together' "two texts on one output" "$shardc" compile "$good" --emit=llvm -o - --print-after=kernels
expect 0 'shardc-insert-reshards' "run --time-passes" "$shardc" run "$good" --time-passes
for pass in shardc-import-shardings sdy-close-shardings shardc-split-collectives kernels; do
    if grep -qE "^ +[0-9.]+ +[0-9.]+% +[0-9]+ +$pass\$" "$scratch/stderr"; then
        passed=$((passed + 1))
    else
        fail "the time and the ops of $pass" "none"
    fi
done
expect 0 'llvm' "compile --time-passes" "$shardc" compile "$good" -o "$out/model.so" --time-passes

# ---- compiled kernels are kept

cache=$scratch/cache
unset SHARDC_CACHE
same='--compare=interpret'
expect 0 'cache: 0 of [1-9][0-9]* objects found in .*cache, [1-9][0-9]* stored' "the first compilation" "$shardc" run "$good" $same --cache="$cache" --time-passes
expect 0 'cache: ([1-9][0-9]*) of \1 objects found in .*cache, 0 stored' "the second compilation" "$shardc" run "$good" $same --cache="$cache" --time-passes
expect 0 'cache: ([1-9][0-9]*) of \1 objects' "the folder of the environment" env SHARDC_CACHE="$cache" "$shardc" run "$good" $same --time-passes
expect 0 'objects found in .*/xdg/shardc, [1-9]' "the usual folder" env SHARDC_CACHE=1 XDG_CACHE_HOME="$scratch/xdg" "$shardc" run "$good" $same --time-passes
expect 0 'objects found in .*/home/.cache/shardc, [1-9]' "the usual folder without XDG_CACHE_HOME" \
    env -u XDG_CACHE_HOME SHARDC_CACHE=1 HOME="$scratch/home" "$shardc" run "$good" $same --time-passes
expect 0 '' "no folder by the environment" env -C "$scratch" SHARDC_CACHE=off "$(realpath "$shardc")" run "$(realpath "$good")" --quiet
[ ! -e "$scratch/off" ] || fail "no folder by the environment" "there is one"
expect 0 'cache: [01] of .*, [1-9][0-9]* stored' "other effort, other objects" "$shardc" compile "$good" -O1 -o "$out/model.so" --cache="$cache" --time-passes
for entry in "$cache"/*.object; do
    echo wrong >"$entry"
done
expect 0 'cache: 0 of .*, [1-9][0-9]* stored' "damaged entries" "$shardc" run "$good" $same --cache="$cache" --time-passes
expect 0 'cache: ([1-9][0-9]*) of \1 objects' "... are written anew" "$shardc" run "$good" $same --cache="$cache" --time-passes
for entry in "$cache"/*.object; do
    rm "$entry" && mkdir "$entry"
done
expect 0 'cache: 0 of .*, 0 stored' "entries that cannot be read or written" "$shardc" run "$good" $same --cache="$cache" --time-passes
chmod 777 "$cache"
expect 0 'others may write to it' "a folder of all" "$shardc" run "$good" $same --cache="$cache" --time-passes
echo >file
expect 0 'it is no folder' "a file as the folder" "$shardc" run "$good" $same --cache=file --time-passes
expect 2 'cache' "no folder" "$shardc" run "$good" --cache=
expect 0 '' "a program that is kept whole" "$shardc" run "$good" $same --cache="$scratch/whole"
last=$(ls -t "$scratch/whole" | head -n 1)
find "$scratch/whole" -type f ! -name "$last" -delete
expect 0 '' "... is found" "$shardc" run "$good" $same --cache="$scratch/whole"
expect 0 '' "... without a kernel" test "$(ls "$scratch/whole")" = "$last"
for i in 1 2 3 4; do
    "$shardc" run "$good" --quiet --cache="$scratch/shared" || touch "$scratch/wrong" &
done
wait
expect 0 'cache: ([1-9][0-9]*) of \1 objects' "several processes at a time" "$shardc" run "$good" $same --cache="$scratch/shared" --time-passes
expect 1 '' "... none failed" test -e "$scratch/wrong"

# ---- what a plain run says

expect 0 '' "a plain run" "$shardc" run "$good"
prints '^inputs, drawn from seed 0:' "where the inputs come from"
prints '^  a: f32\[4, 2\], normal, deviation 0.1' "how they are drawn"
prints '^  result0: f32\[4, 2\]: .*min .*max .*mean ' "what came out"
prints_not 'time of' "no times without --repeat"
expect 0 '' "a repeated run" "$shardc" run "$good" --repeat=3
prints '^time of 3 executions: min .*median .*max' "times"
expect 0 '' "a quiet run" "$shardc" run "$good" --quiet
prints_not . "nothing"
expect 0 '' "a run for programs" "$shardc" run "$good" --json
prints '^\{"devices": ?2.*"cpu_s": ?[0-9].*\}$' "one object"
expect 0 '' "an evaluated run" "$shardc" run "$good" --interpret
prints '^  result0: f32\[4, 2\]' "what came out"
cat >kinds.mlir <<'EOF'
func.func @main(%i: tensor<3xi32>, %b: tensor<2xi1>, %c: tensor<2xcomplex<f32>>, %s: tensor<f32>, %e: tensor<0xf32>) -> (tensor<3xi32>, tensor<2xi1>, tensor<2xcomplex<f32>>, tensor<f32>, tensor<0xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.divide %z, %z : tensor<f32>
  return %i, %b, %c, %n, %e : tensor<3xi32>, tensor<2xi1>, tensor<2xcomplex<f32>>, tensor<f32>, tensor<0xf32>
}
EOF
expect 0 '' "arrays of all kinds" "$shardc" run kinds.mlir
prints '^  i: i32\[3\], whole numbers, 0 to 7' "integers"
prints '^  b: i1\[2\], 0 or 1' "booleans"
prints '^  result2: complex<f32>\[2\]: \(' "complex numbers"
prints '^  result3: f32\[\]: -?nan' "NaN"
prints '^  result4: f32\[0\]: no elements' "no elements"

# ---- names

cat >names.mlir <<'EOF'
func.func @main(%arg0: tensor<2xf32> loc("params['w']"), %bias: tensor<2xf32>, %arg2: tensor<2xf32> loc("x"), %arg3: tensor<2xf32> loc("int"))
    -> (tensor<2xf32> {jax.result_info = "result['loss']"}, tensor<2xf32> {jax.result_info = "result"}) {
  %0 = stablehlo.add %arg0, %bias : tensor<2xf32>
  %1 = stablehlo.add %arg2, %arg3 : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
EOF
expect 0 '' "names: run" "$shardc" run names.mlir
prints "^  params\['w'\]: f32" "an argument's location"
prints '^  bias: f32' "an argument's name in the text"
prints "^  result\['loss'\]: f32" "a result's path"
prints '^  result1: f32' "a result without one"
expect 0 '' "names: evaluated" "$shardc" run --interpret names.mlir
prints "^  result\['loss'\]: f32" "a result's path"
expect 0 '' "names: compile" "$shardc" compile names.mlir -o names.so
grep -q "const float \*params_w /\* f32 \[2\], params\['w'\] \*/" names.h || fail "names: header" "$(grep params names.h)"
grep -q "float \*result_loss" names.h || fail "names: header" "$(grep result names.h)"
grep -q "const float \*arg3_ " names.h || fail "names: a keyword" "$(grep arg3 names.h)"
echo '#include "names.h"' >names.c
"${CC:-cc}" -std=c99 -Wall -Werror -c names.c -o names.o 2>stderr || fail "names: header" "does not compile"
expect 0 '' "names: inspect" "$shardc" inspect names.so
prints "^  0 params\['w'\]: f32" "inspect"
cat >names.hlo <<'EOF'
HloModule names
ENTRY main {
  weights.1 = f32[2]{0} parameter(0)
  Arg_1.2 = f32[2]{0} parameter(1), metadata={op_name="state['x']"}
  ROOT y = f32[2]{0} add(weights.1, Arg_1.2)
}
EOF
expect 0 '' "names: HLO" "$shardc" inspect names.hlo
prints '^  0 weights: f32' "a parameter's name"
prints "^  1 state\['x'\]: f32" "a parameter's op_name"

# ---- inputs by name

# numbers FILE DESCR SHAPE BYTES...: an array with these bytes (as printf's octal).
numbers() {
    npy "$1" "$2" "$3" 0
    # shellcheck disable=SC2059
    printf "$4" >>"$1"
}
one='\000\000\200\077' two='\000\000\000\100'
numbers w.npy '<f4' '2,' "$one$one"
numbers b.npy '<f4' '2,' "$two$two"
numbers sum.npy '<f4' '2,' '\000\000\100\100\000\000\100\100'
numbers zero.npy '<f4' '2,' '\000\000\000\000\000\000\000\000'
cat >add.mlir <<'EOF'
func.func @main(%w: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %w, %b : tensor<2xf32>
  %1 = stablehlo.add %0, %w : tensor<2xf32>
  %2 = stablehlo.subtract %1, %w : tensor<2xf32>
  return %2 : tensor<2xf32>
}
EOF
for mode in --threads=1 --interpret; do
    expect 0 '' "inputs by name $mode" "$shardc" run add.mlir $mode --in=b=b.npy --in=w=w.npy --expect=sum.npy
    expect 0 '' "one by name $mode" "$shardc" run add.mlir $mode --in=b=b.npy --in=w.npy --expect=sum.npy
    prints '^  w: f32\[2\], w.npy' "where it comes from"
    expect 0 '' "by number $mode" "$shardc" run add.mlir $mode --in=arg1=b.npy --in=arg0=w.npy --expect=sum.npy
    expect 1 "no input 'c': the program has w, b" "no such input $mode" "$shardc" run add.mlir $mode --in=c=b.npy --in=w=w.npy
    expect 1 'given twice' "an input twice $mode" "$shardc" run add.mlir $mode --in=w=b.npy --in=w=w.npy
    expect 1 'input 1 \(b\) is missing' "an input is missing $mode" "$shardc" run add.mlir $mode --in=w=w.npy
    mkdir -p named numbered mixed lacking
    cp w.npy b.npy named && cp w.npy numbered/arg0.npy && cp b.npy numbered/in1.npy && cp w.npy mixed && cp b.npy mixed/arg1.npy && cp w.npy lacking
    for folder in named numbered mixed; do
        expect 0 '' "a folder $folder $mode" "$shardc" run add.mlir $mode --in-dir=$folder --expect=sum.npy
    done
    expect 1 'input 1: .*lacking/in1.npy.*No such file.*b.npy' "a folder that lacks one $mode" "$shardc" run add.mlir $mode --in-dir=lacking
    expect 0 '' "a folder and a file $mode" "$shardc" run add.mlir $mode --in-dir=lacking --in=b=b.npy --expect=sum.npy
    expect 1 'No such file' "no folder $mode" "$shardc" run add.mlir $mode --in-dir=nowhere
done
cp b.npy 'b=b.npy'
expect 0 '' "a file with = in its name" "$shardc" run add.mlir --in=w.npy '--in=b=b.npy' --expect=sum.npy
rm 'b=b.npy'
expect 0 '' "a pipe as an input of a dynamic program" sh -c \
    'sed s/2xf32/?xf32/g add.mlir >dynamic.mlir; cat w.npy | "$1" run dynamic.mlir --in=- --in=b.npy --expect=sum.npy' sh "$shardc"

# narrow types, as numpy saves those of ml_dtypes
for type in f8E5M2=f1 f8E5M2=V1 f8E4M3FN=V1 bf16=V2 i4=V1 ui4=V1; do
    code=${type#*=}
    numbers narrow.npy "|$code" '2,' "$(printf '\\001%.0s' $(seq $((2 * ${code#?}))))"
    echo "func.func @main(%a: tensor<2x${type%=*}>) -> tensor<2x${type%=*}> { return %a : tensor<2x${type%=*}> }" >narrow.mlir
    expect 0 '' "${type%=*} saved as $code" "$shardc" run narrow.mlir --in=narrow.npy --expect=narrow.npy
done
expect 1 "its elements are '.f1', expected f8E4M3FN" "f1 is another type" sh -c \
    'tr V f <narrow.npy >other.npy; sed "s/ui4/f8E4M3FN/g" narrow.mlir >other.mlir; "$1" run other.mlir --in=other.npy' sh "$shardc"

# archives: made by hand, stored
# little NUMBER BYTES: as printf's escapes
little() {
    local i n=$1
    for ((i = 0; i < $2; i++)); do
        printf '\\x%02x' $((n & 255))
        n=$((n >> 8))
    done
}
crc() { gzip -c "$1" | tail -c 8 | head -c 4 | od -An -tu4 | tr -d ' '; }
# archive FILE METHOD NAME=FILE...: a zip archive with stored (0) or deflated (8) entries.
archive() {
    local file=$1 method=$2 item name from at=0 count=0 size packed
    shift 2
    : >"$file"
    : >directory
    for item in "$@"; do
        name=${item%%=*}.npy from=${item#*=}
        size=$(wc -c <"$from")
        if [ "$method" = 8 ]; then gzip -nc "$from" | tail -c +11 | head -c -8 >packed; else cp "$from" packed; fi
        packed=$(wc -c <packed)
        head="$(little 20 2)$(little 0 2)$(little "$method" 2)$(little 0 4)$(little "$(crc "$from")" 4)$(little "$packed" 4)$(little "$size" 4)$(little ${#name} 2)$(little 0 2)"
        # shellcheck disable=SC2059
        { printf 'PK\x03\x04'; printf "$head"; printf %s "$name"; cat packed; } >>"$file"
        # shellcheck disable=SC2059
        { printf 'PK\x01\x02\x14\x00'; printf "$head"; printf "$(little 0 10)$(little $at 4)"; printf %s "$name"; } >>directory
        at=$(wc -c <"$file")
        count=$((count + 1))
    done
    cat directory >>"$file"
    # shellcheck disable=SC2059
    { printf 'PK\x05\x06'; printf "$(little 0 4)$(little $count 2)$(little $count 2)$(little "$(wc -c <directory)" 4)$(little "$at" 4)$(little 0 2)"; } >>"$file"
}
archive stored.npz 0 b=b.npy w=w.npy
archive deflated.npz 8 b=b.npy w=w.npy
archive positions.npz 0 arr_0=w.npy arr_1=b.npy
archive other.npz 0 b=b.npy c=w.npy
archive half.npz 0 b=b.npy
for kind in stored deflated positions; do
    expect 0 '' "an archive $kind" "$shardc" run add.mlir --in=$kind.npz --expect=sum.npy
    prints "^  w: f32\[2\], $kind.npz\[" "where it comes from"
done
expect 1 "no input 'c'" "an archive with another name" "$shardc" run add.mlir --in=other.npz
expect 1 'input 0 \(w\) is missing' "an archive that lacks one" "$shardc" run add.mlir --in=half.npz
expect 0 '' "an archive and a file" "$shardc" run add.mlir --in=half.npz --in=w.npy --expect=sum.npy
for kind in stored deflated; do
    size=$(wc -c <$kind.npz)
    for ((part = 30; part < size; part += 41)); do
        head -c $part $kind.npz >cut.npz
        expect 1 'cut.npz' "an archive $kind cut after $part bytes" "$shardc" run add.mlir --in=cut.npz
    done
    for ((at = 0; at < size; at += 13)); do
        byte=$(od -An -tu1 -j $at -N1 $kind.npz | tr -d ' ')
        cp $kind.npz flipped.npz
        # shellcheck disable=SC2059
        printf "\\x$(printf %x $((byte ^ (1 << (at % 8)))))" | dd of=flipped.npz bs=1 seek=$at conv=notrunc status=none
        expect 0,1 '' "an archive $kind with a bit flipped in byte $at" "$shardc" run add.mlir --in=flipped.npz
    done
done

# ---- numbers of other types, where they are the same

cat >types.mlir <<'EOF'
func.func @main(%f: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  return %f, %i : tensor<2xf32>, tensor<2xi32>
}
EOF
npy i32.npy '<i4' '2,' 8
numbers f64.npy '<f8' '2,' '\000\000\000\000\000\000\370\077\000\000\000\000\000\000\370\177'
numbers f64_inexact.npy '<f8' '2,' '\000\000\000\000\000\000\370\077\232\231\231\231\231\231\271\077'
numbers f64_large.npy '<f8' '2,' '\000\000\000\000\000\000\370\077\000\000\000\000\000\000\320\177'
numbers f16.npy '<f2' '2,' '\000\076\000\076'
numbers i64.npy '<i8' '2,' '\377\377\377\377\377\377\377\377\003\000\000\000\000\000\000\000'
numbers i64_large.npy '<i8' '2,' '\000\000\000\000\001\000\000\000\003\000\000\000\000\000\000\000'
numbers u32.npy '<u4' '2,' '\003\000\000\000\377\377\377\377'
numbers i8.npy '|i1' '2,' '\377\003'
numbers bool.npy '|b1' '2,' '\001\000'
for file in f64 f16; do
    expect 0 '' "$file for f32" "$shardc" run types.mlir --in=$file.npy --in=i32.npy
    prints 'f32\[2\]: 1.5' "$file for f32"
done
expect 1 'f64_inexact.npy: its element 1 is 0.1, which f32 does not have' "f64 that f32 does not have" "$shardc" run types.mlir --in=f64_inexact.npy --in=i32.npy
expect 1 'f64_large.npy: its element 1 is .*e\+30[0-9], which f32' "f64 too large for f32" "$shardc" run types.mlir --in=f64_large.npy --in=i32.npy
for file in i64 i8; do
    expect 0 '' "$file for i32" "$shardc" run types.mlir --in=w.npy --in=$file.npy
    prints 'i32\[2\]: -1, 3' "$file for i32"
done
expect 0 '' "bool for i32" "$shardc" run types.mlir --in=w.npy --in=bool.npy
expect 1 'its element 0 is 4294967296, which i32 does not have' "i64 too large for i32" "$shardc" run types.mlir --in=w.npy --in=i64_large.npy
expect 1 'its element 1 is 4294967295, which i32 does not have' "u32 too large for i32" "$shardc" run types.mlir --in=w.npy --in=u32.npy
expect 1 "its elements are '<i4', expected f32" "integers for floats" "$shardc" run types.mlir --in=i32.npy --in=i32.npy
expect 1 "its elements are '<f4', expected i32" "floats for integers" "$shardc" run types.mlir --in=w.npy --in=w.npy

# ---- comparisons

for with in interpret "$good" ./model.so; do
    expect 0 '' "compared with ${with##*/}" "$shardc" run "$good" "--compare=$with"
    prints '^compared with .*:$' "it says so"
    prints '^  result0: (the same, bit for bit|equal|largest difference)' "how far"
done
expect 0 '' "a library compared with its program" "$shardc" run model.so "--compare=$good" --compare=model.so
expect 1 'library cannot be evaluated' "a library compared with the evaluator" "$shardc" run model.so --compare=interpret
sed 's/tanh/sine/' "$good" >sine.mlir
expect 1 'output 0: [0-9]+ of 8 elements differ; the first at \[' "programs that differ" "$shardc" run "$good" --compare=sine.mlir
prints 'largest difference .*at \[.*relative' "how far"
expect 0 '' "programs that differ little enough" "$shardc" run "$good" --compare=sine.mlir --atol=1
expect 1 'other inputs' "a program with other inputs" "$shardc" run "$good" --compare=add.mlir
expect 1 'missing.mlir' "no program" "$shardc" run "$good" --compare=missing.mlir
expect 0 '' "compared on given inputs" "$shardc" run add.mlir --in=w.npy --in=b.npy --compare=interpret --expect=sum.npy
expect 0 '' "an evaluated program compared" "$shardc" run add.mlir --interpret --compare=add.mlir

echo 'func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf32> return %0 : tensor<4xf32> }' >quantized.mlir
expect 0 '' "quantised inputs are evaluated as such" "$shardc" run quantized.mlir --compare=interpret
echo 'func.func @main(%a: !stablehlo.future<tensor<4xf32>>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }' >future.mlir
for command in run "run --interpret" inspect explain "compile -o $out/m.so"; do
    # shellcheck disable=SC2086
    expect 77 'future.mlir:1:[0-9]+: error: argument 0 .*only tensors, tokens and tuples' "an argument that is no array: $command" "$shardc" $command future.mlir
done

# ---- shapes of dynamic programs

expect 1 'input-types' "no shapes: run" "$shardc" run dynamic.mlir
for command in "compile -o $out/m.so" inspect explain; do
    # shellcheck disable=SC2086
    expect 1 'input-types' "no shapes: $command" "$shardc" $command dynamic.mlir
done

# ---- profiles

expect 0 '' "a profile" "$shardc" run "$good" --profile=profile --repeat=5
prints 'mean of 5 executions' "of all executions"
sed -n '/ms   share/,/times are/p' "$scratch/stdout" | grep -E '^ *[0-9]' | awk '{ if ($1 == 0 && $2 == "0.0%") empty = 1; else if (empty && $2 != "0.0%") exit 1 }' || fail "a profile" "barriers before kernels"
grep -q '"executions": *5' profile.json || fail "a profile" "the JSON does not count executions"

# ---- checking functions

cat >helpers.mlir <<'EOF'
func.func @helper(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.negate %a : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @values() -> (tensor<2xi32>, tensor<i32>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = call @helper(%0) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[-1, -2]> : tensor<2xi32>
  %2 = stablehlo.constant dense<3> : tensor<i32>
  return %1, %2 : tensor<2xi32>, tensor<i32>
}
func.func @only_values() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.negate %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
func.func @verdict() -> tensor<i1> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.negate %0 : tensor<2xi32>
  %2 = stablehlo.constant dense<[-1, -2]> : tensor<2xi32>
  %3 = stablehlo.custom_call @check.eq(%2, %1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<i1>
  return %3 : tensor<i1>
}
func.func @token() -> !stablehlo.token {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  check.expect_eq_const %1, dense<[2, 4]> : tensor<2xi32>
  %2 = stablehlo.create_token : !stablehlo.token
  return %2 : !stablehlo.token
}
EOF
for mode in '' --native --interpret; do
    # shellcheck disable=SC2086
    expect 0 '' "functions with values $mode" "$shardc" test $mode helpers.mlir
    prints 'PASS helpers.mlir:values checks=1' "values $mode"
    prints 'PASS helpers.mlir:only_values checks=0' "values alone $mode"
    prints 'PASS helpers.mlir:token checks=1' "a token $mode"
    prints 'PASS helpers.mlir:verdict checks=1' "what a check returns $mode"
    prints_not 'helper:' "a function with arguments is no test $mode"
    # shellcheck disable=SC2086
    expect 77 '' "a main with arguments $mode" "$shardc" test $mode "$good"
    prints 'UNSUPPORTED .*good.mlir:main: it takes arguments' "it is no test $mode"
done

finish
