#!/bin/bash
# What a run was made of, and the same run once more from its run.json. usage: test_provenance.sh COULIS SOURCE_DIR
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_provenance.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"

mkdir -p gallery/lib gallery/models
cat >gallery/lib/tank.lua <<'LUA'
return function(size) body { name = "tank", shape = shell { of = box { size = size }, thickness = 0.06, open = true } } end
LUA
cat >gallery/pool.lua <<'LUA'
scene { title = "Pool", dimension = 2, spacing = 0.03, duration = 0.2, fps = 30, seed = 7 }
require "lib.tank" ({ 0.6, 0.5 })
fluid { material = "water", shape = box { size = {0.3, 0.3} }, at = {-0.15 + 0.01 * math.random(), -0.1} }
LUA
cat >gallery/rain.lua <<'LUA'
scene { title = "Rain", dimension = 2, spacing = 0.03, duration = 0.2, fps = 25 }
require "lib.tank" ({ 0.6, 0.5 })
local oil = material("oil", { base = "water", viscosity = 0.2 })
emitter { material = oil, shape = disk { radius = 0.06 }, at = {0, 0.2}, direction = {0, -1}, speed = 1 }
every(0.05, function(world) world.store.beats = (world.store.beats or 0) + math.random() end)
LUA
cat >gallery/models/block.obj <<'OBJ'
v -0.1 -0.1 -0.1
v 0.1 -0.1 -0.1
v 0.1 0.1 -0.1
v -0.1 0.1 -0.1
v -0.1 -0.1 0.1
v 0.1 -0.1 0.1
v 0.1 0.1 0.1
v -0.1 0.1 0.1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
OBJ
cat >gallery/block.lua <<'LUA'
scene { title = "Block", spacing = 0.04, duration = 0.1 }
body { name = "block", shape = mesh { file = "models/block.obj" } }
fluid { material = "honey", shape = box { size = {0.16, 0.16, 0.16} }, at = {0, 0.19, 0} }
LUA

# --- What run.json has, and what lies beside it ---

ends 0 run pool --method wcsph --set water.viscosity=0.01 --frames 3 --export none --threads 1 --out first
same "the scene and what it requires" "lib pool.lua" "$(names first/scene | xargs)"
same "as they were" "" "$(diff -r first/scene/lib gallery/lib; diff first/scene/pool.lua gallery/pool.lua)"
for name in scene/pool.lua scene/lib/tank.lua log.txt run.json; do has "$name is listed" "^$name$" first/.coulis-files; done
cat >look.py <<'PY'
import json, re, sys
run = json.load(open("first/run.json"))
assert re.fullmatch(r"\d+\.\d+\.\d+", run["version"]), run["version"]
assert run["commit"] == "unknown" or re.fullmatch(r"[0-9a-f]{40}(-dirty)?", run["commit"]), run["commit"]
assert re.match(r"(gcc|clang) .*\(\w+\)$", run["compiler"]), run["compiler"]
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["date"]), run["date"]
assert run["command"][:3] == ["coulis", "run", "pool"] and "--export" in run["command"], run["command"]
assert run["set"] == ["water.viscosity=0.01"] and re.fullmatch(r"[0-9a-f]{16}", run["scene_hash"]), run["scene_hash"]
assert run["scene_files"] == ["pool.lua", "lib/tank.lua"], run["scene_files"]
parameters = run["parameters"]
assert parameters["scene"]["spacing"] == 0.03 and parameters["scene"]["seed"] == 7, parameters["scene"]
assert parameters["scene"]["depth"] > 0.2, "what was chosen is filled in"
assert parameters["sph"]["courant"] > 0, parameters["sph"]
assert parameters["materials"][0]["name"] == "water" and parameters["materials"][0]["viscosity"] == 0.01, parameters["materials"]
assert parameters["bodies"][0]["name"] == "tank" and "friction" in parameters["bodies"][0], parameters["bodies"]
assert any("wcsph" in line for line in run["chosen"]), run["chosen"]
PY
checks=$((checks + 1))
python3 look.py || fail "run.json"
has "the log begins with the command" "^20[0-9-]*T[0-9:]*Z coulis run pool --method wcsph" first/log.txt
has "and ends with the hash" "state hash $(hash_of first)" first/log.txt
ends 0 info first/run.json
has "info shows the parameters" "^  scene +.*spacing" stdout

# --- The same run again: six methods ---

repeat_of() # SCENE METHOD ARGUMENTS...
{
    local scene=$1 method=$2
    shift 2
    ends 0 run "$scene" --method "$method" --threads 1 --quiet --out "runs/$scene-$method" "$@"
    ends 0 run "runs/$scene-$method/run.json" --threads 2
    has "$scene by $method is the same" "^the same state hash as runs/$scene-$method/run.json" stdout
    same "$scene by $method" "$(hash_of "runs/$scene-$method")" "$(hash_of "runs/$scene-$method-repeat")"
    same "frames of $scene by $method" "$(cd "runs/$scene-$method" && cat particles_* | cksum)" \
        "$(cd "runs/$scene-$method-repeat" && cat particles_* | cksum)"
}
repeat_of pool dfsph
repeat_of pool iisph --frames 2 --set spacing=0.025
repeat_of pool pcisph --seconds 0.05 --fps 60
repeat_of rain wcsph
repeat_of rain mueller --set oil.viscosity=0.3
repeat_of block pvfs --export ply
same "the mesh is copied too" "block.obj" "$(names runs/block-pvfs/scene/models | xargs)"

# The original may be gone, or changed.
echo "-- changed" >>gallery/pool.lua
rm -r gallery/lib
ends 0 run first/run.json --out away --quiet
same "without the scene that it came from" "$(hash_of first)" "$(hash_of away)"
ends 0 run away/run.json --out farther --quiet
same "a repeat of a repeat" "$(hash_of first)" "$(hash_of farther)"
ends 0 run first/run.json --quiet
ends 0 run first/run.json --quiet
same "each into a new folder" "first-repeat first-repeat-2" "$(names . | grep first- | xargs)"
ends 0 run first/run.json --out away --export vtk --quiet
same "other outputs may be asked for" 4 "$(count away 'particles_*.vtp')"

# --- When it is not the same ---

cp -r first other
sed -i 's/"state_hash": "..../"state_hash": "0000/' other/run.json
ends 1 run other/run.json --out different
has "says so" "^warning: the state hash is $(hash_of first), that of other/run.json 0000.*made by coulis" stderr
has "and keeps it" '"is_same": false' different/run.json
cp -r first edited
echo "-- edited" >>edited/scene/pool.lua
ends 2 run edited/run.json --out never
has "an edited copy" "^edited/run.json: scene_hash: the scene's copy" stderr

# --- Damaged files, and options that would make it another run ---

for option in "--set spacing=0.05" "--method pvfs" "--fps 10" "--frames 2" "--seconds 1" "--resume first"; do
    # shellcheck disable=SC2086
    ends 2 run first/run.json $option --out never
    has "$option is refused" "^coulis run: ${option%% *}: " stderr
done
ends 2 run first/run.json --out first
has "not onto itself" "^coulis run: --out: " stderr
ends 2 run first/scene/pool.lua --out first
has "not from what would make way" "is the copy of an earlier run" stderr
same "it is still there" "$(hash_of away)" "$(hash_of first)"
damage() # WHAT PATTERN SED...
{
    mkdir -p damaged/scene && cp -r first/scene damaged/ && sed "$3" first/run.json >damaged/run.json
    ends 2 run damaged/run.json --out never
    has "$1" "$2" stderr
}
damage "cut off" "^damaged/run.json:[0-9]+" "5,99999d"
damage "no hash" "^damaged/run.json: state_hash: is missing" '/"state_hash"/d'
damage "a hash that is none" "^damaged/run.json: scene_hash: is damaged" 's/"scene_hash": "../"scene_hash": "xy/'
damage "no scene" "^damaged/run.json: scene_files: is missing" '/"scene_files"/d'
damage "a scene elsewhere" "^damaged/run.json: scene_files: is damaged" 's|"pool.lua"|"../../gallery/pool.lua"|'
damage "no arguments" "^damaged/run.json: arguments: is missing" '/"arguments"/d'
damage "unknown arguments" "^damaged/run.json: arguments: are damaged" 's/"--fps=/"--fsp=/'
damage "too many frames" "^damaged/run.json: frames: is damaged" 's/"frames": 3/"frames": 1e9/'
damage "several faults at once" "^damaged/run.json: arguments: " '/"state_hash"/d; /"arguments"/d'
has "several faults at once" "^damaged/run.json: state_hash: " stderr
rm -r damaged/scene
cp first/run.json damaged/run.json
ends 2 run damaged/run.json --out never
has "the copy is gone" "^damaged/scene/pool.lua: cannot be read" stderr
ends 2 run nothing/run.json --out never
echo "[1, 2]" >list.json
ends 2 run list.json --out never
has "a list" "^list.json: is not the run.json of a run" stderr
same "nothing was written" 0 "$(count . never)"

# A copy in the way that is not ours
mkdir -p taken/scene && echo mine >taken/scene/rain.lua
cp -r runs/rain-wcsph/scene again
ends 2 run again/rain.lua --out taken --frames 1
has "a stranger in the way" "^taken/scene/rain.lua: is there" stderr
same "and stays" "mine" "$(cat taken/scene/rain.lua)"

echo "$checks checks, $failures failed"
exit $((failures > 0))
