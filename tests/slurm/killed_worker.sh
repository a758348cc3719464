# What the tests of job arrays share: a driver that submits, follows and merges, one of whose workers is killed in the
# middle. Sourced after private_slurm.sh.

fail() { echo "FAILED: $*" >&2; exit 1; }

# with_a_killed_worker PATTERN READY COMMAND...: runs the command (the driver) and, as soon as the function READY
# succeeds, kills the oldest process whose command line matches: the shell of a task becomes its worker, which has
# children of the same command line (and, where numbers of processes begin anew, of lower numbers).
with_a_killed_worker() {
  local pattern=$1 ready=$2 driver victim
  shift 2
  "$@" 2>"$slurm_home/driver.log" &
  driver=$!
  until "$ready"; do
    kill -0 "$driver" 2>/dev/null || fail "the driver ended early: $(cat "$slurm_home/driver.log")"
    sleep 0.02
  done
  victim=$(pgrep -o -f "$pattern") || true
  [ -n "$victim" ] || fail "no worker of the first slice to kill"
  kill -KILL "$victim"
  echo "killed worker $victim"
  wait "$driver" || fail "the driver: $(cat "$slurm_home/driver.log")"
  cat "$slurm_home/driver.log"
  [ "$(grep -c '^submitted job' "$slurm_home/driver.log")" -ge 2 ] || fail "nothing was submitted again"
}
