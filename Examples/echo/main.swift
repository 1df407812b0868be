// An echo in the terminal: EchoComposer.swift is the heart of it.

import Foundation
import Sockets

let help = """
  An echo over a WebSocket: a composer, a client of closures, and a server of its own.

  usage: echo [--plain] [--url ws://host:port/path]

    --url URL   talk to this server; without it, an embedded one sends everything back
    --plain     show a failure, a connection and two echoes, and end
    --help      print this

  lines: /c connects and disconnects, /q quits, anything else is sent
  """

func write(_ line: String) {
  // Not `print`, which keeps lines back when nobody sees them at once.
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

var words = Array(CommandLine.arguments.dropFirst())
if words.contains("--help") {
  write(help)
  exit(0)
}
let isPlain = words.contains("--plain")
words.removeAll { $0 == "--plain" }
var address: String?
if words.count == 2, words[0] == "--url" {
  address = words[1]
} else if !words.isEmpty {
  write("echo: wrong arguments; --help shows what there is")
  exit(64)
}

let server = try address == nil ? EchoServer() : nil
guard let url = URL(string: address ?? server?.url ?? "") else {
  write("echo: \(address ?? "") is no URL")
  exit(64)
}

let echo = Echo(EchoComposer(url: url)) { write($0) }
if isPlain {
  exit(await echo.demonstrate() ? 0 : 1)
}
write("/c connects and disconnects, /q quits, anything else is sent")
await echo.obey(Input.lines)
