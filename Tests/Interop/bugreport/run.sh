#!/usr/bin/env bash
# The session of the article "The perfect bug report": the tasks with a planted fault, whose exported test fails, and passes
# after the mend. Prints each check; the exit status is the result.
#
# The package of the session is made in .build-interop/, and built with the modules of Tests/ClientPackage.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
package=.build-interop/bugreport
scratch=Tests/ClientPackage/.build
rm -rf "$package"
mkdir -p "$package"/Sources/{Signals,tasks} "$package/Tests/TasksTests"
cp "$here/Package.swift" "$package/"
cp Examples/Signals/*.swift "$package/Sources/Signals/"
cp Examples/tasks/*.swift "$package/Sources/tasks/"
patch --silent --strip 1 --directory "$package" <"$here/fault.patch"
swift build --product inspect
inspect="$(swift build --show-bin-path)/inspect"
# As a user builds it.
unset REACTIVE_COMPOSE_COVERAGE
swift build --package-path "$package" --scratch-path "$scratch" --product tasks
timeout 900 python3 "$here/session.py" Sources/Inspector/Inspector.docc/BugReport.md "$package" "$scratch" "$inspect"
