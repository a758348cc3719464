# A Slurm of one's own on this machine, for tests: munged, slurmctld and two nodes on loopback, all below one folder.
#   source private_slurm.sh; start_slurm; ...; stop_slurm is called on exit.
# Needs no root, no systemd and no configuration of the system. Afterwards sbatch and its kin talk to it.

slurm_fail() { echo "private slurm: $*" >&2; exit 1; }

# A port that nobody listens on.
free_port() {
  local port
  while port=$((20000 + RANDOM)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

# Retries a command for up to 20 s.
within_20s() {
  local i
  for i in $(seq 200); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}

slurm_conf() {
  local host me
  host=$(hostname -s) me=$(id -un)
  cat <<CONF
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$slurm_home/m.sock,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$slurm_home/state
SlurmdSpoolDir=$slurm_home/spool_%n
SlurmctldPidFile=$slurm_home/ctld.pid
SlurmdPidFile=$slurm_home/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=15
KillWait=2
MaxArraySize=1001
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1,bf_continue
JobRequeue=1
RequeueExit=75
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
}

# Starts a daemon in the background and remembers it.
daemon() {
  local log=$1
  shift
  "$@" >"$slurm_home/$log.log" 2>&1 &
  slurm_daemons+=($!)
}

start_slurm() {
  PATH=$PATH:/usr/sbin:/sbin
  local program
  for program in munged slurmctld slurmd sbatch squeue; do
    command -v "$program" >/dev/null || slurm_fail "no $program; scripts/setup.sh installs what packages.txt lists"
  done
  slurm_home=$(mktemp -d /tmp/tws.XXXXXX) # short: unix sockets have at most 107 characters
  slurm_daemons=()
  trap stop_slurm EXIT
  trap 'exit 1' INT TERM
  mkdir "$slurm_home"/{state,spool_n1,spool_n2}
  head -c 1024 /dev/urandom >"$slurm_home/key"
  chmod 400 "$slurm_home/key"
  daemon munged munged --foreground --force --key-file="$slurm_home/key" --socket="$slurm_home/m.sock" \
    --pid-file="$slurm_home/m.pid" --seed-file="$slurm_home/m.seed" --log-file="$slurm_home/m.log"
  within_20s test -S "$slurm_home/m.sock" || slurm_fail "munged did not start: $(cat "$slurm_home"/m*.log)"
  slurm_conf >"$slurm_home/slurm.conf"
  export SLURM_CONF=$slurm_home/slurm.conf
  daemon slurmctld slurmctld -D -f "$SLURM_CONF"
  daemon n1 slurmd -D -N n1 -f "$SLURM_CONF"
  daemon n2 slurmd -D -N n2 -f "$SLURM_CONF"
  within_20s nodes_are_idle || slurm_fail "the nodes did not start: $(tail -n 5 "$slurm_home"/{slurmctld,n1,n2}.log)"
}

nodes_are_idle() { [ "$(sinfo --noheader --Node --states=idle --format=%N | wc -l)" = 2 ]; }

stop_slurm() {
  local pid
  trap - EXIT
  scancel --user="$(id -un)" 2>/dev/null || true
  # The controller last: nodes report to it. Each may take some seconds; what then still runs is killed.
  for pid in "${slurm_daemons[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${slurm_daemons[@]}"; do
    within_20s eval "! kill -0 $pid" || kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$slurm_home"
}
