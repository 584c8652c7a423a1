#!/bin/sh
# A Slurm cluster of this machine alone, on loopback, for tests: munge, slurmctld and slurmd, with
# all their files in one folder.
#
#   slurm.sh start FOLDER   ends with 3 where Slurm is not installed; then SLURM_CONF=FOLDER/slurm.conf
#   slurm.sh stop FOLDER
set -eu

usage() {
  echo "usage: slurm.sh start|stop FOLDER" >&2
  exit 2
}

[ $# -eq 2 ] || usage
verb=$1 folder=$2
PATH=$PATH:/usr/sbin:/sbin

# Ends what a file has the process number of.
end() {
  [ -s "$1" ] || return 0
  pid=$(cat "$1")
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
}

# Starts a daemon in the background. It writes its own process number, the same one, when it likes.
begin() {
  "$1" -D </dev/null >/dev/null 2>&1 &
  echo $! >"$folder/$1.pid"
}

# Whether a daemon runs.
runs() {
  [ -s "$folder/$1.pid" ] && kill -0 "$(cat "$folder/$1.pid")" 2>/dev/null
}

stop() {
  for daemon in slurmd slurmctld munged; do end "$folder/$daemon.pid"; done
}

start() {
  for program in munged slurmctld slurmd sbatch squeue scontrol python3; do
    command -v "$program" >/dev/null 2>&1 || { echo "slurm.sh: $program is not installed" >&2; exit 3; }
  done
  mkdir -p "$folder/state" "$folder/spool"
  folder=$(cd "$folder" && pwd)
  # munged wants its folder for itself.
  chmod 700 "$folder"
  (umask 077 && dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 2>/dev/null)
  ports=$(python3 -c 'import socket
held = [socket.socket() for _ in range(2)]
for s in held: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in held))')
  node=$(hostname -s)
  cat >"$folder/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF="$folder/slurm.conf"
  # A daemon of the system may have its numbers elsewhere: these are of the folder.
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
  begin slurmctld
  begin slurmd
  # However long it takes on a busy machine: until a daemon has ended.
  while runs slurmctld && runs slurmd; do
    case $(scontrol show node "$node" 2>/dev/null) in *State=IDLE*) return 0 ;; esac
    sleep 0.1
  done
  echo "slurm.sh: the node is not ready; logs are in $folder" >&2
  tail -n 5 "$folder"/*.log >&2 || true
  stop
  exit 1
}

case $verb in
  start) start ;;
  stop) stop ;;
  *) usage ;;
esac
