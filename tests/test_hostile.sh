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
    checkpoint_previous.h5 checkpoint_new.h5 run.json diagnostics.csv command.txt log.txt particles.pvd surface.pvd; do
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
same "the old run made way" 2 "$(count other 'particles_*')"
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
same "all that Coulis wrote makes way" \
    "bodies bodies.csv checkpoint.h5 command.txt diagnostics.csv log.txt run.json scene stage.json" "$(names own | xargs)"

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
printf 'files that Coulis wrote here; it replaces no others\n../elsewhere/target\n%s/elsewhere/target\n' "$here" \
    >linked/.coulis-files
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

# --- Where faults are ---

printf 'scene { spacing = 0.05 }\nbody { shape = plane { normal = {0, 0, 0} } }\n' >fault.lua
ends 2 check fault.lua
has "a plane's normal" '^fault.lua:2: plane.normal: \(0, 0, 0\) is not a direction' stderr
printf '\nscene { spacing = 0.05, method = "dfsph", period = {0.12, 0, 0} }\n' >fault.lua
for command in check "run --out never"; do
    # shellcheck disable=SC2086
    ends 2 $command fault.lua
    has "a period that is too short" '^fault.lua:2: scene.period: x: 0.12 m is too short' stderr
done
printf 'scene {}\nlocal function f() return 1 + f() end\nf()\n' >fault.lua
ends 2 check fault.lua
has "a stack overflow" '^fault.lua:2: stack overflow' stderr
printf 'scene {}\nlocal t = setmetatable({}, {})\ngetmetatable(t).__call = t t()\n' >fault.lua
ends 2 check fault.lua
has "a call that never ends" '^fault.lua:3: stack overflow' stderr
printf 'scene { dimension = 2 }\nfluid { material = "water", shape = box { size = {0.1, 0.1} } }
at(0.01, function() local t = setmetatable({}, {}) getmetatable(t).__call = t t() end)\n' >fault.lua
ends 1 run fault.lua --out fault --frames 2
has "and in an event" '^frame [12]: fault.lua:3: stack overflow' stderr
same "no folder after faults" 0 "$(count . never)"

# --- Memory ---

# The address space of the sanitizers is terabytes: there the limit would be no limit of ours.
if ! grep -q __asan_init "$coulis"; then
    printf 'scene { spacing = 0.01 }\nfluid { material = "water", shape = box { size = {0.4, 0.4, 0.4} } }\n' >big.lua
    for limit in 95000 100000 105000 110000 115000 120000; do
        (ulimit -v $limit && "$coulis" check big.lua >stdout 2>stderr </dev/null)
        code=$?
        [ $code -ne 127 ] || continue # too little to load the libraries
        same "check within $limit kB says what it is" "$code" "$(grep -q memory stderr && echo 2 || echo 0)"
        (ulimit -v $limit && "$coulis" run big.lua --out big --frames 1 --fps 2000 --quiet >stdout 2>stderr </dev/null)
        code=$?
        checks=$((checks + 1))
        case $code in
            0) ;;
            1 | 2) has "run within $limit kB says what it is" memory stderr ;;
            *) fail "run within $limit kB: exit code $code: $(tail -c 300 stderr)" ;;
        esac
    done
fi

# --- Pipes and devices where files are expected ---

# in_time WHAT ARGUMENTS...: bad input, at once; a minute means that it hangs
in_time() { code_in_time 2 "$@"; }
code_in_time()
{
    local code=$1 what=$2
    shift 2
    timeout 60 "$coulis" "$@" >stdout 2>stderr </dev/null
    same "$what" "$code" $?
}
mkdir odd-files gallery/../pipes
for kind in vtp vtu vtk ply h5 json csv obj stl gltf glb 3ds lua; do
    mkfifo odd-files/pipe.$kind
    ln -s /dev/zero odd-files/zero.$kind
    ln -s /dev/random odd-files/random.$kind
    mkdir odd-files/folder.$kind
    for file in pipe zero random; do in_time "info of $file.$kind" info odd-files/$file.$kind; done
done
for file in pipe zero random folder; do in_time "check of $file" check odd-files/$file.lua; done
for name in checkpoint.h5 checkpoint_previous.h5 command.txt; do
    rm -rf pipes && mkdir pipes && mkfifo pipes/$name
    in_time "--resume with a pipe as $name" run --resume pipes
done
rm -rf pipes && cp -r own pipes
for name in command.txt checkpoint.h5 stage.json bodies.csv diagnostics.csv .coulis-files; do
    mv pipes/$name aside && mkfifo pipes/$name
    timeout 60 "$coulis" run --resume pipes --frames 3 --quiet >stdout 2>stderr </dev/null
    code=$?
    checks=$((checks + 1))
    case $code in
        0 | 1 | 2) ;;
        *) fail "resume with a pipe as $name: exit code $code" ;;
    esac
    rm pipes/$name && mv aside pipes/$name
done
code_in_time 1 "render of a pipe" render odd-files/pipe.vtp --out never
code_in_time 1 "surface of a pipe" surface odd-files/pipe.ply --out never
code_in_time 1 "export of a pipe" export odd-files/pipe.vtk --to ply --out never
rm -rf piped && cp -r own piped
ends 0 run drop --out piped --frames 2 --quiet
ends 0 render piped --size 32x32 --quiet
rm piped/picture_000001.png && mkfifo piped/picture_000001.png
code_in_time 1 "a film of a pipe" render piped --size 32x32 --film piped.gif --quiet
mkfifo gallery/pipe.lua
ends 0 list scenes
rm gallery/pipe.lua

# --- Terminals ---

# plain WHAT: neither stdout nor stderr holds a control character but line ends
plain()
{
    checks=$((checks + 1))
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4])[\x80-\x9f](?![\x80-\xbf])' stdout stderr; then
        fail "$1: control characters in: $(cat -v stdout stderr | head -c 500)"
    fi
}
cat >escape.lua <<'LUA'
scene { title = "\27]0;owned\7\27[2J\155title", note = "\27[31mnote\r\8", spacing = 0.05, duration = 0.1, dimension = 2 }
print("\27[1mloud\27[0m \u{9b}31m \u{9d}0;x\u{9c} \x9b31m é")
at(0.01, function(world) world:log("\27[5mblink") end)
fluid { material = "water", shape = box { size = {0.1, 0.1} } }
LUA
for command in "check escape.lua" "run escape.lua --out escape --frames 2"; do
    # shellcheck disable=SC2086 # a command and its words
    ends 0 $command
    plain "$command"
    has "what a scene prints is shown as text: $command" '\\x1b\[1mloud\\x1b\[0m \\xc2\\x9b31m' stderr
    has "other letters stay: $command" 'é$' stderr
done
has "a title is shown as text" '\\x1b\]0;owned\\x07\\x1b\[2J\\x9btitle' stdout
has "a log is shown as text" '\\x1b\[5mblink' stderr
odd=$(printf 'a\033[2Jb\rc.lua')
cp escape.lua "$odd"
for command in check "run --out odd --frames 1" info surface render "export --to ply --out x"; do
    # shellcheck disable=SC2086
    "$coulis" $command "$odd" >stdout 2>stderr </dev/null
    plain "$command of an odd name"
done
cp escape.lua "gallery/$odd"
{ printf -- '-- \033]0;owned\007\n'; cat escape.lua; } >gallery/odd.lua
for command in "list scenes" "list scenes --names" "check $odd" "$odd" "run --$odd" "run drop --set $odd=1" \
    "run drop --method $odd" "run drop --out $odd --frames 1" "info $odd/nothing.vtp" "check drop --set spacing=$odd"; do
    # shellcheck disable=SC2086
    "$coulis" $command >stdout 2>stderr </dev/null
    plain "coulis $command"
done
printf '# vtk DataFile Version 3.0\n\033[2J\nASCII\nDATASET \033[31m\n' >odd.vtk
printf 'ply\nformat \033[31m 1.0\n' >odd.ply
printf 'frame,time,\033[2J\n1,\033[31m\n' >odd.csv
printf '{"a\\u001b": "\\u001b[2J", "b": "\\u009b"}' >odd.json
printf 'v 0 0 0\nf \033[31m\n' >odd.obj
for file in odd.vtk odd.ply odd.csv odd.json odd.obj; do
    "$coulis" info $file >stdout 2>stderr </dev/null
    plain "info of $file"
done
# On a terminal, too; the program's own bar is all that may speak to it.
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$coulis' run escape.lua --out escape --frames 2" /dev/null </dev/null >typed
    same "a terminal gets the bar alone" 0 "$(sed 's/\x1b\[K//g' typed | grep -c "$(printf '\033')")"
fi
# A few lines cannot fill a disk.
printf 'scene {}\nlocal s = ("x"):rep(900)\nfor i = 1, 4e6 do print(s) end\n' >flood.lua
"$coulis" check flood.lua >stdout 2>stderr </dev/null
checks=$((checks + 1))
[ "$(stat -c %s stderr)" -le 4300000 ] || fail "a scene printed $(stat -c %s stderr) bytes"
has "the rest is left out" "printed more than 4 MB: the rest is left out" stderr

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
