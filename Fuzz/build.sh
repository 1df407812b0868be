#!/usr/bin/env bash
# Builds the fuzzers of the protocol into .build-fuzz/. libFuzzer makes the inputs; AddressSanitizer and
# the harness check the results.
#
#   Fuzz/build.sh              builds all of them
#   Fuzz/build.sh run 60       builds them, and runs them for 60 seconds in all
#
# For hours: .build-fuzz/connection .build-fuzz/corpus/connection Fuzz/corpus/connection. A fuzzer
# writes a failing input to the current directory; run it with that file as the argument to repeat the
# failure.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzzers=(connection handshake inflate requests forwarded)
mkdir -p .build-fuzz
flags=(-O -parse-as-library -swift-version 6 -package-name ReactiveCompose
  -sanitize=fuzzer,address -enforce-exclusivity=checked)
# The files of Reactive that the protocol uses.
swiftc "${flags[@]}" -module-name Reactive -emit-module -emit-module-path .build-fuzz/Reactive.swiftmodule \
  -c Sources/Reactive/Core/Primitives/Fifo.swift -o .build-fuzz/Fifo.o
swiftc "${flags[@]}" -module-name Fuzz -I .build-fuzz -use-ld=lld -Xcc -fmodule-map-file=Fuzz/module.modulemap \
  .build-fuzz/Fifo.o Sources/Sockets/Protocol/{,*/}*.swift \
  Sources/Sockets/{Transport/TCP/NetworkAddress,Server/Addresses/TrustedProxies,Server/Addresses/ForwardedList,Server/Addresses/RemoteClient}.swift Fuzz/*.swift -o .build-fuzz/fuzzer
for fuzzer in "${fuzzers[@]}"; do ln -sf fuzzer ".build-fuzz/$fuzzer"; done
[ "${1:-}" = run ] || exit 0

seconds=$((${2:?usage: Fuzz/build.sh run SECONDS} / ${#fuzzers[@]}))
for fuzzer in "${fuzzers[@]}"; do
  mkdir -p ".build-fuzz/corpus/$fuzzer"
  echo "-- $fuzzer, $seconds s"
  # What has leaked shows in the memory: what is freed is soon used again.
  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 ".build-fuzz/$fuzzer" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix=".build-fuzz/$fuzzer-" \
    ".build-fuzz/corpus/$fuzzer" "Fuzz/corpus/$fuzzer"
done
