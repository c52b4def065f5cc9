#!/bin/bash
# The program among files that are not its own, and inputs made to harm. usage: test_hostile.sh COULIS SOURCE_DIR
# Nothing that it did not write is changed, nothing hangs, nothing reaches the terminal but text.
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_hostile.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"

mkdir gallery
cat >gallery/drop.lua <<'LUA'
-- A drop on a plate
scene { title = "Drop", dimension = 2, spacing = 0.05, duration = 0.2, fps = 50 }
body { name = "plate", shape = box { size = {1, 0.1} } }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.3} }
LUA
# sum_of FOLDER: of all that is in it, names and contents, links as they are
sum_of() { (cd "$1" && find . \( -type l -printf '%p -> %l\n' \) -o -type f -print -exec cat {} \; | cksum); }

# --- Folders that hold other people's files ---

# Each alone in a folder, beside a mark that used to be enough.
for name in film.mp4 picture.png particles_000001.vtp surface_000003.svg stage.json bodies.csv checkpoint.h5 \
    checkpoint_previous.h5 checkpoint_new.h5 run.json diagnostics.csv command.txt particles.pvd surface.pvd; do
    for mark in none run.json command.txt diagnostics.csv; do
        rm -rf other && mkdir other
        [ $mark = none ] || echo mark >other/$mark
        echo mine >other/$name
        sum=$(sum_of other)
        ends 2 run drop --out other --frames 1 --quiet --video --surface --size 32x32
        has "$name beside $mark is named" "^other/$name: is there and was not written by Coulis" stderr
        same "$name beside $mark stays" "$sum" "$(sum_of other)"
    done
done
# What the run does not write is not in its way.
rm -rf other && mkdir other && echo mine >other/film.mp4 && echo mine >other/picture_000001.png
ends 0 run drop --out other --frames 2 --quiet
same "other files stay" "mine mine" "$(cat other/film.mp4 other/picture_000001.png | xargs)"
ends 0 run drop --out other --frames 1 --quiet
same "other files stay again" "mine mine" "$(cat other/film.mp4 other/picture_000001.png | xargs)"
same "the old run made way" 1 "$(count other 'particles_*')"
ends 2 run --resume other --frames 3 --video --size 32x32
has "a film in the way of a resumed run" "^other/film.mp4: is there" stderr
ends 2 render other --size 32x32 --video
ends 2 render other --size 32x32 --force
has "a picture in the way of render" "^other/picture_000001.png: is there" stderr
same "other files stay after all" "mine mine" "$(cat other/film.mp4 other/picture_000001.png | xargs)"
echo mine >other/surface_000001.svg
ends 1 surface other
has "a surface in the way" "^other/surface_000001.svg: is there" stderr
echo mine >other/run.usda
ends 1 export other --to usda
has "a file in the way of export" "^other/run.usda: is there" stderr
echo mine >other/particles_000001.ply
ends 1 export other --to ply
has "a frame in the way of export" "^other/particles_000001.ply: is there" stderr
same "all of them stay" "mine mine mine" "$(cat other/surface_000001.svg other/run.usda other/particles_000001.ply | xargs)"
# What its own commands made is replaced, and makes way with the run.
rm -rf own
ends 0 run drop --out own --frames 2 --quiet
for _ in 1 2; do
    ends 0 surface own --quiet
    ends 0 export own --to usda --quiet
    ends 0 export own --to ply --quiet
    ends 0 render own --size 32x32 --quiet --force
done
ends 0 run drop --out own --frames 1 --export none --quiet
same "all that Coulis wrote makes way" "bodies bodies.csv checkpoint.h5 command.txt diagnostics.csv run.json stage.json" \
    "$(names own | xargs)"

# --- Links ---

mkdir elsewhere && echo mine >elsewhere/plate.obj && echo mine >elsewhere/target
sum=$(sum_of elsewhere)
rm -rf linked && mkdir linked && ln -s ../elsewhere linked/bodies
ends 1 run drop --out linked --frames 1 --quiet
has "a linked folder is not followed" "^linked/bodies: is a link" stderr
same "what the link leads to stays" "$sum" "$(sum_of elsewhere)"
rm -rf linked
ends 0 run drop --out linked --frames 2 --quiet
for name in run.json diagnostics.csv bodies.csv stage.json checkpoint.h5 command.txt particles_000001.vtp particles.pvd; do
    cp linked/$name copy && ln -sf ../elsewhere/target linked/$name
    ends 0 run drop --out linked --frames 2 --quiet
    same "$name through a link" "$sum" "$(sum_of elsewhere)"
    same "$name is a file again" 1 "$(find linked/$name -type f | wc -l)"
done
rm -rf linked/bodies && ln -s ../elsewhere linked/bodies
ends 1 run drop --out linked --frames 1 --quiet
same "an old run's meshes are not removed through a link" "$sum" "$(sum_of elsewhere)"
rm -rf linked && mkdir linked && ln -s ../elsewhere/target linked/.coulis-files
ends 2 run drop --out linked --frames 1 --quiet
same "the list is no link" "$sum" "$(sum_of elsewhere)"
rm -rf linked && mkdir linked
printf 'files that Coulis wrote here; it replaces no others\n../elsewhere/target\n%s/elsewhere/target\n' "$here" >linked/.coulis-files
ends 0 run drop --out linked --frames 1 --quiet
same "a forged list reaches nothing" "$sum" "$(sum_of elsewhere)"
ln -s elsewhere shortcut
ends 0 run drop --out shortcut/run --frames 1 --quiet
same "a folder behind a link is the user's choice" 1 "$(count elsewhere/run run.json)"

# --- Two runs in one folder ---

sed 's/spacing = 0.05/spacing = 0.01/; s/duration = 0.2/duration = 200/' gallery/drop.lua >gallery/long.lua
start run long --out shared --quiet --export none
wait_for shared/diagnostics.csv
first=$pid
"$coulis" run drop --out shared --frames 1 >stdout2 2>stderr2 </dev/null
same "the second run is refused" 2 $?
has "and says why" "^shared: another run is writing into this folder" stderr2
kill -9 "$first"
wait "$first" 2>/dev/null
ends 0 run drop --out shared --frames 1 --quiet
same "a killed run holds no lock" 1 "$(value shared/run.json frames)"

# --- Folders that cannot be used ---

echo text >file
for folder in file/x file /proc/none /dev/null ""; do
    ends 2 run drop --out "$folder" --frames 1
    ends 2 render own --out "$folder" --frames last
    ends 2 surface linked --out "$folder"
    ends 2 export linked --to ply --out "$folder"
done
ends 2 run drop --out "$(printf 'a%.0s' {1..300})" --frames 1
ends 0 export linked --to usda --out new/folder --quiet
same "export makes its folder" 1 "$(count new/folder run.usda)"
ends 1 export gallery --to usda --out never
same "nothing is left of what failed" 0 "$(count . never)"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
