#!/usr/bin/env bash
# aiohttp, tornado and wsproto against this package, both ways: their clients ask our server, our client talks to their
# servers. Prints each; the exit status is the verdict.
#
# Needs python3. What is missing is installed from PyPI into .build-interop/, and stays there.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
packages="$PWD/.build-interop/clients"
if ! cmp -s "$here/requirements.txt" "$packages/requirements.txt"; then
  rm -rf "$packages"
  python3 -m venv "$packages"
  "$packages/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$packages/"
fi
python="$packages/bin/python"
swift build -c release --product interop-peer
peer="$(swift build -c release --show-bin-path)/interop-peer"

scratch=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# first_line FILE: waits for it
first_line() {
  for _ in $(seq 100); do [ -s "$1" ] && break; sleep 0.1; done
  head -n 1 "$1"
}

# The server runs as long as its input is open.
mkfifo "$scratch/orders"
"$peer" serve <"$scratch/orders" >"$scratch/ours" &
running+=($!)
exec 3>"$scratch/orders"
ours=$(first_line "$scratch/ours" | sed 's/^http/ws/')

for name in aiohttp tornado wsproto; do
  timeout 60 "$python" "$here/peers.py" ask "$name" "$ours"
  echo "ok: $name's client, our server"
  "$python" "$here/peers.py" serve "$name" >"$scratch/$name" &
  running+=($!)
  echo "$name's server, our client:"
  timeout 60 "$peer" talk "$(first_line "$scratch/$name")"
done
