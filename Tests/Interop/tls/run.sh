#!/usr/bin/env bash
# Runs InteropTests against real TLS handshakes: servers of Python's ssl module, with certificates of
# every kind that a client should accept or refuse. The exit status is the verdict.
#
# Needs python3 and openssl. What is missing is installed from PyPI into .build-interop/, and stays
# there; the certificates are made anew each time.
set -euo pipefail

version=15.0.1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
packages="$root/.build-interop/websockets-$version"

# --target needs neither venv nor root, which Debian's python3 may lack.
if [ ! -f "$packages/installed" ]; then
  rm -rf "$packages"
  if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install --quiet --disable-pip-version-check \
      --target "$packages" "websockets==$version"
  else
    python3 -m venv "$packages.venv"
    "$packages.venv/bin/pip" install --quiet --disable-pip-version-check \
      --target "$packages" "websockets==$version"
  fi
  touch "$packages/installed"
fi
export PYTHONPATH="$packages"

certificates=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$certificates"' EXIT
"$here/certificates.sh" "$certificates"

# The peer tells its URLs in its first line, on ports that were free.
python3 "$here/server.py" "$certificates" >"$certificates/urls" 2>"$certificates/errors" &
server=$!
for _ in $(seq 100); do
  [ -s "$certificates/urls" ] && break
  kill -0 "$server" || { cat "$certificates/errors" >&2; exit 1; }
  sleep 0.1
done

[ -s "$certificates/urls" ] || { echo "the peer tells no URLs" >&2; exit 1; }

INTEROP_TLS_URLS=$(head -n 1 "$certificates/urls")
export INTEROP_TLS_URLS
export INTEROP_TLS_CERTIFICATES="$certificates"
cd "$root"
swift test --filter InteropTests "$@"
