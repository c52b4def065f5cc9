#!/bin/sh
# tools/setup against a make-believe system: a folder of stub programs is the whole PATH, so that nothing is installed here.
# usage: setup_test.sh SOURCE_DIR
set -eu
setup=$1/tools/setup
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stubs=$scratch/bin
failures=0

# fresh_system: only what every system has.
fresh_system()
{
    rm -rf "$stubs" "$scratch"/*.log
    mkdir "$stubs"
    for tool in sh env sed id; do ln -s "$(command -v "$tool")" "$stubs/$tool"; done
    uid=0
}

stub() # NAME BODY
{
    printf '#!/bin/sh\n%s\n' "$2" >"$stubs/$1"
    chmod +x "$stubs/$1"
}

# debian MISSING...: every package is there but these; apt-get only notes how it was called.
debian()
{
    missing=" $* "
    stub dpkg-query "
        while [ \"\$1\" != -f ]; do shift; done
        shift 2
        for package in \"\$@\"; do
            case '$missing' in
            *\" \$package \"*) echo \"dpkg-query: no packages found matching \$package\" >&2 ;;
            *) printf '%s:installed ' \"\$package\" ;;
            esac
        done"
    stub apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>'$scratch/apt.log'"
}

run() # LEVEL...
{
    [ "$uid" = 0 ] || { rm "$stubs/id"; stub id "echo $uid"; }
    status=0
    env -u COULIS_NO_SETUP -u CC PATH="$stubs" "$stubs/sh" "$setup" "$@" >"$scratch/out.log" 2>&1 || status=$?
    [ -e "$scratch/apt.log" ] || : >"$scratch/apt.log"
}

check() # WHAT CONDITION...
{
    what=$1
    shift
    if ! "$@"; then
        echo "FAILED: $what"
        echo "  status $status; apt-get calls:"
        sed 's/^/    /' "$scratch/apt.log"
        echo "  output:"
        sed 's/^/    /' "$scratch/out.log"
        failures=$((failures + 1))
    fi
}
says() { grep -q -e "$1" "$scratch/out.log"; }
apt_says() { grep -q -e "$1" "$scratch/apt.log"; }
apt_calls() { [ "$(wc -l <"$scratch/apt.log")" -eq "$1" ]; }
exits() { [ "$status" -eq "$1" ]; }
not() { ! "$@"; }

fresh_system
run
check "no level is bad usage" exits 2
run everything
check "an unknown level is bad usage" exits 2
check "usage names the levels" says 'demo|test|full'

fresh_system
debian
for level in demo test full; do
    run $level
    check "nothing missing for $level: exit 0" exits 0
    check "nothing missing for $level: apt-get is not called" apt_calls 0
done

fresh_system
debian cmake libembree-dev libcmocka-dev
run demo
check "installing for demo works" exits 0
check "one update, one install" apt_calls 2
check "no questions, nothing recommended, only what is missing" \
    apt_says '^noninteractive .*install -y --no-install-recommends cmake libembree-dev *$'
run test
check "test also wants cmocka" apt_says 'install -y --no-install-recommends cmake libembree-dev libcmocka-dev *$'

# A package that was removed but not purged is still listed.
fresh_system
debian
stub dpkg-query 'printf "gcc:config-files libc6-dev:installed "'
run demo
check "a removed package counts as missing" apt_says 'recommends gcc make '

fresh_system
debian cmake
stub apt-get "echo \"\$*\" >>'$scratch/apt.log'; case \"\$*\" in *install*) exit 100 ;; esac"
run demo
check "a failed install stops with exit 1" exits 1
check "it says what is still missing" says 'CMake 3.22'

fresh_system
debian cmake
stub apt-get "echo \"\$*\" >>'$scratch/apt.log'; case \"\$*\" in *update*) exit 100 ;; esac"
run demo
check "a failed update does not hinder an install that works" exits 0

fresh_system
debian ffmpeg
uid=1000
run demo
check "neither root nor sudo: exit 1" exits 1
check "neither root nor sudo: apt-get is not called" apt_calls 0
check "neither root nor sudo: says what to run" says 'apt-get install --no-install-recommends ffmpeg'
stub sudo "echo sudo >>'$scratch/sudo.log'; exec \"\$@\""
run demo
check "with sudo: exit 0" exits 0
check "with sudo: update and install through it" [ "$(wc -l <"$scratch/sudo.log")" -eq 2 ]

# Not a Debian: says what is needed, or is content when all of it is there.
fresh_system
run demo
check "another system: exit 1" exits 1
for need in 'C17 compiler' 'CMake' 'pkg-config' 'Lua 5.4' 'HDF5' 'Embree 3' 'libpng' 'zlib' 'xxHash' 'ffmpeg'; do
    check "another system: names $need" says "$need"
done
for need in cmocka clang-format shellcheck; do
    check "another system, demo: does not ask for $need" not says "$need"
done
run test
for need in cmocka VTK Blender clang clang-format shellcheck; do
    check "another system, test: asks for $need" says "$need"
done
check "another system, test: does not ask for gdb" not says gdb
for tool in cc cmake make pkg-config ffmpeg; do stub "$tool" ''; done
run demo
check "another system with everything: exit 0" exits 0
stub pkg-config 'case "$*" in *hdf5*) exit 1 ;; esac'
stub cc 'exit 1'
run demo
check "another system without HDF5: exit 1" exits 1
check "another system without HDF5: says so" says HDF5
check "another system without HDF5: and nothing else" not says Lua

[ "$failures" -eq 0 ]
