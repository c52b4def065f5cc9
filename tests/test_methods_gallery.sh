#!/bin/bash
# Every scene of the gallery that is made of liquids runs with every method.
# usage: test_methods_gallery.sh COULIS SOURCE_DIR [SCENE...]
# Two frames each, so coarse that a run takes about half a second. A run must end with code 0 and leave two frames of sound
# numbers. SCENE narrows it down, FRAMES asks for more than two.
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir/scenes" ]; then
    echo "usage: test_methods_gallery.sh COULIS SOURCE_DIR [SCENE...]"
    exit 1
fi
shift 2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
export COULIS_SCENES=$source_dir/scenes LC_ALL=C OMP_WAIT_POLICY=passive
frames=${FRAMES:-2}
failures=0
runs=0

# Springs are for pvfs alone.
with_springs=" bunny-sequence dented-ball elastic-block moulded-figure mud-jet plastic-row syrup-coil two-liquids "

# Periods are for the others.
with_periods=" xsph-pair "

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# coarse SCENE: at least twice the scene's spacing, and about 600 particles where there are more at the start. The walls of the
# ball's closed room bear no more than 0.17 m.
coarse()
{
    [[ $1 == levitation-* ]] && echo 0.17 && return
    local particles spacing dimension
    particles=$("$coulis" check "$1" | sed -n 's/^particles *\([0-9 ]*\) at the start.*/\1/p' | tr -d ' ')
    spacing=$(grep -oE 'spacing = [0-9.]+' "$source_dir/scenes/$1.lua" | head -n 1 | cut -d ' ' -f 3)
    dimension=$(grep -oE 'dimension = [23]' "$source_dir/scenes/$1.lua" | cut -d ' ' -f 3)
    awk -v n="$particles" -v d="$spacing" -v dimension="${dimension:-3}" \
        'BEGIN { factor = (n / 600)^(1 / dimension); print d * (factor > 2 ? factor : 2) }'
}

# What is wrong with the numbers of a run, if anything. Half the density off in the mean is no liquid any more.
faults_of()
{
    awk -F , -v frames="$frames" '
        NR == 1 { for (i = 1; i <= NF; ++i) name[i] = $i; next }
        {
            for (i = 1; i <= NF; ++i) {
                if ($i !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) print "frame " $1 ": " name[i] " is " $i
                if (name[i] == "density_error_mean" && $i > 0.5) print "frame " $1 ": the mean density error is " $i
            }
        }
        END { if (NR != frames + 1) print "expected " frames " frames, got " NR - 1 }' "$1"
}

methods=$("$coulis" list methods --names)
[ "$(echo "$methods" | grep -cE '^(pvfs|mueller|sesph|wcsph|pcisph|iisph|dfsph)$')" -eq 7 ] ||
    fail "expected seven methods, got: $methods"
scenes=${*:-$("$coulis" list scenes --names)}
for scene in $scenes; do
    [[ $with_springs == *" $scene "* ]] && continue
    spacing=$(coarse "$scene")
    for method in $methods; do
        [[ $method == pvfs && $with_periods == *" $scene "* ]] && continue
        "$coulis" run "$scene" --method "$method" --set "spacing=$spacing" --frames "$frames" --threads 1 --export none --quiet \
            --out "$here/out" >/dev/null 2>"$here/stderr" </dev/null
        code=$?
        runs=$((runs + 1))
        if [ $code -ne 0 ]; then
            fail "$scene with $method at $spacing m: expected exit code 0, got $code: $(head -c 600 "$here/stderr")"
        else
            faults=$(faults_of "$here/out/diagnostics.csv")
            [ -z "$faults" ] || fail "$scene with $method at $spacing m: $faults"
        fi
        rm -rf "$here/out"
    done
done
[ $runs -ge 7 ] || fail "only $runs runs"
echo "$runs runs, $failures failures"
[ $failures -eq 0 ]
