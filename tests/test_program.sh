#!/bin/bash
# The program as a user meets it. usage: test_program.sh COULIS SOURCE_DIR
# Each check prints what it expected and what it got; the script ends with the number of failures.
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_program.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"

mkdir gallery
cat >gallery/splash.lua <<'LUA'
-- Two blocks falling into a box
scene { title = "Splash", spacing = 0.03, duration = 0.5, fps = 30, seed = 4 }
local water = material("water")
local honey = material("honey", { viscosity = 2 })
body { name = "tank", shape = shell { of = box { size = {0.4, 0.4, 0.4} }, thickness = 0.02, open = true }, at = {0, 0.2, 0} }
local function swing(t) return { at = {0.1 * math.sin(6 * t), 0.06, 0} } end
body { name = "paddle", shape = sphere { radius = 0.05 }, motion = swing }
fluid { material = water, shape = box { size = {0.18, 0.18, 0.18} }, at = {-0.09, 0.25, 0} }
fluid { material = honey, shape = box { size = {0.12, 0.12, 0.12} }, at = {0.1, 0.25, 0} }
emitter { material = water, shape = disk { radius = 0.04 }, at = {0, 0.55, 0}, direction = {0, -1, 0}, speed = 1.5, start = 0.1 }
every(0.1, function(world) world.store.beats = (world.store.beats or 0) + 1 end)
at(0.3, function(world) world:stop_emitters() end)
LUA
# Slow enough to be interrupted.
sed 's/spacing = 0.03/spacing = 0.012/; s/duration = 0.5/duration = 20/' gallery/splash.lua >gallery/long.lua
cat >bad.lua <<'LUA'
-- A scene with three faults
scene { title = "Bad", spacing = -0.01, duration = 1 }
local water = material("watr")
body { shape = box { size = {1, 1, 1} }, frction = 1 }
LUA

# --- Usage ---

ends 2
has "usage" "usage: coulis" stderr
ends 0 --help
has "help names run" "^ +run " stdout
ends 0 --version
has "version" "^coulis [0-9]+\.[0-9]+\.[0-9]+$" stdout
ends 2 rnu splash
has "unknown command" "did you mean 'run'" stderr
for command in run surface render check sweep compare export list info bench validate; do
    ends 0 "$command" --help
    has "$command --help" "usage: coulis $command" stdout
done
ends 2 validate terminal --method pvfs --set pvfs.kernl=smooth
has "validate checks --set before it runs" "did you mean 'kernel'" stderr
ends 2 validate terminal --method pvfs --set kernel
ends 0 validate terminal --method pvfs --set pvfs.kernel=smooth --plots plots
has "validate with a parameter" "5 of 5 checks passed" stdout
ends 2 run
ends 2 run splash --out never --frmes 3 --fps x --threads 0 --frames 1.5 --export vtp --size 3x3 --set a --method pvsf
for option in --frmes --fps --threads --frames --export --size --set --method; do
    has "all faults at once" "^coulis run: $option: " stderr
done
has "nearest option" "did you mean --frames" stderr
has "nearest method" "did you mean 'pvfs'" stderr
ends 2 run splash --frames 3 --seconds 1 --out never
ends 2 run splash --frames 0 --video --out never
ends 2 run splash --frames -1 --out never
ends 2 run splash --frames nan --out never
ends 2 run splash extra --out never
ends 2 run splash --out
ends 2 run splash --out never --force
ends 2 run splash --out never --set nonsense=1
same "no folder after bad usage" 0 "$(count . never)"

# --- Bad scenes leave the folder alone ---

ends 2 run missing --out never
ends 2 run bad.lua --out never
same "no folder after a bad scene" 0 "$(count . never)"
for key in scene.spacing material body.frction; do has "fault of $key" "^[^ ]*bad\.lua:[0-9]+: $key" stderr; done
mkdir -p kept && echo text >kept/run.json && echo frame >kept/particles_000001.vtp
ends 2 run bad.lua --out kept
same "old files stay after a bad scene" "text frame" "$(cat kept/run.json kept/particles_000001.vtp | xargs)"
ends 2 check bad.lua
for key in scene.spacing material body.frction; do has "check finds $key" "^[^ ]*bad\.lua:[0-9]+: $key" stderr; done
ends 2 check missing
cat >still.lua <<'LUA'
scene { title = "A function that gives no velocity", spacing = 0.03, duration = 1 }
fluid { material = material("water"), shape = box { size = {0.1, 0.1, 0.1} },
        velocity = function(x, y, z) return {x, y, z / 0} end }
LUA
for command in check run; do
    ends 2 $command still.lua
    has "a bad velocity" "still\.lua:2: fluid\.velocity: at x = .*: expected \{vx, vy, vz\}, numbers from -10000 to 10000" stderr
    same "one message of it" 1 "$(grep -c still.lua stderr)"
done

# --- A run and its files ---

ends 0 run splash --out a --frames 6 --export vtk,ply
has "choices are printed" "particles, spacing 0.03" stdout
has "plain progress lines" "^frame 6/6 " stderr
header=frame,time,particles,dt,substeps,iterations,density_error_mean,density_error_max,kinetic_energy,potential_energy
header+=,momentum_x,momentum_y,momentum_z,wall_seconds,body_paddle_x,body_paddle_y,body_paddle_z
for load in tank_force tank_torque paddle_force paddle_torque; do
    for axis in x y z; do header+=,body_${load}_$axis; done
done
same "csv header" "$header" "$(head -1 a/diagnostics.csv)"
same "csv rows" "1 2 3 4 5 6" "$(tail -n +2 a/diagnostics.csv | cut -d, -f1 | xargs)"
same "time of frame 6" 0.2 "$(tail -1 a/diagnostics.csv | cut -d, -f2)"
same "vtp frames" "6" "$(count a 'particles_00000[1-6].vtp')"
same "ply frames" "6" "$(count a 'particles_00000[1-6].ply')"
for key in scene method particles frames steps simulated_seconds wall_seconds peak_rss_bytes threads state_hash warnings; do
    has "run.json has $key" "\"$key\": " a/run.json
done
same "frames in run.json" 6 "$(value a/run.json frames)"
same "hash has 16 digits" 16 "$(hash_of a | tr -d '\n' | wc -c)"
same "checkpoint at the end" 1 "$(count a checkpoint.h5)"
same "no temporary files" 0 "$(count a '*.tmp')"
own="bodies bodies.csv checkpoint.h5 command.txt diagnostics.csv log.txt"
same "nothing unexpected" "$own particles.pvd run.json scene stage.json" \
    "$(names a | grep -v particles_ | xargs)"

# The same seconds are the same frames; an earlier run is replaced, other files stay.
echo mine >a/notes.txt
ends 0 run splash --out a --seconds 0.1 --quiet
same "quiet prints nothing" "" "$(cat stdout stderr)"
same "seconds to frames" 3 "$(value a/run.json frames)"
same "old frames are gone, the start is there" "4 0" "$(count a '*.vtp') $(count a '*.ply')"
same "foreign files stay" mine "$(cat a/notes.txt)"
ends 0 run splash --out none --frames 1 --export none --quiet
same "no frames" 0 "$(count none 'particles_*')"
ends 0 run splash --out start --frames 0 --quiet
same "the start alone" "0 particles_000000.vtp" "$(value start/run.json frames) $(cd start && echo particles_*.vtp)"
# Columns of the frame files: place and id always, the others as asked for.
columns() { tr -d '\0' <"$1" | grep -aoE 'Name="[a-z]+"' | grep -vE 'connectivity|offsets' | sort | cut -d'"' -f2 | xargs; }
same "columns of pvfs" "density id material velocity" "$(columns start/particles_000000.vtp)"
ends 0 run splash --out start --frames 0 --method dfsph --quiet
same "a pressure where there is one" "density id material pressure velocity" "$(columns start/particles_000000.vtp)"
ends 0 run splash --out few --frames 1 --method dfsph --columns pressure,material --export vtk,ply --quiet
same "chosen ones" "id material pressure" "$(columns few/particles_000001.vtp)"
same "in .ply too" "x y z id material pressure" "$(head -20 few/particles_000001.ply | sed -n 's/^property [a-z]* //p' | xargs)"
ends 0 info few/particles_000001.vtp few/particles_000001.ply
same "both are the same frame" 1 "$(grep hash stdout | sort -u | wc -l)"
ends 0 run --resume few --frames 2 --quiet
same "a resumed run keeps them" "id material pressure" "$(columns few/particles_000002.vtp)"
ends 0 run splash --out few --frames 1 --columns none --quiet
same "none" "id" "$(columns few/particles_000001.vtp)"
ends 2 run splash --out never --columns presure,all
has "an unknown column" "^coulis run: --columns: unknown column 'presure'.*pressure" stderr
has "all stands alone" "^coulis run: --columns: all stands alone" stderr
ends 2 run splash --out never --columns pressure
has "pvfs has none" "^coulis run: --columns: pvfs has no pressure" stderr
ends 2 run splash --out never --columns density --picture --color-by speed
has "what colours need" "^coulis run: --columns: leaves out what --color-by shows: speed" stderr
ends 0 run splash --out start --frames 0 --quiet
ends 0 run --resume start --frames 2 --quiet
ends 0 run splash --out two --frames 2 --quiet
same "and on from there" "$(hash_of two)" "$(hash_of start)"
same "the same frames" "$(cd two && cat particles_*.vtp | cksum)" "$(cd start && cat particles_*.vtp | cksum)"
mkdir -p foreign && echo other >foreign/particles_000009.vtp
ends 2 run splash --out foreign --frames 1 --quiet
same "a folder that is not ours is not touched" other "$(cat foreign/particles_000009.vtp)"
ends 0 run splash --out foreign --frames 1 --export none --quiet
same "what is not in the way stays" other "$(cat foreign/particles_000009.vtp)"
ends 0 run splash --frames 1 --quiet
same "default folder" 1 "$(count out/splash run.json)"

# --- Same bits for any number of threads ---

for threads in 1 2 3 4; do
    ends 0 run splash --out t$threads --frames 12 --threads $threads --quiet --export none
    same "hash with $threads threads" "$(hash_of t1)" "$(hash_of t$threads)"
    same "threads in run.json" $threads "$(value t$threads/run.json threads)"
done
checks=$((checks + 1))
ends 0 run splash --out t1s --frames 12 --set seed=5 --quiet --export none
[ "$(hash_of t1s)" != "$(hash_of t1)" ] || fail "another seed gives the same hash"

# --- Resume ---

ends 0 run splash --out whole --frames 12 --quiet
same "exports do not change the bits" "$(hash_of t1)" "$(hash_of whole)"
ends 0 run splash --out part --frames 5 --quiet
ends 0 run splash --resume part --out part --frames 12 --quiet
same "resumed in place" "$(hash_of whole)" "$(hash_of part)"
for file in bodies.csv stage.json particles.pvd bodies/tank.obj bodies/paddle.obj; do
    same "$file of a resumed run" "$(cksum <whole/$file)" "$(cksum <part/$file)"
done
same "csv goes on" "$(cut -d, -f1-13,15- whole/diagnostics.csv | cksum)" "$(cut -d, -f1-13,15- part/diagnostics.csv | cksum)"
same "frames of a resumed run" "$(cd whole && cat particles_*.vtp | cksum)" "$(cd part && cat particles_*.vtp | cksum)"
before=$(cksum <part/run.json)
ends 0 run --resume part
has "resuming a finished run prints its hash" "$(hash_of whole)" stdout
same "resuming a finished run keeps run.json" "$before" "$(cksum <part/run.json)"
ends 0 run splash --out part2 --frames 5 --quiet
ends 0 run splash --resume part2 --out elsewhere --frames 12 --threads 1 --quiet
same "resumed elsewhere" "$(hash_of whole)" "$(hash_of elsewhere)"
same "csv starts there" "6 12" "$(sed -n '2p;$p' elsewhere/diagnostics.csv | cut -d, -f1 | xargs)"
same "the resumed folder is untouched" 5 "$(value part2/run.json frames)"
ends 2 run --resume part2 --frames 3
has "fewer frames than done" "already at frame 5" stderr
ends 2 run --resume part2 --fps 60 --frames 12
ends 2 run --resume nowhere
has "no checkpoint" "holds no checkpoint" stderr
ends 0 run splash --out sets --frames 4 --set spacing=0.035 --set pvfs.height_error=0.03 --quiet
ends 0 run --resume sets --frames 6 --quiet
same "--set is remembered" 6 "$(value sets/run.json frames)"
ends 2 run splash --resume sets --set spacing=0.036 --frames 8
has "changed values are refused" "have changed" stderr
cp gallery/splash.lua changed.lua
ends 0 run changed.lua --out changed --frames 3 --quiet
echo "-- a new line" >>changed.lua
ends 2 run --resume changed --frames 5
has "a changed scene is refused" "have changed" stderr
ends 0 run --resume changed --frames 5 --force --quiet
has "--force goes on with a warning" "has changed" stderr

# --- Killed, interrupted ---

# The scene has far more frames than are made before the signal comes, also on a machine that starves this script.
start run long --out killed --checkpoint-every 2 --quiet
wait_for killed/checkpoint_previous.h5
kill -9 $pid
wait $pid 2>/dev/null
same "killed before its end" 0 "$(count killed run.json)"
for signal in INT TERM; do
    stopped=stopped_$signal
    start run long --out $stopped
    wait_for $stopped/particles_000002.vtp
    kill -$signal $pid
    wait $pid
    same "exit code after SIG$signal" 1 $?
    has "says how to go on" "^go on after frame [0-9]+ with: coulis run --resume $stopped\$" stderr
    same "checkpoint after SIG$signal" 1 "$(count $stopped checkpoint.h5)"
done

# All go on to the same frame, and so does a run that was left alone.
last=$(cat killed/diagnostics.csv stopped_*/diagnostics.csv | cut -d, -f1 | sort -n | tail -n 1)
last=$((last + 2))
ends 0 run long --out straight --frames $last --quiet --export none
for stopped in killed stopped_INT stopped_TERM; do
    ends 0 run --resume $stopped --frames $last --quiet
    same "$stopped and resumed" "$(hash_of straight)" "$(hash_of $stopped)"
    same "no leftovers of $stopped" 0 "$(count $stopped '*.tmp')"
    same "csv of $stopped" "$(seq $last | xargs)" "$(tail -n +2 $stopped/diagnostics.csv | cut -d, -f1 | xargs)"
done

# --- Broken checkpoints ---

ends 0 run splash --out good --frames 8 --checkpoint-every 4 --quiet
expected=$(hash_of good)
ends 0 info good/checkpoint.h5
has "info shows the hash" "$expected" stdout
size=$(stat -c %s good/checkpoint.h5)
# flip FILE OFFSET: changes one bit
flip()
{
    local byte
    byte=$(od -An -tu1 -j"$2" -N1 "$1")
    printf %b "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
for damage in 10 600 $((size / 2)) $((size - 1)) cut empty text; do
    rm -rf broken && cp -r good broken && rm broken/checkpoint_previous.h5
    case $damage in
        cut) truncate -s $((size - 100)) broken/checkpoint.h5 ;;
        empty) : >broken/checkpoint.h5 ;;
        text) echo "not a checkpoint" >broken/checkpoint.h5 ;;
        *) flip broken/checkpoint.h5 "$damage" ;;
    esac
    sum=$(find broken -type f | sort | xargs cat | cksum)
    ends 2 run --resume broken --frames 10
    has "says what is wrong (damage $damage)" "checkpoint\.h5: " stderr
    same "no file is touched (damage $damage)" "$sum" "$(find broken -type f | sort | xargs cat | cksum)"
    ends 2 info broken/checkpoint.h5
    # With the one before at hand the run goes on from there.
    cp good/checkpoint_previous.h5 broken
    ends 0 run --resume broken --quiet
    has "says that it falls back (damage $damage)" "going on from broken/checkpoint_previous.h5, frame 4" stderr
    same "hash after falling back (damage $damage)" "$expected" "$(hash_of broken)"
done

# --- Trouble with disks ---

ends 2 run splash --out bad.lua/x --frames 1
has "a folder that cannot be made" "bad\.lua" stderr
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod 555 closed
    ends 2 run splash --out closed --frames 1
    has "a folder that cannot be written" "closed" stderr
fi
ends 0 run splash --out limited --frames 2 --quiet
limit=$(($(stat -c %s limited/particles_000000.vtp) / 1024 / 2))
rm -rf limited
checks=$((checks + 1))
(ulimit -f $((limit > 1 ? limit : 1)) && "$coulis" run splash --out limited --frames 2 >stdout 2>stderr)
same "exit code of a full disk" 1 $?
has "a full disk is named" "particles_000000\.vtp: .*(large|space)" stderr
same "no half-written frame" 0 "$(count limited 'particles_*')"
# Frames fit, checkpoints do not: the good ones stay.
ends 0 run long --out tight --frames 2 --checkpoint-every 1 --quiet --export none
sum=$(cksum <tight/checkpoint.h5)
limit=$(($(stat -c %s tight/checkpoint.h5) / 1024 / 2))
(ulimit -f $limit && "$coulis" run --resume tight --frames 4 --checkpoint-every 1 >stdout 2>stderr)
same "exit code when a checkpoint does not fit" 1 $?
same "the good checkpoint stays" "$sum" "$(cksum <tight/checkpoint.h5)"
ends 0 run --resume tight --frames 4 --quiet
if [ -e /dev/full ]; then
    for command in "list methods" "list materials --details" --help "check splash" "info good"; do
        # shellcheck disable=SC2086 # a command and its words
        "$coulis" $command >/dev/full 2>stderr
        same "output that cannot be written: $command" 1 $?
        has "says so: $command" "output could not be written" stderr
    done
fi
# closed COMMAND...: into a pipe whose reader has gone before anything is printed; says nothing
closed()
{
    { sleep 0.2; "$coulis" "$@" 2>stderr; echo $? >code; } | true
    same "a reader who has seen enough: $*" "0:" "$(cat code):$(cat stderr)"
}
closed --help
closed --version
closed run --help
for list in scenes materials methods cases; do closed list $list --details; done
closed check splash
closed info good
{ sleep 0.2; timeout 120 "$coulis" bench 2>stderr; echo $? >code; } | true # all cases take many minutes
same "nothing is measured for nobody" "0:" "$(cat code):$(cat stderr)"
{ sleep 0.2; "$coulis" run splash --out unseen --frames 2 2>stderr; echo $? >code; } | true
same "a run that nobody reads is whole" "0 2 0" "$(cat code) $(value unseen/run.json frames) $(grep -c 'could not' stderr)"
{ sleep 0.2; "$coulis" list nothing 2>stderr; echo $? >code; } | true
same "bad input stays bad input" 2 "$(cat code)"

# --- Physics trouble and errors of the scene's functions ---

cat >crash.lua <<'LUA'
scene { title = "A function that fails", spacing = 0.03, duration = 1 }
fluid { material = material("water"), shape = box { size = {0.1, 0.1, 0.1} } }
at(0.15, function(world) error("the pump broke") end)
LUA
ends 1 run crash.lua --out crash --checkpoint-every 1 --quiet
has "the error of a function" "crash\.lua:3: the pump broke" stderr
frame=$(sed -n 's/^frame \([0-9]*\): .*pump broke.*/\1/p' stderr)
ends 0 info crash/checkpoint.h5
has "the last good checkpoint is the frame before" "^frame +$((frame - 1))," stdout
same "no frame file of the failed frame" $((frame)) "$(count crash 'particles_*')"

cat >lost.lua <<'LUA'
scene { title = "A shot into the void", spacing = 0.002, duration = 1, speed = 1, depth = 0.01 }
fluid { material = material("water"), shape = box { size = {0.006, 0.006, 0.006} }, velocity = {9000, 0, 0} }
LUA
ends 1 run lost.lua --out lost --checkpoint-every 1 --quiet
has "lost particles are named" "^frame [0-9]+: pvfs at 0\.[0-9]+ s, step [0-9]+ of [0-9.e-]+ s: \
[0-9]+ particles flew out of reach, the first is particle [0-9]+" stderr
frame=$(sed -n 's/^frame \([0-9]*\): .*out of reach.*/\1/p' stderr)
ends 0 info lost/checkpoint.h5
has "the last good checkpoint is kept" "^frame +$((frame - 1))," stdout
ends 0 run lost.lua --resume lost --out lost2 --frames $((frame - 1)) --quiet

# --- A bound on steps above what the method needs is said before the run, and kept in run.json ---

cat >sound.lua <<'LUA'
scene { title = "A fast drop", dimension = 2, spacing = 0.01, duration = 0.01, fps = 200, method = "wcsph",
        sph = { min_step = 1e-4 } }
body { shape = plane { normal = {0, 1, 0} } }
fluid { material = material("water"), shape = box { size = {0.1, 0.1} }, at = {0, 0.1}, velocity = {0, -5, 0} }
LUA
too_long="wcsph: sound of [0-9.]+ m/s asks for steps of at most [0-9.e-]+ s, but min_step makes them 0\.0001 s, [0-9.]+ times"
ends 0 check sound.lua
has "check warns of min_step" "^warning: $too_long" stderr
ends 0 run sound.lua --out sound --export none --quiet
has "run warns of min_step" "^warning: $too_long" stderr
has "the warning is in run.json" "\"$too_long" sound/run.json
ends 0 check sound.lua --set sph.min_step=1e-6
same "no warning where the bound is lower" "" "$(cat stderr)"

# --- Suction at a free surface is said, and ends the run when it throws the liquid about ---

cat >thrown.lua <<'LUA'
scene { title = "Two blocks in one place", dimension = 2, spacing = 0.02, duration = 0.2, fps = 50, sph = { clamp = false } }
local water = material("water")
for i = 0, 1 do fluid { material = water, shape = box { size = {0.4, 0.4} }, at = {0.004 * i, 0.2} } end
LUA
for method in dfsph iisph pcisph; do
    ends 0 check thrown.lua --method $method
    has "check warns of suction" "^warning: $method: [0-9.]+ % of the particles lie at a free surface.* sph\.clamp=true" stderr
    ends 0 run thrown.lua --method $method --out thrown --export none --quiet
    ends 0 run thrown.lua --method $method --set sph.clamp=true --out thrown --export none --quiet
done
ends 1 run two-liquids --method wcsph --set sph.clamp=false --set sph.density=sum --seconds 0.5 --out thrown --export none --quiet
has "the liquid runs away" "^frame [0-9]: wcsph at 0\.[0-9]+ s, step [0-9]+ of [0-9.e-]+ s: the liquid runs away: .*\
\(clamp = false\).* --set sph\.clamp=true" stderr

# --- check, list, info ---

ends 0 check splash
for word in particles bodies method frames "suggested step" "height error" overlaps memory; do
    has "check reports $word" "^$word" stdout
done
has "no overlaps" "^overlaps +none" stdout
# Decimals give the frames that they say, and a last frame that the time only begins counts.
cat >moment.lua <<'LUA'
scene { title = "A moment", dimension = 2, spacing = 0.1, duration = 1.2, fps = 50 }
fluid { material = material("water"), shape = box { size = {0.2, 0.2} } }
LUA
ends 0 run moment.lua --out moment --export none --quiet
same "frames of 1.2 s at 50" 60 "$(value moment/run.json frames)"
while read -r seconds fps frames; do
    ends 0 check moment.lua --set "duration=$seconds" --set "fps=$fps"
    has "frames of $seconds s at $fps" "^frames +$frames at $fps per second$" stdout
done <<'END'
0.3 10 3
1.1 30 33
2.3 25 58
2.3 50 115
1.2 50 60
0.7 29.97 21
3600.1 60 216006
16683.35 29.97 500000
19999.9 50 999995
1.21 50 61
1.2001 50 61
0.01 50 1
33.3334 30 1001
END
# What check says of steps is what the run does: velocities at the start count.
cat >throw.lua <<'LUA'
scene { title = "Two blocks meet", dimension = 2, spacing = 0.02, duration = 0.1, fps = 100, gravity = {0, 0, 0} }
local water = material("water")
fluid { material = water, shape = box { size = {0.4, 0.4} }, at = {-0.6, 0}, velocity = {10, 0, 0} }
fluid { material = water, shape = box { size = {0.4, 0.4} }, at = {0.6, 0}, velocity = {-10, 0, 0} }
LUA
for method in dfsph wcsph pvfs; do
    ends 0 check throw.lua --method $method
    steps=$(sed -n 's/^suggested step .*: \([0-9]*\) substeps per frame$/\1/p' stdout)
    ends 0 run throw.lua --method $method --frames 1 --out throw --export none --quiet
    same "substeps that check promised for $method" "$steps" "$(tail -1 throw/diagnostics.csv | cut -d, -f5)"
done
cat >overlap.lua <<'LUA'
scene { title = "Two blocks in one place", spacing = 0.03, duration = 1 }
local water = material("water")
fluid { material = water, shape = box { size = {0.2, 0.2, 0.2} }, jitter = 0 }
fluid { material = water, shape = box { size = {0.2, 0.2, 0.2} }, at = {0.003, 0, 0}, jitter = 0 }
LUA
ends 0 check overlap.lua
has "overlaps are counted" "^overlaps +[0-9 ]+ particles start closer" stdout
ends 0 list scenes
has "scenes with titles" "^splash +Two blocks falling into a box$" stdout
ends 0 list scenes --names
same "names of scenes" "long splash" "$(grep -xE 'long|splash' stdout | xargs)"
ends 0 list materials
has "materials" "^honey " stdout
ends 0 list materials --details
has "sources of materials" "^ +source " stdout
ends 0 list methods
has "methods" "^pvfs " stdout
ends 0 list methods --details
has "parameters of methods" "default" stdout
ends 0 list cases
has "cases" "^[a-z]" stdout
ends 2 list scens
has "nearest list" "did you mean scenes" stderr
ends 0 run splash --out both --frames 2 --export vtk,ply --quiet
ends 0 info both/particles_000002.vtp
vtp=$(sed -n 's/^hash *//p' stdout)
has "bounds" "^bounds +[-0-9]" stdout
ends 0 info both/particles_000002.ply
same "vtp and ply hold the same" "$vtp" "$(sed -n 's/^hash *//p' stdout)"
ends 0 info both both/run.json both/diagnostics.csv
has "info of run.json" "^state_hash +$(hash_of both)" stdout
has "info of the table" "diagnostics of 2 frames" stdout
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
ends 0 info corner.obj
has "volume of a mesh" "^volume +0.166667 m" stdout
has "a sound mesh" "^findings +none" stdout
head -n -1 corner.obj >open.obj
ends 0 info open.obj
has "a hole" "^findings +3 open edges, 1 hole" stdout
head -c 300 both/particles_000001.vtp >cut.vtp
ends 2 info cut.vtp
head -c 40 both/run.json >cut.json
ends 2 info cut.json
has "where JSON is cut" "^cut.json:[0-9]+: is not sound JSON at column [0-9]+: " stderr
# bad_json WHERE_AND_WHAT TEXT: one fault, which says so
bad_json()
{
    printf '%b' "$2" >bad.json
    ends 2 info bad.json
    has "JSON $2" "^bad.json:$1" stderr
    same "faults of JSON $2" 1 "$(wc -l <stderr)"
}
bad_json "1: .* column 3: '\]' expected near '}'" '[1}'
bad_json "2: .*end of file expected" '{}\n}'
bad_json "2: .*duplicate object key" '{"a": 1,\n"a": 2}'
bad_json "1: .*unable to decode byte 0xff" '["\0377"]'
bad_json "1: .*maximum parsing depth" "$(head -c 100000 /dev/zero | tr '\0' '[')"
printf '{"name": "a\\u001b[1m", "list": [{"b": 1}, {"b": 2.5}], "empty": {}}' >good.json
ends 0 info good.json
same "info of JSON" 'good.json: name a\u001B[1m list 2: {"b": 1} {"b": 2.5} empty {}' "$(tr -s ' \n' ' ' <stdout | sed 's/ $//')"
printf '[{"case": "films"}]' >good.json
ends 0 info good.json
has "info of a list" '^\{"case": "films"\}$' stdout
ends 2 info missing.vtp
ends 2 info gallery/splash.lua
has "scenes are for check" "coulis check" stderr

# --- Pictures ---

if command -v ffmpeg >/dev/null; then
    ends 0 run splash --out film --frames 4 --video --size 160x90 --quiet
    same "film and picture" "1 1" "$(count film film.mp4) $(count film picture.png)"
    ends 0 run --resume film --frames 6 --quiet
    frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 film/film.mp4)
    same "a resumed film is whole" 6 "$frames"
fi
ends 0 run splash --out picture --frames 1 --picture --size 160x90 --quiet
same "PNG signature" "89504e47" "$(od -An -tx1 -N4 picture/picture.png | tr -d ' ')"

# --- Export ---

ends 2 export
ends 2 export a
ends 2 export a --to usdc
has "nearest kind" "did you mean usda" stderr
ends 2 export nowhere --to usda
ends 0 export part --to usda --quiet
has "USD of a run" "^#usda 1.0" part/run.usda
same "a sample a frame" 12 "$(sed -n '/point3f\[\] points.timeSamples/,/^        }/p' part/run.usda | grep -cE '^ +[0-9]+: ')"
ends 1 export part --to usda --max-gib 0.00001
has "the estimate is told" "would take about [0-9.]+ GiB" stderr
rm part/particles.pvd
ends 0 export part --to pvd
same "ParaView's list" 13 "$(grep -c DataSet part/particles.pvd)"
ends 0 export part --to ply --out plain --quiet
same "frames as .ply" "12 0" "$(count plain 'particles_*.ply') $(count plain '*.vtp')"
ends 0 export 'plain/particles_*.ply' --to vtp --out again --quiet
same "there and back" "$("$coulis" info part/particles_000005.vtp | grep hash)" \
    "$("$coulis" info again/particles_000005.vtp | grep hash)"
truncate -s 500 again/particles_000003.vtp
ends 1 export again --to ply --quiet
has "a broken frame is left out" "particles_000003.vtp .*left out" stderr
same "the others are written" 11 "$(count again '*.ply')"
ends 1 export part --to obj
has "no surfaces yet" "coulis surface makes" stderr
mkdir -p part/bodies && echo mine >part/bodies/notes.txt
ends 0 run splash --out part --frames 2 --export none --quiet
same "an old run's files make way" "$own run.json scene stage.json" \
    "$(names part | xargs)"
same "what is not ours stays" "notes.txt paddle.obj tank.obj" "$(names part/bodies | xargs)"

# --- Completion ---

complete_line() # WORDS...: the candidates for the last word
{
    bash -c 'source "$1/tools/completion.bash"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _coulis 2>/dev/null
             printf "%s\n" "${COMPREPLY[@]}"' _ "$source_dir" "$coulis" "$@" | sort | xargs
}
same "commands" "run" "$(complete_line ru)"
same "scenes" "splash" "$(complete_line run spl)"
same "options" "--force --fps --frames" "$(complete_line run --f)"
same "methods" "pvfs" "$(complete_line run splash --method pv)"
same "lists" "materials methods" "$(complete_line list m)"
same "commands of pictures" "render run" "$(complete_line r)"
same "qualities" "final" "$(complete_line render a --quality "fi")"
same "automatic lengths" "auto" "$(complete_line surface a --cell a)"
same "options of render" "--layers --level" "$(complete_line render a --l)"
same "materials" "honey" "$(complete_line render a --material hon)"
same "kinds of export" "pvd ply" "$(complete_line export a --to p | xargs -n1 | sort -r | xargs)"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
