#!/usr/bin/env bash
# Runs InteropTests against the Python package `websockets`, in both roles: our client against
# its server, its client against our server. The exit status is the result.
#
# Needs python3. Missing packages are installed from PyPI into .build-interop/, and kept.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
PYTHONPATH=$("$here/install.sh")
export PYTHONPATH

# The first line of the peer is its URL, on a free port.
address=$(mktemp)
python3 "$here/server.py" >"$address" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$address"' EXIT
for _ in $(seq 100); do
  [ -s "$address" ] && break
  kill -0 "$server"
  sleep 0.1
done

[ -s "$address" ] || { echo "the peer printed no URL" >&2; exit 1; }

INTEROP_WEBSOCKETS_URL=$(head -n 1 "$address")
export INTEROP_WEBSOCKETS_URL
export INTEROP_WEBSOCKETS_CLIENT="$here/client.py"
cd "$root"
swift test --filter InteropTests "$@"
