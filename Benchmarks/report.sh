#!/usr/bin/env bash
# Measures everything twice, with the peers, and writes the report and its pictures into
# Benchmarks/Report/. The second run shows which figures repeat.
#
#   Benchmarks/report.sh            twenty minutes, the build included; the machine should be idle
#   Benchmarks/report.sh --plain    without the peers' packages
#   Benchmarks/report.sh --quick    short rounds, for trying it out: do not commit the result
#
# Exits with 1 when a gate failed, after writing the report.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=1
arguments=()
for argument in "$@"; do
  case $argument in
    --plain) peers=0 ;;
    --quick) arguments+=(--quick) ;;
    *)
      sed -n '2,10s/^# \{0,1\}//p' "$0"
      exit 2
      ;;
  esac
done

scratch=Benchmarks/.build
if [ "$peers" = 1 ]; then
  export BENCHMARK_PEERS=1
  scratch=Benchmarks/.build-peers
  # Plain builds would fetch the packages pinned for the peers too.
  trap 'rm -f Benchmarks/Package.resolved' EXIT
fi
build=(swift build -c release --package-path Benchmarks --scratch-path "$scratch")

echo "== building$([ "$peers" = 0 ] || echo ' with the peers')"
timeout 1800 "${build[@]}" --product benchmarks
benchmarks=$("${build[@]}" --show-bin-path)/benchmarks

status=0
for run in 1 2; do
  echo "== run $run of 2, $(date +%H:%M)"
  timeout --signal=INT --kill-after=60 1500 \
    "$benchmarks" "${arguments[@]}" --json "$scratch/report-$run.json" || status=$?
done

echo "== writing"
"$benchmarks" --report "$scratch/report-1.json" --report "$scratch/report-2.json" \
  --into Benchmarks/Report
if [ "$status" -ne 0 ]; then echo "A gate failed, or a run was ended: see above."; fi
exit "$status"
