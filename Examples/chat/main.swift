// Two people chat over ActionCable. Read ChatComposer.swift first; ChatScript.swift has the steps.

import Foundation
import ActionCable
import Inspector
import Signals

var arguments = CommandLine.arguments.dropFirst()
let help = """
  usage: chat [--url ws://host:port/cable] [--inspect]

    --url URL   use this Rails server, whose ChatChannel accepts tokens such as user-ann;
                the default is a small embedded server
    --inspect   print the address of a page that shows the steps and effects of both people, and
                run until interrupted
  """
if arguments.contains("--help") {
  print(help)
  exit(0)
}
let isInspected = arguments.contains("--inspect")
arguments.removeAll { $0 == "--inspect" }
guard arguments.isEmpty || arguments.count == 2 && arguments.first == "--url" else {
  print(help)
  exit(64)
}

do {
  let inspector = try isInspected ? Inspector.start() : nil
  var script = ChatScript(url: arguments.last ?? "", restart: nil) { print($0) }
  let server = arguments.isEmpty ? try ChatServer.make() : nil
  if let server {
    script.url = server.url
    script.restart = { server.disconnectAll("server_restart", reconnect: true) }
  }
  try await script.run()
  if let inspector {
    print("The inspector runs until it is interrupted.")
    for try await _ in signals(SIGINT).values { break }
    inspector.stop()
  }
  // Keeps the server until here.
  withExtendedLifetime(server) {}
} catch {
  FileHandle.standardError.write(Data("chat: \(error)\n".utf8))
  exit(1)
}
