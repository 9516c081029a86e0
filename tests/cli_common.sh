# What the tests of the tools share; read by tests/cli*.sh in the root of the tree. SHARDC and SHARDC_OPT are the tools.
# shellcheck shell=bash
shardc=${SHARDC:-$PWD/build/release/shardc}
tree=$PWD
opt=${SHARDC_OPT:-$PWD/build/release/shardc-opt}
scratch=$(mktemp -d) || exit 1
disk=
trap '[ -z "$disk" ] || umount "$disk"; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
passed=0 failed=0 skipped=0
out=$scratch/out # where the tools may write; empty after every failure
mkdir "$out"
cd "$scratch" || exit 1

fail() {
    echo "FAIL $1: $2"
    head -3 "$scratch/stderr"
    failed=$((failed + 1))
}

# expect STATUS PATTERN NAME COMMAND...: the status (or one of several: 0,1,77), the pattern on standard error, nothing left in $out.
expect() {
    local statuses=$1 pattern=$2 name=$3 status left
    shift 3
    timeout 60 "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    status=$?
    left=$(ls -A "$out" 2>/dev/null)
    if [[ ,$statuses, != *,$status,* ]]; then
        fail "$name" "exit status $status, expected $statuses"
    elif grep -qE 'Sanitizer|runtime error|Assertion' "$scratch/stderr"; then
        fail "$name" "a mistake in the tool"
    elif [ -n "$pattern" ] && ! grep -qE -- "$pattern" "$scratch/stderr"; then
        fail "$name" "no message like '$pattern'"
    elif [ "$status" -ne 0 ] && [ -n "$left" ]; then
        fail "$name" "left behind: $left"
    else
        passed=$((passed + 1))
    fi
    rm -rf "$out"
    mkdir "$out"
}

# npy FILE DESCR SHAPE BYTES: an array of zeros in NumPy's format, with any header.
npy() {
    local header size
    header=$(printf "%-117s" "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }")
    size=$((${#header} + 1))
    {
        # shellcheck disable=SC2059
        printf "\\x93NUMPY\\x01\\x00\\x$(printf %x $((size & 255)))\\x$(printf %x $((size >> 8)))"
        echo "$header"
        head -c "$4" /dev/zero
    } >"$1"
}

# finish: the last line.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

good=$scratch/good.mlir
cat >"$good" <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.add %a, %b : tensor<4x2xf32>
  %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
END
