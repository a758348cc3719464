#!/bin/bash
# explore_on_slurm.sh TILEWRIGHT STUDY [SLICES]
# The study under a private Slurm, one of whose workers is killed in the middle, must give the bytes of the plain run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/private_slurm.sh"
source "$(dirname "${BASH_SOURCE[0]}")/killed_worker.sh"
tilewright=$1 study=$2 slices=${3:-2}

start_slurm
out=$slurm_home/out
plain=$slurm_home/plain
points() { find "$1/points" -name '[0-9]*.json' 2>/dev/null | wc -l; }
some_points() { before=$(points "$out") && [ "$before" -ge 3 ]; }

echo "plain run"
"$tilewright" explore "$study" -o "$plain" --jobs 2 >/dev/null
total=$(points "$plain")

echo "under Slurm, $slices slices, $total points"
with_a_killed_worker "^$tilewright explore $study --output $out .*--slice 1/$slices"'$' some_points \
  "$tilewright" explore "$study" -o "$out" --engine slurm --slices "$slices" --jobs 1
[ "$before" -lt "$total" ] || fail "all $total points were there before the kill"

for name in results.json results.csv; do
  cmp "$plain/$name" "$out/$name" || fail "$name differs from the plain run's"
done
echo "killed after $before of $total points; results.json and results.csv have the bytes of the plain run"
