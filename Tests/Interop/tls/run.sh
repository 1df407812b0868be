#!/usr/bin/env bash
# Runs InteropTests against real TLS handshakes: servers of Python's ssl module, with certificates of
# every kind that a client should accept or refuse. The exit status is the result.
#
# Needs python3 and openssl. Missing packages are installed from PyPI into .build-interop/, and kept; the
# certificates are made for each run.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
PYTHONPATH=$("$here/../websockets/install.sh")
export PYTHONPATH

certificates=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$certificates"' EXIT
"$here/certificates.sh" "$certificates"

# The first line of the peer has its URLs, on free ports.
python3 "$here/server.py" "$certificates" >"$certificates/urls" 2>"$certificates/errors" &
server=$!
for _ in $(seq 100); do
  [ -s "$certificates/urls" ] && break
  kill -0 "$server" || { cat "$certificates/errors" >&2; exit 1; }
  sleep 0.1
done

[ -s "$certificates/urls" ] || { echo "the peer printed no URLs" >&2; exit 1; }

INTEROP_TLS_URLS=$(head -n 1 "$certificates/urls")
export INTEROP_TLS_URLS
export INTEROP_TLS_CERTIFICATES="$certificates"
cd "$root"
swift test --filter InteropTests "$@"
