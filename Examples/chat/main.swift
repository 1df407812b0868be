// Two people chat over ActionCable. Read ChatComposer.swift first; ChatScript.swift has the steps.

import Foundation
import ActionCable
import Inspector
import Signals
import SocketsRedis

guard let arguments = ChatArguments(CommandLine.arguments.dropFirst()) else {
  print(ChatArguments.help)
  exit(64)
}

do {
  let inspector = try arguments.isInspected ? Inspector.start() : nil
  switch arguments.mode {
  case .help: print(ChatArguments.help)
  case .serve(let port, let redis):
    let backplane = try redis.map { url in try RedisBackplane(url) }
    let server = try ChatServer.make(port: port, backplane: backplane)
    let bag = DisposeBag()
    // Not `print`, whose lines wait in a buffer when the output is a pipe.
    let write: @Sendable (String) -> Void = { line in
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
    write("serving \(server.url)")
    server.backplaneStates.subscribe(onNext: { write("redis: \($0)") }).disposed(by: bag)
    for try await _ in signals(SIGINT, SIGTERM).values { break }
    withExtendedLifetime(server) {}
  case .script(let url):
    var script = ChatScript(url: url ?? "", restart: nil) { print($0) }
    let server = url == nil ? try ChatServer.make() : nil
    if let server {
      script.url = server.url
      script.restart = { server.disconnectAll("server_restart", reconnect: true) }
    }
    try await script.run()
    if inspector != nil {
      print("The inspector runs until it is interrupted.")
      for try await _ in signals(SIGINT).values { break }
    }
    // Keeps the server until here.
    withExtendedLifetime(server) {}
  }
  inspector?.stop()
} catch {
  FileHandle.standardError.write(Data("chat: \(error)\n".utf8))
  exit(1)
}
