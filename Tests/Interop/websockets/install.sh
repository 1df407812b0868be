#!/usr/bin/env bash
# Installs the Python package `websockets`, a peer of several of these tests, into .build-interop/,
# and prints the folder for PYTHONPATH.
#
# Does nothing when the package is installed.
set -euo pipefail

version=15.0.1
root=$(cd "$(dirname "$0")/../../.." && pwd)
packages="$root/.build-interop/websockets-$version"

# --target needs neither venv nor root, which Debian's python3 may lack.
if [ ! -f "$packages/installed" ]; then
  rm -rf "$packages"
  if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install --quiet --disable-pip-version-check \
      --target "$packages" "websockets==$version" >&2
  else
    python3 -m venv "$packages.venv"
    "$packages.venv/bin/pip" install --quiet --disable-pip-version-check \
      --target "$packages" "websockets==$version" >&2
  fi
  touch "$packages/installed"
fi
echo "$packages"
