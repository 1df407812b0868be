#!/usr/bin/env bash
# aiohttp, tornado and wsproto in both roles: their clients with our server, our client with their servers. Prints
# each check; the exit status is the result. Takes half a minute after the build.
#
# Needs python3 with venv. Missing packages are installed from PyPI into .build-interop/, and kept.
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

# first_line FILE: waits for the first line
first_line() {
  for _ in $(seq 100); do [ -s "$1" ] && break; sleep 0.1; done
  head -n 1 "$1"
}

# The server runs until its input ends.
mkfifo "$scratch/orders"
"$peer" serve <"$scratch/orders" >"$scratch/ours" &
running+=($!)
exec 3>"$scratch/orders"
ours=$(first_line "$scratch/ours" | sed 's/^http/ws/')

"$packages/bin/pip" freeze --disable-pip-version-check | grep -E '^(aiohttp|tornado|wsproto)='
for name in aiohttp tornado wsproto; do
  echo "-- $name's client, our server"
  timeout 60 "$python" "$here/peers.py" ask "$name" "$ours"
  echo "ok: subprotocol, deflate, echoes, order, fragments, pings both ways, closes both ways, a refusal"
  echo "-- $name's server, our client"
  "$python" "$here/peers.py" serve "$name" >"$scratch/$name" &
  running+=($!)
  # aiohttp answers a close frame with a code of its own (RFC 6455, 5.5.1: it should be that of the frame).
  answer=4001
  [ "$name" = aiohttp ] && answer=1000
  timeout 60 "$peer" talk "$(first_line "$scratch/$name")" --close-answer "$answer"
  for _ in $(seq 50); do grep -q '^closed' "$scratch/$name" && break; sleep 0.1; done
  grep -qx 'closed with 4001 bye' "$scratch/$name" || { cat "$scratch/$name" && echo "FAILED: our close" && exit 1; }
  echo "ok: our code and reason arrive"
done
