#!/usr/bin/env bash
# gauges.csv as a run writes it: the same from any number of threads and from a run that was cut short and resumed, a jet's flow,
# bad gauges; and coulis measure on the frames, also on frames without anything but positions.
# usage: test_gauges_program.sh COULIS SOURCE_DIR
coulis=$1
source_dir=$2
# shellcheck source=tests/program_helpers.sh
. "$source_dir/tests/program_helpers.sh"

cat >jet.lua <<'END'
scene { dimension = 2, method = "dfsph", spacing = 0.01, duration = 0.6, fps = 20, gravity = { 0, 0, 0 } }
body { name = "wall", shape = box { size = { 0.1, 1 } }, at = { 1.05, 0.1 } }
emitter { material = "water", shape = disk { radius = 0.05 }, at = { 0, 0.1 }, direction = { 1, 0 }, speed = 1 }
sink { shape = box { size = { 0.2, 2 } }, at = { 0.8, 0 } }
gauge { name = "q", polygon = { { 0.1, -1 }, { 0.1, 1 } }, every = 0.04 }
gauge { name = "v", what = "velocity", at = { 0.05, 0.1 }, every = 0.017 }
gauge { name = "inside", what = "volume", shape = box { size = { 0.2, 1 } }, at = { 0.2, 0.1 }, every = 0.05 }
gauge { name = "f", body = "wall", every = 0.03 }
every(0.25, function(world) world:record("twice", 2 * (world:gauge("q") or 0)) end)
END
python=$(command -v python3)

# --- A run ---
ends 0 run ./jet.lua --out whole --threads 1
has "the progress shows gauges" 'q [0-9.e+-]+ m\^2/s' stderr
has "what was written" 'gauges.csv gauges.svg' stdout
same "the columns" "time,q,q_total,v_x,v_y,v_support,inside,inside_count,f_x,f_y,twice" "$(head -1 whole/gauges.csv)"
has "units" '"name": "q_total", "unit": "m\^2"' whole/gauges.json
has "a plot" '<polyline' whole/gauges.svg
# After the jet has reached the window: 0.1 m^2/s.
flow=$("$python" - <<'END'
import csv
rows = [row for row in csv.DictReader(open("whole/gauges.csv")) if row["q"] != "nan"]
first, last = next(r for r in rows if float(r["time"]) > 0.19), rows[-1]
rate = (float(last["q_total"]) - float(first["q_total"])) / (float(last["time"]) - float(first["time"]))
speeds = [float(r["v_x"]) for r in csv.DictReader(open("whole/gauges.csv")) if r["v_x"] != "nan"]
good = abs(rate - 0.1) < 0.001 and abs(speeds[-1] - 1) < 0.01
print("good" if good else f"{rate} m^2/s, {speeds[-1]} m/s")
END
)
same "flow of the jet within 1 %" good "$flow"

# --- Threads, resume ---
ends 0 run ./jet.lua --out threads --threads 3 --quiet
same "three threads" "$(cat whole/gauges.csv)" "$(cat threads/gauges.csv)"
ends 0 run ./jet.lua --out parts --frames 5 --quiet
echo "0.9999,1,2,3" >>parts/gauges.csv # of steps behind the checkpoint, which a kill left
ends 0 run --resume parts --frames 12 --quiet
same "cut and resumed" "$(cat whole/gauges.csv)" "$(cat parts/gauges.csv)"
same "cut and resumed: plots" "$(cat whole/gauges.svg)" "$(cat parts/gauges.svg)"
same "cut and resumed: state" "$(hash_of whole)" "$(hash_of parts)"

# --- Bad gauges ---
sed 's/every = 0.04/every = 0/; s/body = "wall", every/body = "wal", every/' jet.lua >bad.lua
ends 2 run ./bad.lua --out bad
has "a rate of 0" 'bad.lua:5: gauge.every: ' stderr
ends 2 check ./bad.lua
same "nothing is written" "" "$(names bad)"

# --- Measured afterwards ---
ends 0 measure whole --scene ./jet.lua --out later
compared=$("$python" - <<'END'
import csv
live = {round(float(r["time"]), 6): r for r in csv.DictReader(open("whole/gauges.csv"))}
faults = count = 0
for row in csv.DictReader(open("later/gauges.csv")):
    own = live.get(round(float(row["time"]), 6))
    if own is None or own["inside"] == "nan":
        continue
    count += 1
    faults += abs(float(own["inside"]) - float(row["inside"])) > 1e-6
    faults += row["f_x"] != "nan"
rows = list(csv.DictReader(open("later/gauges.csv")))
flow = float(rows[-1]["q_total"]) - float(rows[4]["q_total"])
flow /= float(rows[-1]["time"]) - float(rows[4]["time"])
print("good" if count >= 8 and not faults and abs(flow - 0.1) < 0.003 else f"{count} compared, {faults} faults, flow {flow}")
END
)
same "measured afterwards" good "$compared"
ends 2 measure whole --scene ./jet.lua
has "the run's own table stays" "the run's own" stderr
ends 2 measure whole --out bad --gauge 'what = "level", line = {{0, 0}, {0, 0}}'
has "a bad gauge" 'gauge.line: its two points are the same' stderr
ends 2 measure whole --out bad
ends 2 measure whole --out bad --section w=3
same "nothing is written" "" "$(names bad)"
ends 0 measure whole --out section --section z=0 --cell 0.02 --gauge 'name = "s", what = "speed", at = {0.05, 0.1}'
has "a section" '<ImageData WholeExtent' section/section_000012.vti
has "a section as a table" '^x,y,z,support,velocity_x' section/section_000012.csv

# Another program's points, with absolute densities and masses.
"$python" - <<'END'
import os
os.makedirs("other")
for frame in range(3):
    points = [(0.1 * i + 0.05, 0.1 * j + 0.05) for i in range(20) for j in range(10 + frame)]
    with open(f"other/dump_{frame}.vtk", "w") as out:
        out.write(f"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS {len(points)} float\n")
        out.writelines(f"{x} {y} 0\n" for x, y in points)
        out.write(f"POINT_DATA {len(points)}\nSCALARS density float 1\nLOOKUP_TABLE default\n" + "998\n" * len(points))
        out.write("SCALARS pressure float 1\nLOOKUP_TABLE default\n" + "".join(f"{5000 - 1000 * y}\n" for x, y in points))
        out.write("SCALARS mass float 1\nLOOKUP_TABLE default\n" + "9.98\n" * len(points))
END
ends 0 measure other --density 998 --fps 2 --gauge 'name = "p", at = {1, 0.33}' \
    --gauge 'name = "h", what = "level", line = {{1, 0.1}, {1, 3}}' \
    --gauge 'name = "m", what = "mass", shape = box { size = {4, 4} }' --gauge 'name = "rho", what = "density", at = {1, 0.5}'
numbers=$("$python" - <<'END'
import csv
rows = list(csv.DictReader(open("other/gauges.csv")))
ok = len(rows) == 3 and float(rows[2]["time"]) == 1.0
for frame, row in enumerate(rows):
    ok &= abs(float(row["p"]) - 4670) < 1 and abs(float(row["h"]) + 0.1 - (1 + 0.1 * frame)) < 0.01
    ok &= abs(float(row["m"]) - 9.98 * 20 * (10 + frame)) < 0.1 and abs(float(row["rho"]) - 998) < 0.1
print("good" if ok else rows)
END
)
same "another program's frames" good "$numbers"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
