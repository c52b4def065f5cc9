#!/bin/sh
# An installed Coulis is whole, and CMake projects can use it, also after the prefix was moved; the installed program finds its
# scenes. Users by pkg-config are in consumer_test.sh. usage: install_test.sh SOURCE_DIR BUILD_DIR CC
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

for file in include/coulis/coulis.h include/coulis/studio.h bin/coulis share/doc/*/LICENSE share/man/man1/coulis.1 \
    share/zsh/site-functions/_coulis share/fish/vendor_completions.d/coulis.fish; do
    # shellcheck disable=SC2086
    [ -s $prefix/$file ] || fail "$file is not installed"
done
package_dir=$(dirname "$(find "$prefix" -name coulisConfig.cmake)")
pc_dir=$(dirname "$(find "$prefix" -name coulis.pc)")
if grep -r -l -e "$source_dir" -e "$build_dir" -e "$scratch/first" "$package_dir" "$pc_dir"; then
    fail "the files above name a folder of this build"
fi

# Both libraries, static and shared: libNAME.so -> libNAME.so.MAJOR -> libNAME.so.VERSION, which look
# for each other where they are.
library_dir=$(dirname "$pc_dir")
for name in coulis coulis-studio; do
    version=$(PKG_CONFIG_PATH=$pc_dir pkg-config --modversion "$name")
    grep -q "COU_VERSION \"$version\"" "$prefix/include/coulis/base.h" || fail "$name.pc has version $version, base.h another"
    [ -s "$library_dir/lib$name.a" ] || fail "lib$name.a is not installed"
    soname=lib$name.so.${version%%.*}
    [ "$(readlink "$library_dir/lib$name.so")" = "$soname" ] || fail "lib$name.so does not lead to its soname"
    [ "$(readlink "$library_dir/$soname")" = "lib$name.so.$version" ] || fail "the soname does not lead to $version"
    if readelf -d "$library_dir/lib$name.so" | grep -e RUNPATH -e RPATH | grep -e "$source_dir" -e "$build_dir"; then
        fail "lib$name.so looks for libraries in the build"
    fi
done

# CMake: shared as it comes, static when asked for; the studio likewise.
mkdir "$scratch/user"
cp "$source_dir/tests/readme_snippet.c" "$scratch/user/main.c"
cat >"$scratch/user/studio.c" <<'END'
#include <coulis/studio.h>
#include <stdio.h>

int main(void)
{
    couFaults faults = {0};
    couScene *scene = couLoadScene("drop-splash", NULL, &faults);
    printf("%s\n", scene ? couScene_Title(scene) : faults.items[0].message);
    couCloseScene(scene);
    couFaults_Clear(&faults);
}
END
cat >"$scratch/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(coulis 0.1 REQUIRED COMPONENTS studio)
add_executable(shared main.c)
target_link_libraries(shared PRIVATE coulis::coulis)
add_executable(studio_shared studio.c)
target_link_libraries(studio_shared PRIVATE coulis::studio)
find_package(coulis 0.1 REQUIRED COMPONENTS static)
add_executable(static main.c)
target_link_libraries(static PRIVATE coulis::coulis_static)
add_executable(studio_static studio.c)
target_link_libraries(studio_static PRIVATE coulis::studio_static)
END
if ! { cmake -S "$scratch/user" -B "$scratch/user/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$scratch/user/build"; } >"$scratch/cmake.log" 2>&1; then
    cat "$scratch/cmake.log"
    fail "a CMake project could not use the package"
fi
cd "$scratch/user/build"
for program in shared studio_shared static studio_static; do
    ./$program >$program.log || fail "$program ends with $?"
    uses=no
    ! ldd ./$program | grep -q libcoulis || uses=yes
    case $program:$uses in
    *shared:no | *static:yes) fail "$program: uses the shared library: $uses" ;;
    esac
done
check_output shared.log
cmp shared.log static.log || fail "the shared and the static library do not agree"
grep -q -i drop studio_shared.log || fail "the studio did not find its scene: $(cat studio_shared.log)"
cmp studio_shared.log studio_static.log || fail "the shared and the static studio do not agree"

# The program, away from the tree.
cd "$scratch"
"$prefix/bin/coulis" --version | grep -q "$version" || fail "coulis --version does not say $version"
for scene in "$source_dir"/scenes/*.lua; do
    name=$(basename "$scene" .lua)
    [ -s "$prefix/share/coulis/scenes/$name.lua" ] || fail "scene $name is not installed"
done
COULIS_SCENES=$prefix/share/coulis/scenes "$prefix/bin/coulis" list scenes | grep -q honey-on-bunny ||
    fail "the installed program does not find its scenes"
cmp "$prefix/share/coulis/blender/coulis_import.py" "$source_dir/tools/blender/coulis_import.py" ||
    fail "the script for Blender is not installed"
[ ! -e "$source_dir/tools/completion.bash" ] || [ -s "$prefix/share/bash-completion/completions/coulis" ] ||
    fail "the bash completion is not installed"
