# What scripts/demo, scripts/test and scripts/lint share: packages and build. Sourced, not run.
# After sourcing, the working directory is the root of the repository.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# wanted_packages SECTION...: the lines of those sections of packages.txt.
wanted_packages() {
  awk -v sections=" $* " '/^## / { sub(":", "", $2); wanted = index(sections, " " $2 " ") } /^[^#]/ && wanted { print $1 }' packages.txt
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages SECTION...; a line PACKAGE:COMMAND is content with a command of any origin.
missing_packages() {
  local line package command
  for line in $(wanted_packages "$@"); do
    IFS=: read -r package command <<<"$line"
    is_installed "$package" || { [ -n "$command" ] && command -v "$command" >/dev/null; } || printf '%s ' "$package"
  done
}

# Runs apt-get with the rights it needs.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# install_packages SECTION... (packages.txt): does nothing, and needs no network and no rights, once they are installed.
install_packages() {
  command -v dpkg-query >/dev/null || fail "this is no Debian system (no dpkg-query); install by hand what packages.txt lists, then: cmake --preset release && cmake --build build"
  local missing
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  command -v apt-get >/dev/null || fail "missing packages: $missing- and there is no apt-get to install them with"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    fail "missing packages: $missing- run this as root, or install sudo, or ask an administrator for: apt-get install $missing"
  say "installing $missing"
  as_root apt-get update -q || say "the package lists could not be refreshed; trying with those at hand"
  as_root apt-get install -q -y --no-install-recommends $missing ||
    fail "apt-get could not install: $missing- is there a network, and is this Debian 12? Its own message stands above"
}

# One compiler needs up to 1 GiB: no more of them than cores, nor than the memory holds.
jobs() {
  local cores gib
  cores=$(nproc)
  gib=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "${gib:-1}" -lt "$cores" ] && cores=${gib:-1}
  [ "$cores" -ge 1 ] && echo "$cores" || echo 1
}

# configure_and_build PRESET TARGET [CMAKE ARGUMENT...]: into the folder that CMakePresets.json names.
configure_and_build() {
  local preset=$1 target=$2 launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
  say "building ($preset)"
  cmake --preset "$preset" "${launcher[@]}" "${@:3}" --log-level=WARNING ||
    fail "cmake could not configure preset '$preset'; its message stands above"
  cmake --build --preset "$preset" -j "$(jobs)" --target "$target" ||
    fail "the build of preset '$preset' failed; the compiler's message stands above"
}
