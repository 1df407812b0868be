#!/usr/bin/env bash
# Attacks a server and a client in release builds: peers that never read, fill a connection and disconnect, send
# bombs, floods and incomplete requests, or vanish with their network. Prints resources before, during and
# after each attack. Fails when resources are not released or an uninvolved client waits too long.
# Takes three minutes.
#
# Needs python3 and openssl. Vanishing peers also need root and network namespaces (iproute2); they are
# skipped with a message where these are not available.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
swift build -c release --product attacked
attacked="$(swift build -c release --show-bin-path)/attacked"

certificates=$(mktemp -d)
trap 'rm -rf "$certificates"' EXIT
"$here/../tls/certificates.sh" "$certificates" >/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 \
  -keyout "$certificates/rsa.key" -out "$certificates/rsa.pem" 2>/dev/null

timeout 400 python3 "$here/attacks.py" "$attacked" --tls "$certificates" "$@"
