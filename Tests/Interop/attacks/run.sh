#!/usr/bin/env bash
# Attacks on a server and a client in release builds: peers that never read, that leave what they have
# stuffed, that send bombs, floods and half requests, that vanish with their network. Prints what each
# costs, before, during and after, and fails when something stays or an innocent client waits too long.
# Takes three minutes.
#
# Needs python3 and openssl; peers that vanish also need root and network namespaces (iproute2), and are
# skipped with a word where these are not allowed.
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
