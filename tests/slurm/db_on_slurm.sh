#!/bin/bash
# db_on_slurm.sh TILEWRIGHT HARDWARE
# A tiling database built under a private Slurm, one of whose workers is killed in the middle, must hold the records of
# the plain build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/private_slurm.sh"
source "$(dirname "${BASH_SOURCE[0]}")/killed_worker.sh"
tilewright=$1 hardware=$2
build=("$tilewright" db build "$hardware" --random 24 --seed 3 --min-macs 500000 --max-macs 2000000 --budget 8
  --threshold 0.05 --max-visits 12)

start_slurm
plain=$slurm_home/plain.db
database=$slurm_home/array.db
first_slice=$database.slurm/slice_1_of_2.db
some_records() { [ "$("$tilewright" db export "$first_slice" 2>/dev/null | wc -l)" -ge 3 ]; }

echo "plain build"
"${build[@]}" -o "$plain" --jobs 2

echo "under Slurm"
with_a_killed_worker "^$tilewright db build --output $first_slice " some_records \
  "${build[@]}" -o "$database" --engine slurm --slices 2 --jobs 1

for file in "$plain" "$database"; do "$tilewright" db export "$file" >"$file.csv"; done
[ "$(wc -l <"$plain.csv")" -gt 10 ] || fail "the plain build has hardly a record"
cmp "$plain.csv" "$database.csv" || fail "the records differ from the plain build's"
"$tilewright" db diff "$plain" "$database"
