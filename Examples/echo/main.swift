// An echo in the terminal. Read EchoComposer.swift first.

import Foundation
import Sockets

let help = """
  An echo over a WebSocket: a composer, a client of closures, and an embedded server.

  usage: echo [--plain] [--url ws://host:port/path]

    --url URL   connect to this server; the default is an embedded echo server
    --plain     demonstrate a failure, a connection and two echoes, then exit
    --help      print this help

  lines: /c connects and disconnects, /q quits, anything else is sent
  """

func write(_ line: String) {
  // Not `print`, which buffers lines when the output is not a terminal.
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
  write("echo: wrong arguments; see --help")
  exit(64)
}

let server = try address == nil ? EchoServer() : nil
guard let url = URL(string: address ?? server?.url ?? "") else {
  write("echo: \(address ?? "") is not a URL")
  exit(64)
}

let echo = Echo(EchoComposer(url: url)) { write($0) }
if isPlain {
  exit(await echo.demonstrate() ? 0 : 1)
}
write("/c connects and disconnects, /q quits, anything else is sent")
await echo.run(Input.lines)
