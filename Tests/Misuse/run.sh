#!/usr/bin/env bash
# Checks the compiler's diagnostics for each kind of misuse, in the language modes that its first lines
# name; without a mode it is Swift 6:
#
#   // refused: MESSAGE       an error with this message
#   // 6: warns 2: MESSAGE    compiles with this number of warnings, all with this message
#   // 5: compiles            compiles without a warning
#
# Needs the modules of a debug build: `swift build` first. The exit status is the result.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="$(swift build --show-bin-path)"
failed=0

# check FILE MODE EXPECTATION
check() {
  local file="$1" mode="$2" expectation="$3" sources=("$1") output status message verdict=FAILED
  local diagnostics count
  if grep -q '^import Compose' "$file"; then sources+=(Tests/Misuse/support/Counter.swift); fi
  output="$(swiftc -emit-sil -wmo -o /dev/null -module-name Misuse -swift-version "$mode" \
    -Xfrontend -warn-long-function-bodies=1000 -Xfrontend -warn-long-expression-type-checking=1000 \
    -I "$build/Modules" -Xcc "-fmodule-map-file=$build/CReactiveSystem.build/module.modulemap" \
    "${sources[@]}" 2>&1)" && status=0 || status=$?
  message="${expectation#*: }"
  case "$expectation" in
    compiles)
      if [ "$status" -eq 0 ] && ! grep -q "warning:" <<<"$output"; then verdict=ok; fi
      ;;
    "warns "*)
      # The lines that begin with the file are the diagnostics, the others quote them.
      diagnostics="$(grep "^[^ ].* warning: " <<<"$output" || true)"
      count="$(grep -cF "$message" <<<"$diagnostics" || true)"
      if [ "$status" -eq 0 ] && [ "$expectation" = "warns $count: $message" ] &&
        [ "$count" -eq "$(wc -l <<<"$diagnostics")" ]; then verdict=ok; fi
      ;;
    "refused: "*)
      if [ "$status" -ne 0 ] && grep "error:" <<<"$output" | grep -qF "$message"; then
        verdict=ok
      fi
      ;;
  esac
  echo "$verdict  $(basename "$file" .swift), Swift $mode: $expectation"
  if [ "$verdict" != ok ]; then
    failed=1
    echo "$output"
  fi
}

for file in Tests/Misuse/*.swift Tests/Misuse/*/*.swift; do
  case "$file" in */support/*) continue ;; esac
  while read -r line; do
    case "$line" in
      "// 5: "* | "// 6: "*) check "$file" "${line:3:1}" "${line:6}" ;;
      "// "?*) check "$file" 6 "${line:3}" ;;
      *) break ;;
    esac
  done <"$file"
done
exit "$failed"
