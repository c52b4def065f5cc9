#!/bin/sh
# An installed Coulis can be used: a program outside of the tree builds against it with CMake and with pkg-config, also after the
# prefix was moved, and the installed program finds its scenes.
# usage: install_test.sh SOURCE_DIR BUILD_DIR CC
set -eu
source_dir=$1
build_dir=$2
compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# The drop of the README falls: 15 frames, its centre goes down and stays above the ground.
check_output() # FILE
{
    awk '{ y = $5; if (NR == 1) first = y } END { exit !(NR == 15 && y < first - 0.05 && y > 0) }' "$1" || {
        cat "$1"
        fail "the drop did not fall as it should ($1)"
    }
}

cmake --install "$build_dir" --prefix "$scratch/first" >"$scratch/install.log" || {
    cat "$scratch/install.log"
    fail "cmake --install"
}
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix

for file in include/coulis/coulis.h include/coulis/world.h bin/coulis share/doc/*/LICENSE; do
    # shellcheck disable=SC2086
    [ -s $prefix/$file ] || fail "$file is not installed"
done
package_dir=$(dirname "$(find "$prefix" -name coulisConfig.cmake)")
pc_dir=$(dirname "$(find "$prefix" -name coulis.pc)")
if grep -r -l -e "$source_dir" -e "$build_dir" -e "$scratch/first" "$package_dir" "$pc_dir"; then
    fail "the files above name a folder of this build"
fi

# pkg-config
PKG_CONFIG_PATH=$pc_dir
export PKG_CONFIG_PATH
version=$(pkg-config --modversion coulis)
grep -q "COU_VERSION \"$version\"" "$prefix/include/coulis/base.h" || fail "coulis.pc has version $version, base.h another"
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Werror "$source_dir/tests/readme_snippet.c" -o "$scratch/by_pkg_config" \
    $(pkg-config --cflags --libs coulis)
"$scratch/by_pkg_config" >"$scratch/by_pkg_config.log"
check_output "$scratch/by_pkg_config.log"

# CMake
mkdir "$scratch/user"
cp "$source_dir/tests/readme_snippet.c" "$scratch/user/main.c"
cat >"$scratch/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(coulis 0.1 REQUIRED)
add_executable(by_cmake main.c)
target_link_libraries(by_cmake PRIVATE coulis::coulis)
END
if ! { cmake -S "$scratch/user" -B "$scratch/user/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$scratch/user/build"; } >"$scratch/cmake.log" 2>&1; then
    cat "$scratch/cmake.log"
    fail "a CMake project could not use the package"
fi
"$scratch/user/build/by_cmake" >"$scratch/by_cmake.log"
cmp "$scratch/by_pkg_config.log" "$scratch/by_cmake.log" || fail "the two programs do not agree"

# The headers are C++ as well, where there is a C++ compiler.
if command -v c++ >/dev/null; then
    echo '#include <coulis/coulis.h>' | c++ -std=c++17 -Wall -Wextra -Werror -I"$prefix/include" -x c++ -fsyntax-only -
fi

# The program, away from the tree.
cd "$scratch"
"$prefix/bin/coulis" --version | grep -q "$version" || fail "coulis --version does not say $version"
for scene in "$source_dir"/scenes/*.lua; do
    name=$(basename "$scene" .lua)
    [ -s "$prefix/share/coulis/scenes/$name.lua" ] || fail "scene $name is not installed"
done
COULIS_SCENES=$prefix/share/coulis/scenes "$prefix/bin/coulis" list scenes | grep -q honey-on-bunny ||
    fail "the installed program does not find its scenes"
[ ! -e "$source_dir/tools/completion.bash" ] || [ -s "$prefix/share/bash-completion/completions/coulis" ] ||
    fail "the bash completion is not installed"
