#!/bin/bash
# explore_on_slurm.sh TILEWRIGHT STUDY [SLICES]
# The study under a private Slurm, one of whose workers is killed in the middle, must give the bytes of the plain run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/private_slurm.sh"
tilewright=$1 study=$2 slices=${3:-2}

fail() { echo "FAILED: $*" >&2; exit 1; }

start_slurm
out=$slurm_home/out
plain=$slurm_home/plain
points() { find "$1/points" -name '[0-9]*.json' 2>/dev/null | wc -l; }
# The processes of the first slice: the shell of the task became the worker, its children measure.
first_worker() { pgrep -f "^$tilewright explore $study --output $out .*--slice 1/$slices"'$' | head -n 1; }

echo "plain run"
"$tilewright" explore "$study" -o "$plain" --jobs 2 >/dev/null
total=$(points "$plain")

echo "under Slurm, $slices slices, $total points"
"$tilewright" explore "$study" -o "$out" --engine slurm --slices "$slices" --jobs 1 2>"$slurm_home/driver.log" &
driver=$!
until [ "$(points "$out")" -ge 3 ]; do
  kill -0 "$driver" 2>/dev/null || fail "the driver ended early: $(cat "$slurm_home/driver.log")"
  sleep 0.02
done
victim=$(first_worker) || true
[ -n "$victim" ] || fail "no worker of the first slice to kill"
before=$(points "$out")
kill -KILL "$victim"
echo "killed worker $victim after $before of $total points"
wait "$driver" || fail "the driver: $(cat "$slurm_home/driver.log")"
cat "$slurm_home/driver.log"

[ "$before" -lt "$total" ] || fail "all points were there before the kill"
[ "$(grep -c '^submitted job' "$slurm_home/driver.log")" -ge 2 ] || fail "nothing was submitted again"
for name in results.json results.csv; do
  cmp "$plain/$name" "$out/$name" || fail "$name differs from the plain run's"
done
echo "results.json and results.csv have the bytes of the plain run"
