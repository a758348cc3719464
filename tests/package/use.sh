# What check_install and check_deb ask of an installed tree. Sourced, not run.

fail() { echo "FAILED: $*" >&2; exit 1; }
# expect TEXT COMMAND...: the command succeeds and prints the text.
expect() {
  local wanted=$1 printed
  printed=$("${@:2}" 2>&1) || fail "exit code $? of: ${*:2}: $printed"
  [[ $printed == *"$wanted"* ]] || fail "no '$wanted' from: ${*:2}: $printed"
}

# use PREFIX VERSION, in a folder of its own
use() {
  local tilewright=$1/bin/tilewright
  expect "tilewright $2, model $2-" "$tilewright" --version
  expect "tiny_mlp on quad_numa" "$tilewright" run quad_numa tiny_mlp
  expect "bert_large_layer on dual_cluster" "$tilewright" plan dual_cluster.yaml bert_large_layer.onnx
  expect "hello_matmul on edge_single" "$tilewright" exec edge_single hello_matmul
  expect "buffer_a_kib: 2048" "$tilewright" explore bert_buffers --point 575
  expect "SCALE-Sim" "$tilewright" validate matmul
  cp "$1/share/tilewright/hw_configs/edge_single.yaml" quad_numa
  expect "tiny_mlp on edge_single" "$tilewright" run quad_numa tiny_mlp  # a file that exists is a path
  rm quad_numa

  local manual=$1/share/man/man1/tilewright.1.gz completion=$1/share/bash-completion/completions/tilewright
  local warnings
  warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$manual" 2>&1 >page.txt) || fail "man: $warnings"
  [ -z "$warnings" ] || fail "the manual page has faults: $warnings"
  grep -q -- "--placement" page.txt || fail "the manual page lacks --placement"
  complete_words "$completion" "quad_numa quad_numa_cache" run quad_n
  complete_words "$completion" "--phase --parallel --placement --program" run quad_numa --p
  complete_words "$completion" "local" run quad_numa --placement l
  complete_words "$completion" "lookup" db l
  complete_words "$completion" "--max-padding" db lookup --max-p
}

# use_python PREFIX VERSION: the package finds its program, chips and workloads beside itself.
use_python() {
  local -x PYTHONPATH=$1/lib/python3/dist-packages
  expect "tilewright $2, model $2-" /usr/bin/python3 -m tilewright --version
  expect "$1/bin/tilewright" /usr/bin/python3 -c 'import tilewright; print(tilewright.program_path())'
  expect "<Result tiny_mlp on quad_numa" /usr/bin/python3 -c \
    'import tilewright as tw; print(repr(tw.run(tw.Hardware("quad_numa"), "tiny_mlp")))'
  [ -f "$PYTHONPATH/tilewright/py.typed" ] && [ -f "$PYTHONPATH/tilewright/_core.pyi" ] || fail "the types are missing"
}

# complete_words SCRIPT EXPECTED WORD...: what bash offers for the last word behind "tilewright".
complete_words() {
  local offered
  offered=$(bash -c 'source "$1"; COMP_WORDS=(tilewright "${@:2}") COMP_CWORD=$(($# - 1)); _tilewright; echo ${COMPREPLY[*]}' \
    bash "$1" "${@:3}")
  [ "$offered" = "$2" ] || fail "completion of '${*:3}': '$offered', expected '$2'"
}
