#!/bin/bash
# Foam as a user meets it: files, the same bits however it is made, what is damaged, pictures.
# usage: test_foam.sh COULIS SOURCE_DIR
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_foam.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"
ulimit -c 0

# bytes FOLDER PATTERN: a checksum of the files' contents in the order of their names, and how many there are
bytes() { find "$1" -maxdepth 1 -type f -name "$2" 2>/dev/null | sort | xargs -r cat | cksum; count "$1" "$2"; }

mkdir gallery
# Two drops that meet fast, in a tank.
cat >gallery/clash.lua <<'LUA'
-- Two drops meet
scene { title = "Clash", method = "wcsph", spacing = 0.03, duration = 0.2, fps = 30 }
local walls = shell { box { size = { 1, 0.6, 0.5 } }, thickness = 0.03, open = true }
body { name = "tank", shape = walls, at = { 0, 0.3, 0 }, opacity = 0.2 }
fluid { material = "water", shape = sphere { radius = 0.15 }, at = { -0.2, 0.3, 0 }, velocity = { 4, 0, 0 } }
fluid { material = "water", shape = sphere { radius = 0.15 }, at = { 0.2, 0.3, 0 }, velocity = { -4, 0, 0 } }
camera { from = { 0.8, 0.9, 1.4 }, to = { 0, 0.25, 0 }, fov = 35 }
LUA
cat >gallery/sheet.lua <<'LUA'
-- A puddle in a plane
scene { title = "Sheet", dimension = 2, spacing = 0.03, duration = 0.1, fps = 30 }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.15} }
LUA

ends 0 run clash --quiet --out run

# --- Files, and the same bits however it is made ---

ends 0 foam run --format vtp,ply
has "it says what it did" "foam of 6 frames made, of 0 was there" stdout
same "a file a frame" "6 6" "$(count run 'foam_*.vtp') $(count run 'foam_*.ply')"
has "ParaView's list" 'foam_000006.vtp' run/foam.pvd
for name in foam_000006.vtp foam.txt foam.pvd; do has "listed as ours" "^$name\$" run/.coulis-files; done
ends 0 info run/foam_000006.vtp
whole=$(bytes run 'foam_*')
last=$(sed -n 's/^element vertex //p;/end_header/q' run/foam_000006.ply | head -1)
same "there is foam in the end" yes "$([ "$last" -gt 100 ] && echo yes)"
ends 0 foam run --format vtp,ply
has "nothing is made twice" "foam of 0 frames made, of 6 was there" stdout
ends 0 foam run --format vtp,ply --threads 1 --force
same "one thread" "$whole" "$(bytes run 'foam_*')"
# Stopped anywhere it goes on with the same bits: here after the third frame, then without the last kind of the fourth.
rm run/foam_00000[456].*
ends 0 foam run --format vtp,ply --threads 3
has "it goes on" "foam of 3 frames made, of 3 was there" stdout
same "gone on with" "$whole" "$(bytes run 'foam_*')"
rm run/foam_000004.ply
ends 0 foam run --format vtp,ply
same "a lost file" "$whole" "$(bytes run 'foam_*')"
# A damaged file of foam is made anew from the one before it.
head -c 700 run/foam_000006.vtp >cut.vtp && mv cut.vtp run/foam_000006.vtp
ends 0 foam run --format vtp,ply
has "a damaged file of foam" "warning.*foam_000006.vtp.*made anew" stderr
same "mended" "$whole" "$(bytes run 'foam_*')"
rm run/foam_*
start foam run --quiet --format vtp,ply
wait_for run/foam_000002.vtp
kill -INT "$pid"
wait "$pid"
ends 0 foam run --format vtp,ply
same "after an interrupt" "$whole" "$(bytes run 'foam_*')"

# --- Other settings ---

ends 2 foam run --air-rate 300
has "made otherwise" "run: holds foam of 6 frames that was made otherwise \(foam.txt\); --force" stderr
same "untouched" "$whole" "$(bytes run 'foam_*')"
ends 0 foam run --seed 2 --out other
same "another seed" no "$([ "$(bytes other 'foam_*.vtp')" = "$(bytes run 'foam_*.vtp')" ] && echo yes || echo no)"
ends 0 foam run --most 10 --out few
has "a limit" "births were refused.*10 particles" stderr
ends 2 foam run --air-min 5 --air-max 5 --life-min 3 --drag -1 --format obj --quality final
for line in "--drag: --drag is -1" "--format: unknown format 'obj'" "--quality: unknown option"; do
    has "faults" "$line" stderr
done
ends 2 foam run --air-min 5 --air-max 5 --life-min 3
for line in "--air-max: 5 must be more than air_min, 5" "--life-max: 2 must be more than life_min, 3"; do
    has "pairs" "$line" stderr
done
ends 2 foam run --format ply
has "without vtp" "--format: 'ply' lacks vtp" stderr
ends 2 foam run --spacing 0.1
ends 2 foam nowhere
echo mine >other/foam_000009.vtp
ends 2 foam run --seed 3 --out other --force
has "what is not ours stays" "foam_000009.vtp: is there and was not written by Coulis" stderr
same "what is not ours" mine "$(cat other/foam_000009.vtp)"

# --- Frames that are damaged, flat, without velocities, of other programs ---

cp -r run broken
rm broken/foam*
head -c 500 run/particles_000004.vtp >broken/particles_000004.vtp
ends 1 foam broken
has "a damaged frame" "broken/particles_000004.vtp: " stderr
same "what was good before it" 3 "$(count broken 'foam_*.vtp')"
cp run/particles_000004.vtp broken/
ends 0 foam broken
same "mended frames" "$(bytes run 'foam_*.vtp')" "$(bytes broken 'foam_*.vtp')"
ends 0 run sheet --quiet --out flat
ends 2 foam flat
has "in a plane" "is a run in 2D" stderr
mkdir plain && cp run/particles_00000[1-6].vtp plain
ends 0 foam plain --spacing 0.03 --out plain-foam
same "frames alone" 6 "$(count plain-foam 'foam_*.vtp')"
printf '%s\n' ply "format ascii 1.0" "element vertex 1" "property float x" "property float y" "property float z" end_header \
    "0 0 1" >bare_1.ply
ends 1 foam bare_1.ply --spacing 0.1 --out bare
has "no velocity" "bare_1.ply: has no velocity" stderr

# --- Pictures ---

for quality in preview splats "final --samples 2"; do
    # shellcheck disable=SC2086 # options are words
    ends 0 render run --frames 6 --size 96x64 --quality $quality --out with --force --threads 2
    # shellcheck disable=SC2086
    ends 0 render run --frames 6 --size 96x64 --quality $quality --out without --no-foam --force
    same "$quality shows it" no "$(cmp -s with/picture_000006.png without/picture_000006.png && echo yes || echo no)"
done
ends 0 render plain --frames 6 --size 96x64 --spacing 0.03 --foam plain-foam --out with --force
ends 2 render run --frames 6 --foam plain --out with
has "no foam there" "--foam: 'plain' holds no foam" stderr
ends 2 render run --foam plain --no-foam --out with
rm run/foam_000006.vtp
ends 1 render run --frames 6 --size 96x64 --out lost
has "a frame without its foam" "its foam, run/foam_000006.vtp, is not there: coulis foam makes it" stderr
# A new run in the folder takes the old one's foam away, one that goes on keeps that of its frames.
ends 0 run clash --quiet --frames 3 --out run
same "old foam" 0 "$(count run 'foam*')"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
