# shellcheck shell=bash disable=SC2154 # `coulis` is set by who sources this
# What the tests of the program share; sourced with `coulis` and `source_dir` set. Goes to an empty folder, which is removed at
# the end.
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
export COULIS_SCENES=$here/gallery LC_ALL=C OMP_WAIT_POLICY=passive
failures=0
checks=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# same WHAT EXPECTED GOT
same()
{
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# has WHAT PATTERN FILE
has()
{
    checks=$((checks + 1))
    grep -qE -- "$2" "$3" || fail "$1: no line matches '$2' in: $(head -c 2000 "$3")"
}

# ends CODE ARGUMENTS...: runs the program; leaves stdout and stderr in files of that name
ends()
{
    local code=$1
    shift
    "$coulis" "$@" >stdout 2>stderr </dev/null
    local got=$?
    checks=$((checks + 1))
    [ $got -eq "$code" ] || fail "coulis $*: expected exit code $code, got $got: $(tail -c 2000 stderr)"
}

value() { sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1"; }
hash_of() { value "$1/run.json" state_hash; }
names() { find "$1" -mindepth 1 -maxdepth 1 ! -name '.*' -printf '%f\n' 2>/dev/null | sort; }
count() { find "$1" -maxdepth 1 -name "$2" 2>/dev/null | wc -l; }

# start ARGUMENTS...: in the background; wait_for FILE: until it is there, however long a busy machine takes
start() { "$coulis" "$@" >stdout 2>stderr </dev/null & pid=$!; }
wait_for()
{
    until [ -e "$1" ]; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    [ -e "$1" ] || fail "$1 did not appear: $(tail -c 1000 stderr)"
}
