#!/bin/sh
# Users of an installed Coulis, with nothing from the tree but their own source.
#   consumer_test.sh install SOURCE_DIR PREFIX BUILD_DIR     installs into PREFIX, by way of another folder
#   consumer_test.sh USER SOURCE_DIR PREFIX CC CXX           builds and runs one user: c, valgrind, static, cxx, python or studio
set -eu
user=$1
tests=$2/tests
prefix=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

if [ "$user" = install ]; then
    rm -rf "$prefix" "$prefix.first"
    cmake --install "$4" --prefix "$prefix.first" >"$scratch/log" || {
        cat "$scratch/log"
        fail "cmake --install"
    }
    mv "$prefix.first" "$prefix"
    exit 0
fi

cc=$4
cxx=$5
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name coulis.pc)")
library_dir=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH
strict="-Wall -Wextra -Werror -pedantic"
cd "$scratch"

# The loader takes the libraries from the prefix, and finds none missing.
check_loads() # PROGRAM LIBRARY...
{
    program=$1
    shift
    ldd "$program" >ldd.log
    if grep 'not found' ldd.log; then fail "$program misses libraries"; fi
    for library; do
        grep -q "$library.so.0 => $library_dir/" ldd.log || fail "$program does not use $library.so.0 of the prefix"
    done
}

# The README's program with the shared library.
build_readme()
{
    # shellcheck disable=SC2046,SC2086
    "$cc" -std=c17 $strict "$tests/readme_snippet.c" -o readme $(pkg-config --cflags --libs coulis)
    [ "$(pkg-config --libs coulis | wc -w)" -eq 2 ] || fail "users of the shared library are told more than -L and -lcoulis"
}

# 15 frames; the drop's centre goes down and stays above the ground.
check_readme() # FILE
{
    awk '{ y = $5; if (NR == 1) first = y } END { exit !(NR == 15 && y < first - 0.05 && y > 0) }' "$1" || {
        cat "$1"
        fail "the drop did not fall as it should"
    }
}

LD_LIBRARY_PATH=$library_dir
export LD_LIBRARY_PATH
case $user in
c)
    build_readme
    check_loads ./readme libcoulis
    ./readme >out.log
    check_readme out.log
    ;;
valgrind)
    build_readme
    valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect,possible \
        --errors-for-leak-kinds=definite,indirect,possible \
        --error-exitcode=9 ./readme >out.log || fail "valgrind ends with $?"
    check_readme out.log
    ;;
static)
    # shellcheck disable=SC2046
    "$cc" -std=c17 "$tests/readme_snippet.c" -o readme \
        $(pkg-config --static --cflags --libs coulis | sed 's/-lcoulis /-l:libcoulis.a /')
    if ldd readme | grep libcoulis; then fail "the program was to be without the shared library"; fi
    LD_LIBRARY_PATH='' ./readme >out.log
    check_readme out.log
    ;;
cxx)
    for header in "$prefix"/include/coulis/*.h; do
        grep -q "#include <coulis/$(basename "$header")>" "$tests/consumer.cpp" || fail "consumer.cpp leaves out $header"
    done
    # shellcheck disable=SC2046,SC2086
    "$cxx" -std=c++17 $strict "$tests/consumer.cpp" -o cxx $(pkg-config --cflags --libs coulis-studio)
    check_loads ./cxx libcoulis libcoulis-studio
    ./cxx
    ;;
python)
    /usr/bin/python3 "$tests/consumer.py" "$prefix/include" "$library_dir/libcoulis.so" "$cc"
    ;;
studio)
    # shellcheck disable=SC2046,SC2086
    "$cc" -std=c17 $strict "$tests/consumer_studio.c" -o studio $(pkg-config --cflags --libs coulis-studio) -lm
    check_loads ./studio libcoulis libcoulis-studio
    ./studio "$(cd "$prefix" && pwd)/share/coulis/scenes" "$scratch"
    ;;
*) fail "no such user: $user" ;;
esac
