#!/usr/bin/env bash
# Checks that each kind of misuse is refused by the compiler, with the message its first line quotes.
# Needs the modules of a debug build: `swift build` first. The exit status is the verdict.
set -euo pipefail
cd "$(dirname "$0")/../.."
modules="$(swift build --show-bin-path)/Modules"
failed=0
for file in Tests/Misuse/*.swift; do
  expectation="$(head -n 1 "$file")"
  output="$(swiftc -emit-sil -wmo -o /dev/null -module-name Misuse -swift-version 6 -I "$modules" \
    "$file" Tests/Misuse/support/Counter.swift 2>&1)" && status=0 || status=$?
  case "$expectation" in
    "// compiles")
      [ "$status" -eq 0 ] && verdict=ok || verdict=FAILED
      ;;
    "// refused: "*)
      message="${expectation#// refused: }"
      if [ "$status" -ne 0 ] && grep "error:" <<<"$output" | grep -qF "$message"; then
        verdict=ok
      else
        verdict=FAILED
      fi
      ;;
    *)
      verdict="FAILED (no expectation in its first line)"
      ;;
  esac
  echo "$verdict  $(basename "$file" .swift): ${expectation#// }"
  if [ "$verdict" != ok ]; then
    failed=1
    echo "$output"
  fi
done
exit "$failed"
