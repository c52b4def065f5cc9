#!/bin/bash
# Sweeps and films on a real Slurm of one node, which the test sets up and ends. usage: test_slurm.sh COULIS SOURCE_DIR
# Each check prints what it expected and what it got; exit 77: Slurm is not installed.
coulis=$1
source_dir=$2
if [ ! -x "$coulis" ] || [ ! -d "$source_dir" ]; then
    echo "usage: test_slurm.sh COULIS SOURCE_DIR"
    exit 1
fi
# shellcheck source=tests/program_helpers.sh
source "$source_dir/tests/program_helpers.sh"
export COULIS_SCENES=$source_dir/scenes
cluster=$source_dir/tests/slurm/cluster.sh
trap 'bash "$cluster" stop "$here/slurm"; rm -rf "$here"' EXIT
bash "$cluster" start "$here/slurm" || exit $?
export SLURM_CONF=$here/slurm/slurm.conf

wave=(standing-wave --set "spacing=0.1,0.05,0.025" --method "dfsph,pcisph,wcsph" --measure momentum_x --threads 1
    --checkpoint-every 5)
# Slow enough for a job to be killed and a command to be interrupted.
long=(standing-wave --set spacing=0.02 --set "water.viscosity=0.001,0.002" --method wcsph --checkpoint-every 2 --threads 1)

# --- Faults ---

ends 2 sweep "${wave[@]}" --on slrm --out never
has "cluster" "unknown cluster 'slrm' .did you mean slurm" stderr
ends 2 sweep "${wave[@]}" --slurm --time=5 --out never
PATH=/nowhere ends 2 sweep "${wave[@]}" --on slurm --out never
has "no Slurm" "needs the program sbatch" stderr
same "nothing written" "" "$(ls -d never 2>/dev/null)"
ends 1 sweep "${wave[@]}" --on slurm --slurm=--partition=nosuch --out refused
has "what sbatch says" "takes no jobs: .*[Pp]artition" stderr

# --- A sweep, one job of which is killed ---

# The last run, while it is under way; false when it was over before
kill_one()
{
    rm -rf wave
    start sweep "${wave[@]}" --on slurm --out wave
    wait_for wave/method=wcsph_spacing=0.025/checkpoint.h5
    job=$(squeue --me --noheader --array --format='%F_%K %t' | sed -n 's/_8 R$/_8/p')
    [ -z "$job" ] || scancel --full --signal=KILL "$job"
    wait "$pid"
    code=$?
    grep -q 'submitted again' stderr
}
tries=1
until kill_one || [ $tries -eq 10 ]; do tries=$((tries + 1)); done
same "exit code" 0 $code
cat stdout
same "the killed one is submitted again" 1 "$(grep -c 'ended too early and is submitted again' stderr)"
same "and no other" 10 "$(count wave 'slurm_*.log')"
same "all are there" 9 "$(grep -c ',finished,' wave/table.csv)"
has "order of convergence" "^\| dfsph \| momentum_x \| [0-9.]+ \| [0-9.]+ \|" stdout
ends 0 sweep "${wave[@]}" --out here --quiet
hashes() { python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])): print(row["run"], row["state_hash"])' "$1"; }
same "the same states as on this machine" "$(hashes here/table.csv)" "$(hashes wave/table.csv)"
ends 0 sweep "${wave[@]}" --on slurm --out wave
same "nothing is done twice" 10 "$(count wave 'slurm_*.log')"

# --- Interrupted: the jobs go on, the same command collects them ---

start sweep "${long[@]}" --on slurm --out later
wait_for later/water.viscosity=0.001/checkpoint.h5
kill -INT "$pid"
wait "$pid"
same "interrupted" 1 $?
has "the jobs go on" "the jobs go on" stderr
checks=$((checks + 1))
squeue --me --noheader | grep -q . || fail "no job is there any more"
ends 0 sweep "${long[@]}" --on slurm --out later
same "no job twice" 2 "$(count later 'slurm_*.log')"

# A job that is asked to end leaves a checkpoint, and goes on.
start sweep "${long[@]}" --on slurm --out asked
wait_for asked/water.viscosity=0.001/checkpoint.h5
scancel "$(squeue --me --noheader --array --format='%F_%K' | grep '_0$')"
wait "$pid"
same "asked to end" 0 $?
same "the same state" "$(hash_of later/water.viscosity=0.001)" "$(hash_of asked/water.viscosity=0.001)"

# A run that fails by itself is not tried again.
cat >faulty.lua <<'LUA'
-- Fails after a while where it has many particles
scene { title = "Fails late", dimension = 2, method = "wcsph", spacing = 0.05, duration = 0.1, fps = 50 }
fluid { material = material("water"), shape = box { size = { 0.3, 0.3 } }, at = { 0, 0.2 } }
at(0.03, function(world) if world:particle_count() > 20 then error("too many") end end)
LUA
ends 1 sweep faulty.lua --set spacing=0.1,0.05 --on slurm --out half
has "one fails" "^\| 0.05 \| failed" stdout
has "one does not" "^\| 0.1 \| finished" stdout
same "one job each" 2 "$(count half 'slurm_*.log')"

# --- A film's frames ---

ends 0 run standing-wave --set spacing=0.05 --out film
cp -r film film-here
ends 0 render film-here --size 320x180 --video
start render film --size 320x180 --video --on slurm --threads 1
wait_for film/picture_000001.png
job=$(squeue --me --noheader --array --format='%F_%K %t' | sed -n 's/ R$//p' | head -1)
[ -z "$job" ] || scancel --full --signal=KILL "$job"
wait "$pid"
same "film" 0 $?
for number in 000001 000030 000060; do
    checks=$((checks + 1))
    cmp film/picture_$number.png film-here/picture_$number.png || fail "picture $number is another"
done
same "pictures" 60 "$(count film 'picture_*.png')"
checks=$((checks + 1))
cmp film/film.mp4 film-here/film.mp4 || fail "the film is another"
has "drawn by jobs" "^0 pictures drawn, 60 were there" stdout

echo "$checks checks, $failures failures"
exit $((failures > 0))
