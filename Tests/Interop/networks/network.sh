#!/usr/bin/env bash
# Breaks the link between the networks of inside.sh, or heals it.
#
#   network.sh cut        the link is down, and both sides know
#   network.sh silence    the link carries nothing, and the clients do not know
#   network.sh reset      the connections of the servers are reset
#   network.sh heal
set -euo pipefail

# The thread of the program that calls this script may be in either network.
among_clients() { nsenter --net="$CLIENTS_NETWORK" "$@"; }
among_servers() { nsenter --net="$SERVERS_NETWORK" "$@"; }

# The addresses of the clients, sorted.
open_connections() {
  among_servers ss --tcp --no-header --numeric state established dst 10.77.0.1 | awk '{ print $4 }' | sort
}

case $1 in
  cut) among_clients ip link set clients down ;;
  silence) among_servers ip link set servers down ;;
  reset)
    before=$(open_connections)
    # It fails at sockets that wait after their close, and goes on.
    among_servers ss --tcp --kill state established dst 10.77.0.1 >/dev/null 2>&1 || true
    if comm -12 <(echo "$before") <(open_connections) | grep -q .; then
      echo "the kernel does not reset connections" >&2
      exit 1
    fi
    ;;
  heal)
    among_clients ip link set clients up
    among_servers ip link set servers up
    ;;
esac
