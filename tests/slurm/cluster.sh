#!/bin/bash
# A Slurm of one controller and one node in a folder of its own, for tests: nothing of the system's Slurm is touched.
# usage: cluster.sh start DIR   prepares DIR, starts munged, slurmctld and slurmd, waits until the node takes jobs
#        cluster.sh stop DIR    ends them
# Clients use it with SLURM_CONF=DIR/slurm.conf. Exit 77 from `start`: Slurm is not installed.
set -u
action=${1:-}
folder=${2:-}
if [ -z "$folder" ] || { [ "$action" != start ] && [ "$action" != stop ]; }; then
    echo "usage: cluster.sh start|stop DIR" >&2
    exit 2
fi

# Ends the process that a file names, and waits for it.
end()
{
    local pid
    pid=$(cat "$1" 2>/dev/null) || return 0
    kill "$pid" 2>/dev/null || return 0
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
}

if [ "$action" = stop ]; then
    end "$folder/slurmctld.pid"
    end "$folder/slurmd.pid"
    end "$folder/munged.pid"
    exit 0
fi

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue; do
    command -v "$program" >/dev/null || { echo "$program is not installed: tools/setup full brings it"; exit 77; }
done
mkdir -p "$folder/state" "$folder/spool" || exit 1
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"
export SLURM_CONF=$folder/slurm.conf
host=$(hostname -s)
port=$((20000 + $$ % 20000))

(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
cat >"$folder/slurm.conf" <<CONF
ClusterName=coulis
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
KillWait=5
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF

munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" 2>>"$folder/start.log" ||
    { cat "$folder/start.log"; exit 1; }
slurmctld -f "$SLURM_CONF" >>"$folder/start.log" 2>&1 || { cat "$folder/start.log"; exit 1; }
slurmd -f "$SLURM_CONF" -N "$host" >>"$folder/start.log" 2>&1 || { cat "$folder/start.log"; exit 1; }

# However long a busy machine takes; a daemon that has ended will not come back.
until sinfo -h -o %T 2>/dev/null | grep -qE '^(idle|mixed|allocated)'; do
    for name in slurmctld slurmd; do
        [ ! -s "$folder/$name.pid" ] || kill -0 "$(cat "$folder/$name.pid")" 2>/dev/null ||
            { echo "$name has ended"; tail -5 "$folder/$name.log"; exit 1; }
    done
    sleep 0.2
done
