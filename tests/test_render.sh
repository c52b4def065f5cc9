#!/bin/bash
# Surfaces, pictures and film as a user meets them. usage: test_render.sh COULIS SOURCE_DIR
# Each check prints what it expected and what it got; the script ends with the number of failures.
# shellcheck disable=SC2086 # options are kept as words of one text
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_render.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"
ulimit -c 0
small="--size 64x48"
final="--quality final --samples 2 $small"

# bytes FOLDER PATTERN: a checksum of the files' contents in the order of their names, and how many there are
bytes() { find "$1" -maxdepth 1 -type f -name "$2" 2>/dev/null | sort | xargs -r cat | cksum; count "$1" "$2"; }
# files FOLDER: how many there are
# what is there besides the list of what Coulis wrote
files() { find "$1" -type f ! -name .coulis-files | wc -l; }
# size_of PICTURE: "64x48" from the head of a PNG
size_of() { printf '%dx%d' $((16#$(od -An -tx1 -j16 -N4 "$1" | tr -d ' '))) $((16#$(od -An -tx1 -j20 -N4 "$1" | tr -d ' '))); }
# film_of FILE: codec, size, pixels, frames, rate
film_of()
{
    ffprobe -v error -count_frames -select_streams v -of csv=p=0 \
        -show_entries stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames "$1"
}
frames_of() { ffmpeg -v error -i "$1" -f framemd5 - | cksum; }

mkdir gallery
# A free body whose shape's origin is not its centre of mass, a driven one, one that leaves, two liquids, a camera that goes
# around.
cat >gallery/pool.lua <<'LUA'
-- A pool with bodies
scene { title = "Pool", spacing = 0.03, duration = 0.2, fps = 30, seed = 4 }
local walls = shell { of = box { size = {0.3, 0.3, 0.3} }, thickness = 0.02, open = true }
local pear = union { sphere { radius = 0.05 }, sphere { radius = 0.03 }:at { 0.05, 0, 0 } }
local function swing(t) return { at = {0.08 * math.sin(6 * t), 0.06, 0.08} } end
body { name = "tank", shape = walls, at = {0, 0.15, 0}, opacity = 0.3 }
body { name = "ball", shape = pear, at = {0, 0.2, 0}, density = 300 }
body { name = "paddle", shape = sphere { radius = 0.04 }, motion = swing }
body { name = "guest", shape = box { size = {0.03, 0.03, 0.03} }, at = {0.1, 0.4, 0} }
fluid { material = "water", shape = box { size = {0.12, 0.12, 0.12} }, at = {-0.06, 0.1, 0} }
fluid { material = "honey", shape = box { size = {0.09, 0.09, 0.09} }, at = {0.08, 0.1, 0} }
at(0.1, function(world) world:remove_body("guest") end)
camera { from = {0.7, 0.6, 0.9}, to = {0, 0.15, 0}, fov = 35, aperture = 0.01, turntable = 2 }
LUA
grep -v '^camera' gallery/pool.lua >gallery/plain.lua
cat >gallery/sheet.lua <<'LUA'
-- A puddle in a plane
scene { title = "Sheet", dimension = 2, spacing = 0.03, duration = 0.2, fps = 30 }
body { name = "floor", shape = box { size = {0.6, 0.02} }, at = {0, -0.01} }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.15} }
LUA

# ply NAME SHIFT SIDE: a block of SIDE^3 particles 2 cm apart, moved by SHIFT, as another program may write it
ply()
{
    awk -v shift="$2" -v n="$3" 'BEGIN {
        print "ply\nformat ascii 1.0\nelement vertex " n * n * n
        print "property float x\nproperty float y\nproperty float z\nend_header"
        for (i = 0; i < n * n * n; i++) printf "%g %g %g\n", 0.02 * (i % n) + shift, 0.02 * int(i / n % n), 0.02 * int(i / n / n)
    }' >"$1"
}
vtk()
{
    awk -v shift="$2" -v n="$3" 'BEGIN {
        print "# vtk DataFile Version 3.0\nblock\nASCII\nDATASET POLYDATA\nPOINTS " n * n * n " float"
        for (i = 0; i < n * n * n; i++) printf "%g %g %g\n", 0.02 * (i % n) + shift, 0.02 * int(i / n % n), 0.02 * int(i / n / n)
    }' >"$1"
}

# --- Usage ---

for command in surface render; do
    ends 0 $command --help
    has "$command --help" "usage: coulis $command FRAMES" stdout
    has "help from the surface's table" "^  --cell M  +of the grid; auto: a third of a spacing \[m\] \(default auto\)$" stdout
    has "the program's own default" "^  --smoothing N  +rounds that .* \(default 3\)$" stdout
    has "a flag that is off" "^  --blend  +all materials as one surface" stdout
    has "long help goes on below" "^ {27}[a-z].*; default anisotropic\)$" stdout
    same "no wide rows" "" "$(awk 'length > 130' stdout)"
    ends 2 $command
    ends 2 $command nowhere
    has "$command of a missing folder" "^nowhere: " stderr
    mkdir -p empty
    ends 2 $command empty
    has "$command of a folder without frames" "^empty: holds no frames" stderr
    ends 2 $command 'empty/*.vtk'
    ends 2 $command empty --field clavett --level x --frmes 3 --threads 0 --max-memory 0 --smoothing 99
    for option in --field --level --frmes --threads --max-memory --smoothing; do
        has "$command: all faults at once" "^coulis $command: $option: " stderr
    done
    same "one fault each" 6 "$(wc -l <stderr)"
    has "a field's words" "--field is 'clavett'; it must be clavet, color, anisotropic$" stderr
    has "a level's range" "--level is 'x'; it must be a number > 0 and <= 1000$" stderr
    has "a range with its unit" "--max-memory is 0 \[GiB\]; it must be a number > 0" stderr
    has "a range of whole numbers" "--smoothing is 99; it must be a whole number from 0 to 50$" stderr
    ends 2 $command empty --blend=true --cell --radius 1,2 --smoothing 1.5
    has "a flag has no value" "^coulis $command: --blend: takes no value$" stderr
    has "a value is missing" "^coulis $command: --cell: needs a value: --cell M$" stderr
    has "two numbers for one" "--radius is 1, 2 \[m\]; it must be a number > 0" stderr
    has "part of a round" "--smoothing is 1.5; it must be a whole number" stderr
done
ends 2 surface empty --format obg
has "nearest format" "did you mean obj" stderr
ends 2 render empty --quality finale --size 1x1 --from 1,2 --film x.avi --layers
for option in --quality --size --to --film --layers; do has "all faults at once" "^coulis render: $option: " stderr; done
has "nearest quality" "did you mean final" stderr
ends 2 render empty --fov 30
has "a field of view without a camera" "^coulis render: --fov: " stderr
ends 2 render empty --from 1,1,1 --to 1,1,1
ends 2 render empty --size 63x48
ends 2 render empty --film x.mp4 --video
same "nothing is written" "empty gallery stderr stdout" "$(names . | xargs)"
ends 2 run pool --out never --quality fin --samples 0 --shutter 2
for option in --quality --samples --shutter; do has "all faults at once" "^coulis run: $option: " stderr; done
ends 2 run pool --out never --quality final
has "a quality of no picture" "^coulis run: --quality: " stderr
same "no folder after bad usage" 0 "$(count . never)"

# --- Blowers ---

# Drawn where they are asked to be, and nowhere else. Ones that have not begun leave the liquid as it is.
for opacity in none 0 0.5; do
    cp gallery/sheet.lua gallery/fan.lua
    [ $opacity = none ] ||
        echo "blower { shape = box { size = {0.1, 0.1} }, at = {0.2, 0.15}, force = 1, start = 9, opacity = $opacity }" \
            >>gallery/fan.lua
    ends 0 run fan --out fan$opacity --frames 1 --quiet
    ends 0 render fan$opacity $small --from 0,0.1,1 --to 0,0.1,0 --quiet
done
same "a blower of opacity 0 is not drawn" "$(bytes fannone 'picture_*.png')" "$(bytes fan0 'picture_*.png')"
[ "$(bytes fannone 'picture_*.png')" != "$(bytes fan0.5 'picture_*.png')" ] || fail "a blower of opacity 0.5 is not drawn"

# --- Surfaces of a run ---

ends 0 run pool --out run --frames 6 --surface --quiet
same "surfaces are .obj unless --export says more" "6 6" "$(count run 'surface_00000[1-6].obj') $(count run 'surface_*')"
has "a mesh" "^f [0-9]" run/surface_000006.obj
ends 0 run pool --out kinds --frames 2 --surface --export vtk,ply,obj --quiet
same "the kinds of --export" "2 2 2" \
    "$(count kinds 'surface_*.obj') $(count kinds 'surface_*.ply') $(count kinds 'surface_*.vtp')"
same "ParaView's list of them" 2 "$(grep -c DataSet kinds/surface.pvd)"
ends 0 run pool --out objects --frames 1 --export obj --quiet
same "surfaces alone" "1 0" "$(count objects 'surface_*.obj') $(count objects 'particles_*')"
ends 0 run sheet --out sheet --frames 2 --surface --quiet
same "in 2D .svg" "2 2" "$(count sheet 'surface_*.svg') $(count sheet 'surface_*')"
has "a closed outline" "<path .*[zZ]" sheet/surface_000002.svg
ends 0 run pool --out parts --frames 3 --surface --quiet
ends 0 run --resume parts --frames 6 --quiet
same "surfaces of a resumed run" "$(bytes run 'surface_*')" "$(bytes parts 'surface_*')"
ends 0 run sheet --out parts --frames 1 --quiet
same "an old run's surfaces make way" 0 "$(count parts 'surface_*')"

# Made later they are the same.
for threads in 1 3; do
    ends 0 surface run --out later$threads --threads $threads --quiet
    same "quiet prints nothing" "" "$(cat stdout stderr)"
    same "coulis surface as --surface, $threads threads" "$(bytes run 'surface_*.obj')" "$(bytes later$threads 'surface_*.obj')"
done
ends 0 surface run --format ply,vtp
has "says where they are" "^6 surfaces in run$" stdout
same "formats" "6 6 6" "$(count run 'surface_*.obj') $(count run 'surface_*.ply') $(count run 'surface_*.vtp')"
same "listed for ParaView" 6 "$(grep -c DataSet run/surface.pvd)"
ends 0 surface sheet --out flat --quiet
same "a run in 2D" "$(bytes sheet 'surface_*.svg')" "$(bytes flat 'surface_*')"
ends 2 surface run --format svg
has "svg is flat" "^coulis surface: --format: svg is for surfaces in 2D" stderr
for setting in "--field clavet" "--field color" "--cell 0.02" "--radius 0.05" "--smoothing 0" "--blend"; do
    ends 0 surface run/particles_000006.vtp --spacing 0.03 --out "set" $setting --quiet
    cmp -s "set/surface_000006.obj" run/surface_000006.obj && fail "$setting changes nothing"
    checks=$((checks + 1))
done
ends 0 surface run/particles_000006.vtp --spacing 0.03 --out plain --quiet
ends 0 surface run/particles_000006.vtp --spacing 0.03 --out auto --cell auto --radius=auto --level auto --quiet
same "auto is the default" "$(bytes plain 'surface_*')" "$(bytes auto 'surface_*')"

# --- Surfaces of other programs' frames ---

mkdir foreign
for i in 1 2 3; do vtk foreign/block_$i.vtk 0.0$i 6; done
ends 0 surface 'foreign/block_*.vtk'
has "the spacing is guessed" "spacing guessed .*: 0.02 m" stdout
same "beside the frames" 3 "$(count foreign 'surface_00000[123].obj')"
volume=$("$coulis" info foreign/surface_000001.obj | sed -n 's/^volume *\([0-9.e-]*\).*/\1/p')
# A block this small is rounded by a fifth of its volume; a spacing that is wrong by a tenth is off by a third.
same "the volume of 216 particles" 1 "$(awk -v v="$volume" 'BEGIN { print (v > 0.8 * 216 * 8e-6 && v < 1.2 * 216 * 8e-6) }')"
ends 0 surface 'foreign/block_*.vtk' --spacing 0.02 --out given
same "the spacing given" "$(bytes foreign 'surface_*')" "$(bytes given 'surface_*')"
mkdir plys
for i in 1 2 3; do ply plys/block_$i.ply 0.0$i 6; done
ends 0 surface plys --out given2 --quiet
same "the same particles as .ply" "$(bytes given 'surface_*')" "$(bytes given2 'surface_*')"
ends 0 surface plys --format ply --quiet
ends 0 surface plys --format ply --quiet
same "again, with its own meshes beside them" "3 3" "$(count plys 'block_*') $(count plys 'surface_*')"
ends 0 surface foreign/block_2.vtk foreign/block_3.vtk --out named --quiet
same "files by name" "surface_000002.obj surface_000003.obj" "$(names named | xargs)"
(cd foreign && "$coulis" surface block_1.vtk --format ply --quiet) || fail "a file in this folder"
same "in this folder" 1 "$(count foreign surface_000001.ply)"

# --- Pictures during a run ---

ends 0 run pool --out final --frames 6 --picture $final --quiet
same "a final picture" "64x48" "$(size_of final/picture.png)"
ends 0 run pool --out spheres --frames 6 --picture $small --quiet
cmp -s final/picture.png spheres/picture.png && fail "final looks as preview"
ends 0 run pool --out discs --frames 6 --picture $small --quality splats --quiet
cmp -s discs/picture.png spheres/picture.png && fail "splats look as preview"
for run in final spheres discs; do same "pictures do not change the bits" "$(hash_of run)" "$(hash_of $run)"; done

# The picture of a run and that of its files are the same, byte for byte: bodies, camera, light.
ends 0 render final --frames last $final --quiet
same "final again" "$(cksum <final/picture.png)" "$(cksum <final/picture_000006.png)"
ends 0 render spheres --frames last $small --quiet
same "preview again" "$(cksum <spheres/picture.png)" "$(cksum <spheres/picture_000006.png)"
ends 0 render discs --frames last $small --quality splats --quiet
same "splats again" "$(cksum <discs/picture.png)" "$(cksum <discs/picture_000006.png)"
ends 0 run plain --out plain --frames 5 --picture $final --shutter 0.8 --no-denoise --quiet
ends 0 render plain --frames last $final --shutter 0.8 --no-denoise --quiet
same "with an automatic camera and motion blur" "$(cksum <plain/picture.png)" "$(cksum <plain/picture_000005.png)"
ends 0 run sheet --out sheet --frames 4 --picture $small --quiet
ends 0 render sheet --frames last $small --quiet
same "in 2D" "$(cksum <sheet/picture.png)" "$(cksum <sheet/picture_000004.png)"
ends 2 render sheet $final --layers --out never
has "no layers of a drawing" "^coulis render: --layers: " stderr
same "nothing is written" 0 "$(count . never)"

# --- Pictures of a run's folder ---

ends 0 render run $small --out all
has "says what was done" "^6 pictures drawn, 0 were there, in all$" stdout
has "plain progress lines" "^picture 6/6 " stderr
same "all frames" "6 7" "$(count all 'picture_00000[1-6].png') $(files all)"
same "their last is the run's" "$(cksum <spheres/picture.png)" "$(cksum <all/picture_000006.png)"
same "the guest leaves, the camera turns" 6 "$(cksum all/*.png | cut -d' ' -f1 | sort -u | wc -l)"
for threads in 1 3; do
    ends 0 render run $final --threads $threads --frames 2,5 --out threads$threads --quiet
    same "quiet prints nothing" "" "$(cat stdout stderr)"
done
same "any number of threads" "$(bytes threads1 '*.png')" "$(bytes threads3 '*.png')"
# What is asked for, and the frames that it means; none: a fault.
lists=("last 6" "1-3/2 1,3" "4- " "2-3,last 2,3,6" "1,1 1" "007 " "6-1 " "1-3/0 " "x " "1- " " " "1,,2 " "-1 " "9 " "1,9 ")
for list in "${lists[@]}"; do
    read -r frames numbers <<<"$list"
    rm -rf some
    ends "$([ -n "$numbers" ] && echo 0 || echo 2)" render run $small --frames="$frames" --out some --quiet
    same "--frames $frames" "$numbers" "$(names some | sed -n 's/picture_0*\([0-9]*\).png/\1/p' | xargs | tr ' ' ,)"
done
has "which frames there are" "no frame 9; they are 1 to 6" stderr
ends 0 render run $small --frames 1-2 --from 1,0.5,0 --to 0,0.1,0 --out seen --quiet
cmp -s seen/picture_000001.png all/picture_000001.png && fail "--from changes nothing"
ends 2 render run --material honey --out never
ends 2 render run --spacing 0.1 --out never
has "a run has its own" "^coulis render: --spacing: is for frames of other programs" stderr

# Pictures that are there are kept, those made otherwise are not mixed with them.
touch -d '2001-01-01' all/picture_000002.png
rm all/picture_000003.png
ends 0 render run/ $small --out all
has "only the missing one is drawn" "^1 pictures drawn, 5 were there, in all$" stdout
same "the others are not touched" 2001 "$(date -r all/picture_000002.png +%Y)"
before=$(bytes all '*')
for other in "--size 64x64" "$small --quality splats" "$small --from 1,1,1 --to 0,0,0" "$small --frames 3 --blend"; do
    ends 2 render run $other --out all
    has "other settings are refused ($other)" "^all: holds 6 pictures that were made otherwise" stderr
done
ends 2 render sheet $small --out all
has "another run is refused" "^all: holds 6 pictures" stderr
same "nothing is touched" "$before" "$(bytes all '*')"
ends 0 render run $small --quality splats --frames 1,2 --out all --force --quiet
same "--force: the others make way" 2 "$(count all '*.png')"
ends 0 render run $small --quality splats --frames 2 --out all --force
has "--force makes anew what was asked for" "^1 pictures drawn, 0 were there" stdout
same "and keeps the rest" 2 "$(count all '*.png')"
ends 0 render run $final --frames 3 --out layers --quiet
ends 0 render run $final --frames 3 --out layers --layers --quiet
same "all layers in one file" "1 0" "$(count layers 'layers_*.exr') $(count layers '*.pfm')"
exrheader layers/layers_000003.exr >exr.txt
for line in "^dataWindow .*\(0 0\) - \(63 47\)" "^    R, 32-bit floating-point" "^    Z, 32-bit" "^    albedo.G, 32-bit" \
    "^    normal.X, 32-bit" "^    coverage.A, 32-bit"; do
    has "its head" "$line" exr.txt
done
ends 0 render run $final --frames 3 --out layers --layers --pfm --quiet
# pfm_of FILE: its head, and the bytes behind it
pfm_of() { echo "$(head -3 "$1" | xargs) $(($(stat -c %s "$1") - $(head -3 "$1" | wc -c)))"; }
for layer in radiance normal albedo; do
    same "$layer" "PF 64 48 -1.0 $((64 * 48 * 12))" "$(pfm_of layers/${layer}_000003.pfm)"
done
same "depth" "Pf 64 48 -1.0 $((64 * 48 * 4))" "$(pfm_of layers/depth_000003.pfm)"
same "one and the same picture" same "$(python3 "$source_dir/tests/read_exr.py" layers/layers_000003.exr \
    layers/radiance_000003.pfm layers/albedo_000003.pfm 2>&1)"
ends 2 render run $final --frames 3 --out layers --pfm
has "a kind of layers" "^coulis render: --pfm: is a kind of layers" stderr
ends 0 run pool --out anew --frames 1 --quiet
ends 0 render anew $final --layers --quiet
ends 0 run pool --out anew --frames 2 --quiet
same "pictures of an old run make way" "0 0" "$(count anew 'picture*') $(count anew '*.exr')"

# --- Stopped in the middle ---

# stop SIGNAL PICTURE FRAMES OUT OPTIONS...: draws the 6 frames of FRAMES until that picture is there, then sends the signal. A
# machine that starves this script may be through by then: once more, with pictures that take longer. Leaves the quality in `big`,
# what is there in `there`, and returns the exit code.
samples=8
stop()
{
    local signal=$1 picture=$2 frames=$3 out=$4 code
    shift 4
    while :; do
        big="--quality final --samples $samples --size 160x90"
        start render "$frames" $big --out "$out" "$@"
        wait_for "$out/picture_$picture.png"
        kill "-$signal" $pid 2>/dev/null
        wait $pid 2>/dev/null
        code=$?
        there=$(count "$out" 'picture_*.png')
        if [ "$there" -lt 6 ] || [ $samples -gt 10000 ]; then return $code; fi
        rm -rf "$out"
        samples=$((2 * samples))
    done
}

for signal in INT TERM KILL; do
    stop $signal 000002 run stopped$signal
    code=$?
    if [ $signal != KILL ]; then
        same "exit code after SIG$signal" 1 $code
        has "says how to go on" "^interrupted; the same command goes on$" stderr
        same "no temporary files" 0 "$(count stopped$signal '*.tmp')"
    fi
    same "stopped before its end" 1 $((there < 6))
    [ -d straight$samples ] || ends 0 render run $big --out straight$samples --quiet
    ends 0 render run $big --out stopped$signal
    has "goes on after SIG$signal" "^$((6 - there)) pictures drawn, $there were there" stdout
    same "as never stopped by SIG$signal" "$(bytes straight$samples '*.png')" "$(bytes stopped$signal '*.png')"
done

# --- Film ---

if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    ends 0 run pool --out film --frames 6 --video --quality splats $small --quiet
    same "film of a run" "h264,64,48,yuv420p,30/1,6" "$(film_of film/film.mp4)"
    ends 0 run pool --out film2 --frames 5 --video --quality splats $small --quiet # the guest has left by then
    ends 0 run --resume film2 --frames 6 --quiet
    same "a resumed film shows the same" "$(frames_of film/film.mp4)" "$(frames_of film2/film.mp4)"
    ends 0 render film $small --quality splats --video --out film3
    has "says where it is" "^film: film3/film.mp4$" stdout
    same "and so does a film made later" "$(frames_of film/film.mp4)" "$(frames_of film3/film.mp4)"
    ends 0 render film $small --quality splats --video --out film3 --fps 15 --quiet
    same "of pictures that are there, slower" "h264,64,48,yuv420p,15/1,6" "$(film_of film3/film.mp4)"
    ends 0 render film $small --quality splats --out film3 --frames 1-4 --film film3/part.gif --quiet
    same "GIF" "gif,64,48,4" "$(film_of film3/part.gif | cut -d, -f1-3,6)"
    ends 0 render film $small --quality splats --out film3 --film film3/loop.webp --quiet
    same "WebP" "RIFF WEBP" "$(head -c 4 film3/loop.webp) $(head -c 12 film3/loop.webp | tail -c 4)"
    same "frames of a WebP" 6 "$(grep -ao ANMF film3/loop.webp | wc -l)"
    ends 2 render film $small --film fast.gif --fps 60 --out never
    has "a GIF has its limit" "^coulis render: --fps: .*at most 50" stderr
    ends 2 render film $small --film nowhere/film.mp4 --out unseen
    has "a film that cannot be written" "^nowhere/film.mp4: cannot be written" stderr
    same "is known before anything is written" 0 "$(count . unseen)"
    (
        # shellcheck disable=SC2123 # no program is to be found
        PATH=/nowhere
        "$coulis" render film $small --video --out unseen >stdout 2>stderr
    )
    same "exit code without ffmpeg" 1 $?
    has "ffmpeg is named" "needs the program ffmpeg" stderr
    stop TERM 000001 film cut --video
    same "no half of a film" "1 0 0" "$? $(count cut 'film*') $(count cut '*.tmp')"
fi

# --- Other programs' frames ---

ends 0 render 'foreign/block_*.vtk' $final --material honey
has "the spacing is guessed" "spacing guessed .*: 0.02 m" stdout
same "pictures" 3 "$(count pictures 'picture_00000[123].png')"
ends 0 render foreign/block_*.vtk $final --out water --quiet
cmp -s water/picture_000001.png pictures/picture_000001.png && fail "honey looks as water"
ends 0 render plys $small --out still --quiet
same "an automatic camera stands still while blocks move" 3 "$(cksum still/*.png | cut -d' ' -f1 | sort -u | wc -l)"
ends 0 render 'foreign/block_*.vtk' $final --material honey --frames 2 --out second --quiet
same "also for one of the frames" "$(cksum <pictures/picture_000002.png)" "$(cksum <second/picture_000002.png)"
ends 0 render plys $final --material honey --spacing 0.02 --from 0.3,0.2,0.4 --to 0.06,0.06,0.06 --fov 30 --out blocks --quiet
same "seen from a place, blocks move" 3 "$(cksum blocks/*.png | cut -d' ' -f1 | sort -u | wc -l)"
ends 2 render plys --material hony --out never
has "nearest material" "did you mean honey" stderr
ends 2 render plys --scene pool --out never

# --- Bad frames ---

# A frame cut short, one without particles, one with particles that are nowhere: the others are made.
mkdir bad
for i in 1 2 3 5; do ply bad/f_$i.ply 0 5; done
truncate -s 300 bad/f_2.ply
sed -i '20s/.*/nan 0 0/; 30s/.*/0 inf 0/' bad/f_3.ply
ply bad/f_4.ply 0 0
for command in "surface" "render $small" "render $final" "render $small --quality splats"; do
    rm -rf got
    ends 1 $command bad --out got
    has "$command: the cut frame is named" "^warning: bad/f_2.ply: " stderr
    has "$command: lost particles are counted" "^warning: bad/f_3.ply: 2 particles" stderr
    has "$command: how many are left out" "^1 of 5 frames were left out$" stderr
    same "$command: the others are made" 4 "$(count got '*_00000[1345].*')"
done
if command -v ffmpeg >/dev/null; then
    ends 1 render bad $small --out got2 --video --quiet
    same "a film of the others" "h264,64,48,yuv420p,30/1,4" "$(film_of got2/film.mp4)"
fi
mkdir nothing && ply nothing/f_1.ply 0 0
ends 0 surface nothing --quiet
has "a surface of nothing" "^#" nothing/surface_000001.obj
ends 0 render nothing $final --out nothing --quiet
mkdir lost && ply lost/f_1.ply 0 1 && sed -i '$s/.*/nan nan nan/' lost/f_1.ply
ends 0 surface lost --out lost2
ends 0 render lost $final --out lost2
mkdir rubbish && head -c 3000 /dev/urandom >rubbish/f_1.vtk && echo hello >rubbish/f_2.vtk
ends 1 surface rubbish --out rubbish2
same "nothing of rubbish" 0 "$(files rubbish2)"
ends 1 render rubbish $small --out rubbish2
same "no picture of rubbish" 0 "$(count rubbish2 '*.png')"
mkdir -p double/a && ply double/a/f_1.ply 0 2 && ply double/a/g_1.ply 0 2
ends 2 surface double/a
has "two series" "holds frames of more than one name" stderr

# --- Absurd settings ---

for command in surface "render $final --out never"; do
    ends 2 $command run --cell 1e-9
    has "$command: a tiny cell" ": --cell: 1e-09 m is not a thousandth of the radius to the radius" stderr
    ends 2 $command run --cell 10
    ends 2 $command run --radius 10
    has "$command: a wide field" ": --radius: 10 m is not 1 to 4 spacings" stderr
done
ends 1 surface run --cell 0.00007 --out huge
has "too much memory is told before" "would need [0-9.]+ GiB, allowed are 4 GiB" stderr
has "and the frames left out" "^6 of 6 frames were left out$" stderr
ends 1 surface run --cell 0.001 --max-memory 0.01 --out huge
has "as much as was allowed" "would need [0-9.]+ GiB, allowed are 0.01 GiB" stderr
same "nothing is written" 0 "$(files huge)"
ends 1 render run $final --cell 0.00007 --frames 1 --out huge
same "no picture" 0 "$(count huge '*.png')"

# --- Trouble with disks ---

ends 2 surface run --out gallery/pool.lua/x
ends 2 render run $small --out gallery/pool.lua/x
has "a folder that cannot be made" "pool\.lua" stderr
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod 555 closed
    ends 2 surface run --out closed
    ends 2 render run $small --out closed
    has "a folder that cannot be written" "closed" stderr
fi
(ulimit -f 1 && "$coulis" surface run --out tight >stdout 2>stderr)
same "exit code of a full disk" 1 $?
has "a full disk is named" "surface_000001\.obj: .*(large|space)" stderr
same "no half-written surface" 0 "$(files tight)"
(ulimit -f 1 && "$coulis" render run $final --no-denoise --out tight >stdout 2>stderr)
same "exit code of a full disk" 1 $?
has "a full disk is named" "picture_000001\.png: .*(large|space)" stderr
same "no half-written picture" 0 "$(count tight 'picture_*')"
ends 0 render run $final --no-denoise --out tight --quiet
same "with room again" 6 "$(count tight '*.png')"

# --- The scene has changed, or is gone ---

cp gallery/pool.lua moved.lua
ends 0 run moved.lua --out moved --frames 2 --quiet
ends 0 render moved $small --out moved1 --quiet
same "no warning" "" "$(cat stderr)"
sed -i 's/"honey"/"milk"/' moved.lua
ends 2 render moved $small --out moved1
has "pictures of two scenes are not mixed" "^moved1: holds 2 pictures" stderr
ends 0 render moved $small --out moved2
has "a changed scene is a warning" "^warning: .*moved.lua has changed since the run" stderr
cmp -s moved1/picture_000002.png moved2/picture_000002.png && fail "a changed material is not seen"
sed -i 's/name = "ball"/name = "bowl"/' moved.lua
ends 0 render moved $small --out moved3
has "a body that is gone" "^warning: the scene does not begin with the body 'ball'" stderr
cp gallery/pool.lua elsewhere.lua
rm moved.lua
ends 2 render moved $small --out never
has "a scene that is gone" "^coulis render: --scene: the run's scene is needed" stderr
ends 0 render moved $small --scene elsewhere.lua --out moved4 --quiet
same "a scene that has moved" "$(bytes moved1 '*.png')" "$(bytes moved4 '*.png')"
cp -r moved broken
echo "rubbish" >broken/bodies.csv
ends 2 render broken $small --scene elsewhere.lua --out never
has "damaged bodies" "^broken/bodies.csv: " stderr
echo "{" >broken/stage.json
ends 2 render broken $small --scene elsewhere.lua --out never
ends 2 surface broken --out never
has "a damaged stage" "^broken/stage.json:2: " stderr
echo "--frames=2" >broken/command.txt
ends 2 render broken $small --out never
echo "--nonsense" >broken/command.txt
ends 2 render broken $small --out never
has "a damaged command" "^broken/command.txt: is damaged" stderr
same "nothing is written" 0 "$(count . never)"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
