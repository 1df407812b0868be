#!/usr/bin/env bash
# The apps of the simulation with real sockets: servers and clients in two network namespaces, whose link goes
# down, falls silent, and whose connections are reset. The conditions of the simulation hold here, too. Prints one
# line for each run; the exit status is the result.
#
#   run.sh            four runs of each app, all at the same time
#   run.sh SEED...    these seeds of each app
#
# Takes about two minutes after the build. Needs root, and the tools ip and ss of iproute2, which it installs from
# Debian if they are missing. Where network namespaces are not permitted, as in some containers, it says so and ends.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
if ! command -v ip >/dev/null || ! command -v ss >/dev/null; then
  { apt-get update -qq && apt-get install -qq -y --no-install-recommends iproute2; } >/dev/null
fi
if ! unshare --net --mount sh -c 'ip link add one type veth peer name two && mount --bind /etc/hosts /etc/hosts' 2>/dev/null
then
  echo "SKIPPED: this machine permits no network namespaces"
  exit 0
fi
[ "$#" -gt 0 ] || set -- 1 2 3 4
swift build -c release --product simulate
simulate="$(swift build -c release --show-bin-path)/simulate"

failed=0
running=()
for seed in "$@"; do
  for app in chat dashboard cable phones; do
    unshare --net --mount "$here/inside.sh" "$simulate" --app "$app" --seeds "$seed" &
    running+=($!)
  done
done
for process in "${running[@]}"; do wait "$process" || failed=1; done
exit "$failed"
