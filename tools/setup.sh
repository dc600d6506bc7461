#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of tools/packages.txt that are missing. Usage: tools/setup.sh [--prefix FOLDER] GROUP...
# Silent, and done in a moment, when all is there. With --prefix, which needs no root, it unpacks what is missing into
# that folder instead, and says what to do next. MPI is left out there: a cluster has its own.
set -euo pipefail
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

prefix=
if [[ ${1:-} == --prefix ]]; then
  [[ ${2:-} ]] || fail "--prefix needs a folder: tools/setup.sh --prefix FOLDER GROUP..."
  mkdir -p "$2" || fail "the folder $2 cannot be made"
  prefix=$(realpath "$2")
  shift 2
fi
cd "$(dirname "$0")/.."
groups=$(sed -n 's/^\([a-z]*\)?\{0,1\} .*/\1/p' tools/packages.txt | sort -u | xargs)
(($#)) || fail "which packages? tools/setup.sh [--prefix FOLDER] GROUP..., of the groups $groups"
for group in "$@"; do
  [[ " $groups " == *" $group "* ]] || fail "no such group: '$group'; there are $groups"
done

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || fail \
  "this is not Debian or Ubuntu: install the libraries of docs/dependencies.md by hand," \
  "then build with: cmake --workflow --preset release"

declare -A optional=()
wanted=()
while read -r group package _; do
  [[ " $* " == *" ${group%\?} "* ]] || continue
  if [[ $prefix && $package == *openmpi* ]]; then continue; fi
  wanted+=("$package")
  if [[ $group == *\? ]]; then optional[$package]=1; fi
done < <(grep -v '^#' tools/packages.txt)

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
done
if ! ((${#missing[@]})); then
  if [[ $prefix ]]; then echo "setup: nothing is missing here, so nothing was unpacked into $prefix"; fi
  exit 0
fi

# A system that never knew a package may only have an old list of packages.
known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }
here=()
find_known() {
  for package in "${missing[@]}"; do
    if known "$package"; then
      here+=("$package")
    elif [[ ${optional[$package]:-} ]]; then
      echo "setup: NOTICE: this system has no $package; the checks that need it will be skipped" >&2
    else
      fail "this system has no package $package; Blockyard needs Debian 12, Ubuntu 24.04, or newer"
    fi
  done
}

if [[ $prefix ]]; then
  [[ " ${missing[*]} " != *" g++ "* ]] || fail "a compiler cannot be unpacked into a folder: g++ must be there"
  find_known
  exec tools/unpack_packages "$prefix" "${here[@]}"
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || fail "these packages are missing, and neither root nor sudo is here to install them:" \
    "  ${missing[*]}" "as root, run: apt-get update && apt-get install ${missing[*]}" \
    "or, without root: tools/setup.sh --prefix FOLDER $*"
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
    >"$log" 2>&1 </dev/null || fail "apt-get $1 failed:" "$(tail -n 20 "$log")"
}

echo "setup: looking for ${missing[*]}"
apt update
find_known
((${#here[@]})) || exit 0
echo "setup: installing ${here[*]}"
apt install --yes --no-install-recommends "${here[@]}"
