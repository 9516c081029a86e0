#!/bin/bash
# The installed package: every public header compiles alone, as C and as C++; a program is built against it with pkg-config and
# with CMake, and runs. SHARDC_BUILD is the build folder. The last line counts.
cd "$(dirname "$0")/.." || exit 1
build=${SHARDC_BUILD:-$PWD/build/release}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$scratch/log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        head -20 "$scratch/log"
        failed=$((failed + 1))
    fi
}

check install cmake --install "$build" --prefix "$scratch/usr"
cat >"$scratch/program.c" <<'END'
#include <shardc/shardc.h>
int main(void) { return shardc_status_code(0) == SHARDC_OK ? 0 : 1; }
END
for header in "$scratch"/usr/include/shardc/*.h; do
    name=shardc/$(basename "$header")
    echo "#include <$name>" | tee "$scratch/alone.c" >"$scratch/alone.cc"
    check "$name as C" cc -std=c99 -Wall -Wextra -pedantic -Werror -I"$scratch/usr/include" -fsyntax-only "$scratch/alone.c"
    if command -v c++ >/dev/null; then
        check "$name as C++" c++ -std=c++11 -Wall -Wextra -Werror -I"$scratch/usr/include" -fsyntax-only "$scratch/alone.cc"
    fi
done

sanitize=$(sed -n 's/^SHARDC_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt" | tr ';' ',')
flags=${sanitize:+-fsanitize=$sanitize}
pc=$(find "$scratch/usr" -name shardc.pc)
lib=$(dirname "$(dirname "$pc")")
if command -v pkg-config >/dev/null; then
    # shellcheck disable=SC2046,SC2086
    check "build with pkg-config" cc $flags "$scratch/program.c" -o "$scratch/program" \
        $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs shardc)
    check "run" env LD_LIBRARY_PATH="$lib" "$scratch/program"
fi
cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(shardc 0.1 REQUIRED)
add_executable(user program.c)
target_link_libraries(user PRIVATE shardc::shardc)
END
check "find_package" cmake -G Ninja -S "$scratch" -B "$scratch/b" -DCMAKE_PREFIX_PATH="$scratch/usr" -DCMAKE_C_FLAGS="$flags"
check "build with CMake" cmake --build "$scratch/b"
check "run" "$scratch/b/user"

# The examples, as their README builds them: three programs on the library, one on a model that shardc compiled.
examples=$scratch/examples
check "find_package for the examples" cmake -G Ninja -S examples -B "$examples" -DCMAKE_PREFIX_PATH="$scratch/usr" \
    -DCMAKE_C_FLAGS="$flags"
check "build the examples" cmake --build "$examples"
check "run the example build" "$examples/build"
check "run the example jit" "$examples/jit"
check "run the example train" "$examples/train" examples/mlp_train.mlir
check "run the example aot" "$examples/aot"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
