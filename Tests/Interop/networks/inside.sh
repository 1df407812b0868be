#!/usr/bin/env bash
# Runs a program in a network of clients, which a link joins to a network of servers.
#
#   inside.sh PROGRAM ARGUMENT...    in network and mount namespaces of its own
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# The network of the servers lives as long as this process.
unshare --net sleep 600 &
holder=$!
trap 'kill "$holder" 2>/dev/null || true' EXIT
until [ "$(readlink "/proc/$holder/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done

export SERVERS_NETWORK="/proc/$holder/ns/net" CLIENTS_NETWORK="/proc/$$/ns/net"
ip link add clients type veth peer name servers netns "$holder"
ip link set lo up
ip addr add 10.77.0.1/24 dev clients
ip link set clients up
nsenter --net="$SERVERS_NETWORK" sh -c '
  ip link set lo up
  ip addr add 10.77.0.2/24 dev servers
  ip link set servers up'

hosts=$(mktemp)
printf '127.0.0.1 localhost\n10.77.0.2 server board\n' >"$hosts"
mount --bind "$hosts" /etc/hosts
rm "$hosts"

timeout 400 "$@" --real "$here/network.sh"
