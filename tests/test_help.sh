#!/bin/bash
# Help where one works: coulis help, words of other programs, faults behind unknown functions, the man page, completion by zsh and
# fish, check's picture and advice. usage: test_help.sh COULIS SOURCE_DIR
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_help.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"
mkdir gallery

# --- coulis help WORD ---

ends 0 help body.friction
for line in "^body.friction$" "^  allowed  a number from 0 to 1$" "^  default  0$" "^  example  body \{ friction = 0.5 \}$"; do
    has "a key" "$line" stdout
done
ends 0 help scene.spacing
has "its unit" "^scene.spacing \[m\]$" stdout
ends 0 help fluid.shape sph.courant honey.viscosity honey world:push pvfs cylinder
for line in "^fluid.shape \(shape\)" "^  example  scene \{ sph = \{ courant = 0.4 \} \}, or --set sph.courant=0.4$" \
    "^  honey    10$" '^material "honey": ' "^world:push\(name: string" "^pvfs: viscoelastic" "^cylinder \{"; do
    has "words" "$line" stdout
done
ends 0 help run
has "a command" "^usage: coulis run" stdout
ends 2 help body.frction
has "the nearest" "did you mean 'body.friction'\?" stderr
ends 2 help xyzzy
ends 2 help rotation
has "a word of other programs" "turn = " stderr
# Every word that there is, and each has an answer.
ends 0 help --words
mv stdout words
same "there are many" 1 $(($(wc -l <words) > 300))
# shellcheck disable=SC2046
split -l 90 words part.
for part in part.*; do
    # shellcheck disable=SC2046
    ends 0 help $(cat "$part")
done

# The list of a call's keys is what its reader takes, which a fault names.
for call in scene fluid body joint emitter sink field blower solid gauge camera colors mesh box sphere capsule cylinder cone \
    torus disk polygon shell plane; do
    echo "scene { spacing = 0.1 } $call { qqqqqqqqqqqq = 1 }" >call.lua
    [ $call != scene ] || echo "scene { qqqqqqqqqqqq = 1 }" >call.lua
    ends 2 check call.lua
    got=$(sed -n 's/.*qqqqqqqqqqqq.; keys: //p' stderr | head -1 | tr -d ' ' | tr ',' '\n' | grep -v '\.\.\.$' | sort -u)
    # Methods' tables are keys of scene{} too.
    expected=$(sed -n "s/^$call\.//p" words | sort -u)
    [ $call != scene ] || got=$(echo "$got" | grep -vxFf <("$coulis" list methods --names; echo sph))
    same "keys of $call" "$(echo "$expected" | xargs)" "$(echo "$got" | xargs)"
done

# --- Lua language servers ---

ends 0 help --lua
mv stdout coulis.lua
for line in "^---@meta$" "^---@field friction\? number " "^---@param what coulis.body$" "^function body\(what\) end$" \
    "^---@field push fun\(self: coulis.world, name: string"; do
    has "annotations" "$line" coulis.lua
done
same "no field twice in a class" "" \
    "$(awk '/^---@class/ { split("", seen) } /^---@field/ { if (seen[$2]++) print $2 }' coulis.lua | xargs)"

# --- Scenes in other programs' words ---

cat >foreign.lua <<'LUA'
scene { title = "Foreign", spacing = 0.05 }
light { position = {0, 5, 0} }
body { shape = sphere { radius = 0.1 }, position = {0, 1, 0}, rotation = 30 }
body { shape = letters { "Coulis" }, frction = 1 }
fluid { material = "water", shape = cube { size = 1 } }
ligth2()
fluid { material = "watr", shape = box { size = {1, 1, 1} } }
LUA
ends 2 check foreign.lua
for line in "^foreign.lua:2: there is no function 'light': pictures have" \
    "^foreign.lua:3: body.position: unknown key 'position': here it is 'at'; keys: " \
    "^foreign.lua:3: body.rotation: unknown key 'rotation': here it is 'turn'; keys: " \
    "^foreign.lua:4: there is no function 'letters': here it is 'text'" \
    "^foreign.lua:4: body.frction: unknown key 'frction': did you mean 'friction'" \
    "^foreign.lua:5: there is no function 'cube': here it is 'box'" \
    "^foreign.lua:6: unknown name 'ligth2'" \
    "^foreign.lua:7: fluid.material: unknown material 'watr': did you mean 'water'"; do
    has "all faults, also behind unknown functions" "$line" stderr
done
has "and no others" "^8 faults$" stderr
# A name that is only read is one fault, as ever.
echo 'scene { spacing = spcing }' >read.lua
ends 2 check read.lua
has "a name that is read" "^read.lua:1: unknown name 'spcing'" stderr
has "is one fault" "^1 fault$" stderr
# Also in a file that is required.
mkdir lib && echo 'light { }' >lib/lights.lua
printf 'scene { spcing = 1 }\nrequire "lib.lights"\nlight { }\n' >main.lua
ends 2 check main.lua
for line in "main.lua:1: scene.spcing" "lib/lights.lua:1: there is no function" "main.lua:3: there is no function"; do
    has "in each file" "$line" stderr
done

# --- The start as a picture, volumes, advice ---

cat >glass.lua <<'LUA'
scene { title = "Glass", method = "pvfs", spacing = 0.0064, duration = 3 }
body { shape = shell { cylinder { radius = 0.032, height = 0.1 }, thickness = 0.01, open = true }, at = {0, 0.05, 0} }
fluid { material = "water", shape = cylinder { radius = 0.032, height = 0.07 }, at = {0, 0.035, 0} }
LUA
ends 0 check glass.lua --picture start.png --size 64x36
same "a picture" "89504e47" "$(head -c 4 start.png | od -An -tx1 | tr -d ' ')"
has "volumes are met" "^volume +what is filled is within 0\.[0-9]+ %" stdout
has "a method that damps" "^advice +pvfs damps waves and swirls.* dfsph keep them" stdout
same "nothing sinks" 0 "$(grep -c '^advice.*sink' stdout)"
(cat glass.lua && echo 'body { shape = sphere { radius = 0.01 }, at = {0, 0.09, 0}, density = 1400 }') >pebble.lua
ends 0 check pebble.lua
has "what sinks too slowly" "^advice +bodies sink in pvfs.*; dfsph comes closer" stdout
sed 's/"water"/"honey"/' glass.lua >honey.lua
ends 0 check honey.lua --set pvfs.height_error=0.01
has "what runs down too slowly" "^advice +thick liquids .* 0\.2 of their speed in pvfs.* dfsph" stdout
has "what is too stiff" "^a height error below 0.015 stiffens the flow: jets" stdout
ends 0 check honey.lua --method dfsph
same "what does not" 0 "$(grep -c 'thick liquids\|stiffens' stdout)"
ends 0 check glass.lua --method dfsph
same "one that does not" 0 "$(grep -c '^advice' stdout)"
sed 's/cylinder { radius = 0.032, height = 0.07 }, at/box { size = {0.04, 0.045, 0.04} }, at/' glass.lua >box.lua
ends 0 check box.lua
has "by how much not" "^volume +box.lua:3: the particles come to 0\.[0-9]+ of the volume" stdout
ends 2 check glass.lua --size 64x36
ends 2 check glass.lua --picture nowhere/start.png --size 64x36

# --- Man page ---

checks=$((checks + 1))
"$source_dir/tools/man" "$coulis" >coulis.1 || fail "tools/man"
has "the man page" "^\.SS coulis run$" coulis.1
has "its options" '\\-\\-columns' coulis.1
if command -v groff >/dev/null; then same "is sound roff" "" "$(groff -man -ww -z coulis.1 2>&1)"; fi

# --- Completion ---

mkdir bin && ln -s "$coulis" bin/coulis
cat >zsh-test <<'ZSH'
words=("$@")
CURRENT=$#
compadd() { while [[ $1 == -* && $1 != -- ]]; do shift; done; [[ $1 == -- ]] && shift; print -l -- "$@"; }
_files() { : }
source "$COULIS_COMPLETION" "$@"
ZSH
complete_zsh() { COULIS_COMPLETION=$source_dir/tools/completion.zsh zsh -f zsh-test coulis "$@" 2>&1 | sort -u; }
export PATH=$here/bin:$PATH
complete_zsh "" >out
for word in run check help --version; do has "zsh: commands" "^$word$" out; done
complete_zsh run --method "" >out
has "zsh: methods" "^dfsph$" out
complete_zsh run -- >out
has "zsh: options" "^--columns$" out
complete_zsh help "" >out
has "zsh: words" "^body.friction$" out
complete_fish() { HOME=$here fish --no-config -c "source $source_dir/tools/completion.fish; complete -C '$1'" 2>&1 | cut -f1; }
complete_fish "coulis " >out
for word in run check help; do has "fish: commands" "^$word$" out; done
complete_fish "coulis run --meth" >out
has "fish: options" "^--method$" out
complete_fish "coulis help body.fric" >out
has "fish: words" "^body.friction$" out

echo "$checks checks, $failures failed"
exit $((failures > 0))
