#!/usr/bin/env bash
# Tests the gates: they pass for the current code, and fail when the fast path is deliberately broken, by
# one allocation for each element and by some additional instructions.
#
#   Benchmarks/check-gates.sh     half a minute after the build; needs valgrind
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --package-path Benchmarks --product benchmarks
benchmarks=$(swift build -c release --package-path Benchmarks --show-bin-path)/benchmarks
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# expect OUTCOME FIGURE ARGUMENT...: the outcome is pass or fail.
expect() {
  local outcome=$1 figure=$2 status=0
  shift 2
  timeout 120 "$benchmarks" "$@" --only reactive/subject10 --only reactive/subject \
    >"$output" 2>&1 || status=$?
  if ! grep -Eq "^$outcome +reactive/subject .*$figure" "$output" ||
    [ "$status" -ne "$([ "$outcome" = pass ] && echo 0 || echo 1)" ]; then
    cat "$output"
    echo "The gate of $figure should $outcome${BENCHMARK_BREAK:+ with $BENCHMARK_BREAK broken}."
    exit 1
  fi
  grep -E "^$outcome +reactive/subject .*$figure" "$output"
}

expect pass allocations --quick
expect pass instructions --instructions
export BENCHMARK_BREAK=allocation
expect fail allocations --quick
export BENCHMARK_BREAK=instructions
expect fail instructions --instructions
echo "The gates detect the faults."
