#!/usr/bin/env bash
# `inspect mcp` with the official Python client of the Model Context Protocol, and a program with an inspector. Prints
# each check; the exit status is the result.
#
# Needs python3 with venv. Missing packages are installed from PyPI into .build-interop/, and kept.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
packages="$PWD/.build-interop/mcp"
if ! cmp -s "$here/requirements.txt" "$packages/requirements.txt"; then
  rm -rf "$packages"
  python3 -m venv "$packages"
  "$packages/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$packages/"
fi
swift build --product inspect
swift build --product mcp-peer
programs=$(swift build --show-bin-path)
"$packages/bin/pip" freeze --disable-pip-version-check | grep '^mcp='
timeout 180 "$packages/bin/python" "$here/client.py" "$programs/inspect" "$programs/mcp-peer"
