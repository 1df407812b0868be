// A program for the tests of the inspector's page:
//
//   inspected million     1,000,000 steps, then none
//   inspected hostile     a state and actions that harm a page that trusts them
//   inspected many        1,000 composers
//   inspected acting      actions that can be sent from the page, and effects with each outcome
//   inspected sockets     a server and its clients, some of which reconnect
//   inspected recordings  a composer that is exported and forked
//
// Prints the address of the page, then `ready`. The line `stop` on standard input stops the inspector; the
// end of the input ends the program.

import Foundation
import Inspector

let composers: [String: () throws -> [AnyObject]] = [
  "million": Counter.million, "hostile": Hostile.all, "many": Counter.many, "acting": Acting.all,
  "sockets": Traffic.all, "recordings": Basket.all,
]
guard CommandLine.arguments.count == 2, let create = composers[CommandLine.arguments[1]] else {
  FileHandle.standardError.write(Data("usage: inspected MODE\n".utf8))
  exit(64)
}

/// Writes a line at once, also to a pipe.
func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

var configuration = InspectorConfiguration()
// A million steps are kept.
configuration.byteLimit = 1 << 30
let inspector = try Inspector(configuration)
show("Inspector: \(inspector.url)")
let composed = try create()
Basket.addForks(of: composed, to: inspector)
show("ready")
while let line = readLine() {
  if line == "stop" { inspector.stop() }
}
withExtendedLifetime(composed) {}
