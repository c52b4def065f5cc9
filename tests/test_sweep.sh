#!/bin/bash
# Sweeps and comparisons as a user meets them. usage: test_sweep.sh COULIS SOURCE_DIR
# Each check prints what it expected and what it got; the script ends with the number of failures.
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_sweep.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"

mkdir gallery
cat >gallery/drop.lua <<'LUA'
-- A small block of water falls into a tray
scene { title = "Drop", dimension = 2, method = "wcsph", spacing = 0.05, duration = 0.2, fps = 50 }
local water = material("water")
body { name = "tray", shape = shell { box { size = { 1, 0.6 } }, thickness = 0.1, open = true }, at = { 0, 0.3 } }
fluid { material = water, shape = box { size = { 0.6, 0.3 } }, at = { 0, 0.2 } }
LUA
# Slow enough to be killed within.
sed 's/spacing = 0.05/spacing = 0.02/; s/duration = 0.2/duration = 6/' gallery/drop.lua >gallery/long.lua

# A row of table.csv by the run's name; field ROW NUMBER.
row() { grep "^$2," "$1/table.csv"; }
field() { echo "$1" | cut -d, -f"$2"; }

# --- Faults: one line each, nothing written ---

# refused PATTERN ARGUMENTS...
refused()
{
    local pattern=$1
    shift
    ends 2 sweep "$@"
    has "sweep $*" "$pattern" stderr
    same "one fault: sweep $*" 1 "$(wc -l <stderr)"
    checks=$((checks + 1))
    [ ! -e never ] || fail "sweep $*: something was written"
}
ends 0 sweep --help
has "help" "usage: coulis sweep SCENE" stdout
ends 0 compare --help
refused "which scene" --set spacing=0.1,0.05 --out never
refused "what shall change" drop --out never
refused "^coulis sweep: --out: is missing" drop --set spacing=0.1,0.05
refused "did you mean 'spacing'" drop --set spacng=0.1,0.05 --out never
refused "did you mean 'wcsph'" drop --method dfsph,wcsp --out never
refused "not KEY=A,B,C" drop --set spacing --out never
refused "a value is empty" drop --set spacing=0.1,,0.05 --out never
refused "'0.1' is there twice" drop --set spacing=0.1,0.1 --out never
refused "given twice" drop --set spacing=0.1 --set spacing=0.05 --out never
refused "spacing.*-1" drop --set spacing=0.1,-1 --out never
refused "not both" drop --set spacing=0.1,0.05 --frames 3 --seconds 1 --out never
refused "did you mean --frames" drop --set spacing=0.1,0.05 --frmes 3 --out never
refused "key of this sweep 'spcing' .did you mean spacing" drop --set spacing=0.1,0.05 --over spcing --out never
hundred=$(seq -s, 1 100)
refused "100 x 100 are 10000 combinations, allowed are 1000; --max-runs" drop --set "water.viscosity=$hundred" \
    --set "speed=$hundred" --out never
refused "there is no|no such|cannot" nosuchscene --set spacing=0.1,0.05 --out never
echo text >never-a-folder
ends 2 sweep drop --set spacing=0.1,0.05 --out never-a-folder
has "a file as folder" "never-a-folder" stderr
mkdir -p taken/spacing=0.1
echo mine >taken/spacing=0.1/run.json
ends 2 sweep drop --set spacing=0.1,0.05 --out taken
has "a folder in the way" "taken/spacing=0.1: is in the way" stderr
same "it is left alone" mine "$(cat taken/spacing=0.1/run.json)"

# --- All combinations, table, orders ---

ends 0 sweep drop --set spacing=0.1,0.05,0.025 --method wcsph,dfsph --frames 5 --out grid --jobs 2 \
    --measure "kinetic_energy,mean potential_energy"
same "runs" 6 "$(count grid 'method=*[0-9]')"
same "rows" 7 "$(wc -l <grid/table.csv)"
has "order printed" "^\| wcsph \| kinetic_energy \| [0-9]" stdout
has "orders of all" "^dfsph,kinetic_energy,0.1,0.05,0.025," grid/orders.csv
for file in sweep.json table.md plot_wall.svg plot_kinetic_energy.svg plot_mean_potential_energy.svg; do
    checks=$((checks + 1))
    [ -s "grid/$file" ] || fail "grid/$file is missing"
done
# The run is that of coulis run, and the table has its last row.
ends 0 run drop --method dfsph --set spacing=0.05 --frames 5 --export none --out alone
one=$(row grid method=dfsph_spacing=0.05)
same "hash" "$(hash_of alone)" "$(field "$one" 11)"
same "finished" finished "$(field "$one" 4)"
energy=$(tail -1 alone/diagnostics.csv | cut -d, -f9)
same "last kinetic energy" "$energy" "$(python3 - <<'PY'
import csv
rows = {row["run"]: row for row in csv.DictReader(open("grid/table.csv"))}
print(rows["method=dfsph_spacing=0.05"]["kinetic_energy"])
PY
)"
# Richardson's order, from the table alone.
checks=$((checks + 1))
python3 - <<'PY' || fail "orders.csv: not what the table gives"
import csv, math
rows = list(csv.DictReader(open("grid/table.csv")))
found = {(row["group"], row["measure"]): row for row in csv.DictReader(open("grid/orders.csv"))}
for method in ("wcsph", "dfsph"):
    for measure in ("kinetic_energy", "mean potential_energy", "density_error_mean"):
        f = [float(row[measure]) for row in rows if row["method"] == method]
        order = found[method, measure]
        if f[0] == f[1] == f[2]:
            assert order["result"] == "the same" and order["order"] == "", order
            continue
        ratio = (f[0] - f[1]) / (f[1] - f[2])
        if ratio <= 0:
            assert order["result"] == "oscillates" and order["order"] == "", order
        else:
            assert abs(float(order["order"]) - math.log2(ratio)) < 1e-6, (order, math.log2(ratio))
PY

# Again: nothing is repeated. More values: only those are new. Other settings: a fault.
stamp() { stat -c '%n %Y %i' grid/method=*/run.json | sort; }
before=$(stamp)
ends 0 sweep drop --set spacing=0.1,0.05,0.025 --method wcsph,dfsph --frames 5 --out grid --quiet
same "nothing repeated" "$before" "$(stamp)"
ends 0 sweep drop --set spacing=0.2,0.1,0.05,0.025 --method wcsph,dfsph --frames 5 --out grid
same "two more" 8 "$(stamp | wc -l)"
same "the others as they were" "$before" "$(stamp | grep -v spacing=0.2)"
ends 2 sweep drop --set spacing=0.1,0.05 --method wcsph,dfsph --frames 6 --out grid
has "other frames" "begun with '--frames=5', now asked for with '--frames=6'" stderr
ends 2 sweep long --set spacing=0.1,0.05 --method wcsph,dfsph --frames 5 --out grid
has "other scene" "the scene 'long' is not the one" stderr
same "nothing lost" 8 "$(stamp | wc -l)"
ends 2 sweep drop --set spacing=0.1,0.05 --method wcsph,dfsph --frames 5 --out grid --measure kinetc_energy
has "measure" "did you mean 'kinetic_energy'" stderr
echo '{' >damaged.json && cp -r grid broken && cp damaged.json broken/sweep.json
ends 2 sweep drop --set spacing=0.1,0.05 --method wcsph,dfsph --frames 5 --out broken
has "damaged plan" "broken/sweep.json: is damaged" stderr

# Gauges of whoever measures: last and mean in the table.
printf 'time [s],p1 [Pa]\n0.1,4\n0.2,8\n' >grid/method=wcsph_spacing=0.1/gauges.csv
ends 0 sweep drop --set spacing=0.1,0.05 --method wcsph,dfsph --frames 5 --out grid
has "gauges" "p1 \[Pa\] \| mean p1 \[Pa\] \|" stdout
has "their values" "^\| wcsph \| 0.1 \| finished .* 8 \| 6 \|$" stdout

# Vectors as values, and a run that fails beside one that does not.
ends 0 sweep drop --set 'gravity=0,-9.81,0;0,-1.62,0' --frames 2 --out moons
same "two worlds" 2 "$(count moons 'gravity=*[0-9a-f]')"
cat >gallery/faulty.lua <<'LUA'
scene { title = "Fails late", dimension = 2, method = "wcsph", spacing = 0.05, duration = 0.1, fps = 50, seed = 1 }
fluid { material = material("water"), shape = box { size = { 0.3, 0.3 } }, at = { 0, 0.2 } }
at(0.03, function(world) if world:particle_count() > 20 then error("too many") end end)
LUA
ends 1 sweep faulty --set spacing=0.1,0.05 --out half
has "one fails" "^\| 0.05 \| failed" stdout
has "the other does not" "^\| 0.1 \| finished" stdout
has "why" "spacing=0.05.*too many" stderr

# --- Killed and gone on with ---

long=(long --set spacing="0.05,0.02" --frames 40 --checkpoint-every 2 --jobs 1 --threads 1 --out cut)
# stop_within SIGNAL: ends the sweep while its second run is under way; false when it was over before
stop_within()
{
    rm -rf cut
    start sweep "${long[@]}"
    wait_for cut/spacing=0.02/checkpoint.h5
    kill "-$1" "$pid" 2>/dev/null
    wait "$pid"
    code=$?
    # What it started ends by itself: after the frame, with a checkpoint.
    while [ -d cut/spacing=0.02 ] && ! flock -n cut/spacing=0.02 true; do sleep 0.05; done
    [ "$(tail -1 cut/spacing=0.02/diagnostics.csv | cut -d, -f1)" -lt 40 ]
}
# kills SIGNAL: cuts it short, if not at once then at a later try, and goes on with it
kills()
{
    local tries=1
    until stop_within "$1" || [ $tries -eq 10 ]; do tries=$((tries + 1)); done
    first=$(stat -c '%Y %i' cut/spacing=0.05/run.json)
    ends 0 sweep "${long[@]}"
    same "kill -$1: finished runs are not repeated" "$first" "$(stat -c '%Y %i' cut/spacing=0.05/run.json)"
    has "kill -$1: begun runs are known" "1 finished before, 1 begun before" stdout
    same "kill -$1: same state as in one go" "$(hash_of whole)" "$(hash_of cut/spacing=0.02)"
}
ends 0 run long --set spacing=0.02 --frames 40 --export none --out whole
kills INT
same "exit code of an interrupt" 1 $code
kills KILL

# --- Comparing ---

ends 0 run drop --method dfsph --set spacing=0.05 --frames 5 --out one
ends 0 run drop --method dfsph --set spacing=0.05 --frames 5 --threads 2 --out two
ends 0 run drop --method dfsph --set spacing=0.05 --set water.viscosity=2 --frames 5 --out three
ends 0 compare one two --same
has "same" "the states at the end are the same, to the bit" stdout
has "same frames" "particles are the same in all [0-9]+ frames" stdout
ends 1 compare one three --same
ends 0 compare one three
has "differ" "the states at the end differ" stdout
has "array" "particles/position +[0-9]+ of [0-9]+ differ, by at most [0-9.e-]+ m" stdout
has "first row" "first frame whose row of diagnostics.csv differs: 1$" stdout
has "first frame" "first frame whose particles differ 1: " stdout
ends 0 compare one alone
ends 0 compare grid/method=wcsph_spacing=0.1 grid/method=wcsph_spacing=0.05
has "a gauge of one" "^p1 \[Pa\] +8 +-" stdout
ends 2 compare one nowhere
has "no folder" "^nowhere: is not the folder of a run" stderr
ends 2 compare one gallery
has "no run" "^gallery: holds no run.json" stderr
ends 2 compare one
cp -r one torn && head -c 700 one/diagnostics.csv >torn/diagnostics.csv && echo '1,2' >>torn/diagnostics.csv
ends 2 compare one torn
has "damaged table" "torn/diagnostics.csv: row" stderr

echo "$checks checks, $failures failures"
exit $((failures > 0))
