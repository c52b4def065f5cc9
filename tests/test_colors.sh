#!/bin/bash
# Pictures coloured by a number of each particle, as a user meets them. usage: test_colors.sh COULIS SOURCE_DIR
# Each check prints what it expected and what it got; the script ends with the number of failures.
# shellcheck disable=SC2086 # options are kept as words of one text
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_colors.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"
ulimit -c 0
small="--size 96x64"
picture() { cksum <"$1"; }
frames_of() { ffmpeg -v error -i "$1" -f framemd5 - | cksum; }

mkdir gallery
cat >gallery/pool.lua <<'LUA'
-- A pool
scene { title = "Pool", spacing = 0.03, duration = 0.2, fps = 30, method = "wcsph" }
local walls = shell { box { size = {0.3, 0.3, 0.3} }, thickness = 0.02, open = true }
body { name = "tank", shape = walls, at = {0, 0.15, 0}, opacity = 0.3 }
body { name = "ball", shape = sphere { radius = 0.05 }, at = {0.07, 0.2, 0}, density = 300 }
fluid { material = "water", shape = box { size = {0.12, 0.2, 0.24} }, at = {-0.08, 0.13, 0} }
camera { from = {0.7, 0.6, 0.9}, to = {0, 0.15, 0} }
LUA
{ cat gallery/pool.lua; echo 'colors { by = "speed", map = "inferno" }'; } >gallery/painted.lua

# --- A run, and what render makes of it ---

ends 0 run pool --out run --frames 6 --video --color-by speed $small
ends 0 render run --color-by speed $small --out all --quiet
same "a picture for each frame" 6 "$(count all 'picture_*.png')"
same "the run's picture is render's" "$(picture run/picture.png)" "$(picture all/picture_000006.png)"
ends 0 render run --color-by speed --frames 3 $small --out one --quiet
same "one picture has the scale of all" "$(picture all/picture_000003.png)" "$(picture one/picture_000003.png)"
ends 0 render run --color-by speed --frames last $small --out threads --threads 3 --quiet
same "any number of threads" "$(picture all/picture_000006.png)" "$(picture threads/picture_000006.png)"
ends 0 run painted --out painted --frames 6 --picture $small --quiet
ends 0 render run --color-by speed --color-map inferno --frames last $small --out map --quiet
same "the scene's colours are the options'" "$(picture map/picture_000006.png)" "$(picture painted/picture.png)"
cmp -s map/picture_000006.png all/picture_000006.png && fail "a map is not seen"
ends 0 render painted --color-by none --frames last $small --out none --quiet
ends 0 render run --frames last $small --out plain --quiet
same "none is by material" "$(picture plain/picture_000006.png)" "$(picture none/picture_000006.png)"
cmp -s plain/picture_000006.png all/picture_000006.png && fail "colours are not seen"
for by in pressure density vy id; do
    ends 0 render run --color-by $by --frames last $small --out "by_$by" --quiet
    cmp -s "by_$by/picture_000006.png" all/picture_000006.png && fail "colours by $by are those by speed"
done
ends 0 render run --color-by speed --no-legend --frames last $small --out bare --quiet
cmp -s bare/picture_000006.png all/picture_000006.png && fail "a legend is not seen"
for quality in splats final; do
    ends 0 render run --color-by speed --quality $quality --samples 2 --frames last $small --out $quality --quiet
    same "$quality" 1 "$(count $quality '*.png')"
done
ends 2 render run --color-by speed --color-range 0,9 $small --out all
has "scales are not mixed" "^all: holds 6 pictures that were made otherwise" stderr

# --- A film that goes on keeps its scale ---

ends 0 run pool --out half --frames 3 --video --color-by speed $small --quiet
ends 0 run --resume half --frames 6 --quiet
same "a resumed film's picture" "$(picture run/picture.png)" "$(picture half/picture.png)"
same "and the film" "$(frames_of run/film.mp4)" "$(frames_of half/film.mp4)"
ends 0 run pool --out given --frames 2 --picture --export none --color-by pressure --color-range 0,2000 $small --quiet
same "a given scale needs no frames" 1 "$(count given picture.png)"

# --- Samples of bodies ---

ends 0 run pool --out samples --frames 4 --picture --show-samples $small --quiet
same "samples of each frame" 5 "$(count samples 'samples_*.vtp')"
ends 0 render samples --show-samples --frames last $small --out shown --quiet
same "the run's picture of samples" "$(picture samples/picture.png)" "$(picture shown/picture_000004.png)"
ends 0 render samples --frames last $small --out hidden --quiet
cmp -s shown/picture_000004.png hidden/picture_000004.png && fail "samples are not seen"
ends 0 run pool --out ghosts --frames 2 --export vtk,samples --set sph.boundary=ghost --quiet
same "ghosts are samples too" 3 "$(count ghosts 'samples_*.vtp')"
"$coulis" info ghosts/samples_000002.vtp >stdout
has "ghosts of bodies" "^material [01] +[0-9]+ particles" stdout
ends 1 render run --show-samples --frames last $small --out lacking --quiet
has "a run without samples" "samples_000006.vtp is not there|is not there: coulis run --export vtk,samples" stderr
ends 2 render other_0.vtk --show-samples --out never
ends 2 render run --show-samples --quality final --out never
has "samples in final pictures" "^coulis render: --show-samples: goes with previews" stderr
ends 2 run pool --out never --show-samples
has "samples in no picture" "^coulis run: --show-samples: in which pictures\?" stderr

# --- Any array of another program's frames ---

{
    printf '# vtk DataFile Version 3.0\nother\nASCII\nDATASET POLYDATA\nPOINTS 8 float\n'
    printf '%s\n' "0 0 0" "1 0 0" "0 1 0" "1 1 0" "0 0 1" "1 0 1" "0 1 1" "1 1 1"
    printf 'POINT_DATA 8\nSCALARS temperature float 1\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\n'
} >other_1.vtk
ends 0 render other_1.vtk --color-by temperature $small --out other --quiet
same "any column" 1 "$(count other '*.png')"
ends 2 render other_1.vtk --color-by heat $small --out never
has "no such column" "^coulis render: --color-by: other_1.vtk has no column 'heat'; it has temperature" stderr

# --- Bad input ---

ends 2 run pool --out never --picture --color-by sped
has "a column that is near" "^coulis run: --color-by: unknown column 'sped' \(did you mean speed\?\)" stderr
ends 2 run pool --out never --picture --color-by pressure --method pvfs
has "pvfs has no pressure" "^coulis run: --color-by: pvfs has no pressure" stderr
ends 2 run pool --out never --color-by speed
has "colours of no picture" "^coulis run: --color-by: of which pictures\?" stderr
ends 2 run pool --out never --picture --color-by speed --export none
has "a scale from nothing" "^coulis run: --color-range: an automatic scale is found in the frame files" stderr
ends 2 render run --out never --color-by speed --color-map rainbow
has "an unknown map" "^coulis render: --color-map: unknown map 'rainbow'" stderr
ends 2 render run --out never --color-range 0,1
has "a scale of nothing" "^coulis render: --color-range: of which column\?" stderr
for range in 1 1,x 2,1 1,1 nan,1 0,1,2; do
    ends 2 render run --out never --color-by speed --color-range $range
    has "a bad scale $range" "^coulis render: --color-range: " stderr
done
ends 0 render run --out ranges --color-by speed --color-range auto,2 --frames 1 $small --quiet
same "nothing is written" 0 "$(count . never)"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
