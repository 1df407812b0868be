#!/usr/bin/env bash
# Runs InteropTests against Rails' own ActionCable on Puma. The exit status is the result.
#
# Rails comes from Debian 12's packages and is unpacked into .build-interop/rails, and kept.
# Arguments go to swift test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
settings=$(timeout 300 "$here/install.sh" "$root/.build-interop/rails")

work=$(mktemp -d)
servers=()
finish() {
  # By process ids; a server that ignores SIGTERM is killed.
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  for _ in $(seq 50); do
    alive=0
    for server in "${servers[@]}"; do kill -0 "$server" 2>/dev/null && alive=1; done
    [ "$alive" = 1 ] || break
    sleep 0.1
  done
  for server in "${servers[@]}"; do kill -9 "$server" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
  -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

is_up() {
  python3 - "$1" 2>/dev/null <<'PYTHON'
import ssl, sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=2, context=ssl._create_unverified_context())
PYTHON
}

# start NAME URL-SCHEME [VARIABLE=VALUE...]: leaves the port in $port.
start() {
  local name=$1 scheme=$2
  shift 2
  port=$(free_port)
  (
    eval "$settings"
    exec env "$@" "$here/serve.sh" "$port"
  ) >"$work/$name.log" 2>&1 &
  servers+=($!)
  for _ in $(seq 100); do
    if is_up "$scheme://127.0.0.1:$port/up"; then return; fi
    kill -0 "${servers[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  echo "$name does not start:" >&2
  cat "$work/$name.log" >&2
  exit 1
}

start plain http
export INTEROP_CABLE="127.0.0.1:$port"
start secure https CABLE_CERT="$work/cert.pem" CABLE_KEY="$work/key.pem"
export INTEROP_CABLE_SECURE="localhost:$port"
export INTEROP_CABLE_AUTHORITY="$work/cert.pem"

cd "$root"
# The build included.
timeout --kill-after=10 1000 swift test --filter InteropTests "$@"
