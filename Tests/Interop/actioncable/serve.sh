#!/usr/bin/env bash
# Serves config.ru with Puma on 127.0.0.1:PORT, in the foreground, until SIGTERM; install.sh's settings
# must be in the environment. With CABLE_CERT and CABLE_KEY (PEM files) it speaks TLS.
#
#   serve.sh PORT
set -euo pipefail
port=${1:?usage: serve.sh PORT}
bind="tcp://127.0.0.1:$port"
if [ -n "${CABLE_CERT:-}" ]; then
  bind="ssl://127.0.0.1:$port?cert=$CABLE_CERT&key=$CABLE_KEY"
fi
cd "$(dirname "$0")"
ruby=$(command -v ruby3.1 || command -v ruby)
exec "$ruby" "$(command -v puma)" --quiet --no-config --environment none --threads 1:4 --workers 0 \
  --bind "$bind" config.ru
