// Tasks in a terminal, kept in a file and on a server. Read App.swift first; without a terminal
// TasksScript.swift is played.

import Foundation
import Inspector
import Signals

let arguments: Arguments
do {
  arguments = try Arguments(CommandLine.arguments.dropFirst())
} catch {
  FileHandle.standardError.write(Data("tasks: \(error)\n".utf8))
  exit(64)
}
if arguments.wantsHelp {
  print(Arguments.help)
  exit(0)
}
let inspector = try arguments.isInspected ? Inspector.start() : nil

if arguments.isPlain || !Terminal.isInteractive {
  @Sendable func show(_ line: String) {
    print(line)
    fflush(nil)  // Also a pipe receives each line at once.
  }
  var script = TasksScript(count: arguments.count, inspector: inspector) { show($0) }
  if inspector != nil {
    script.pause = {
      show("The inspector runs until it is interrupted.")
      for try await _ in signals(SIGINT).values { break }
    }
  }
  try await script.run()
  inspector?.stop()
  exit(0)
}

// Each number of tasks has its own file.
let name = arguments.count.map { "tasks-\($0).json" } ?? "tasks.json"
let file = FileManager.default.temporaryDirectory.appending(path: name)
let failures = PublishRelay<String>()
let kept = SharedValue(
  TaskList(), keptIn: FileStorage(file), onFailure: { failures.accept("\($0)") })
let server = try TasksServer(
  kept.value.items.isEmpty ? .samples(arguments.count) : kept.value.items)
let network = Network(to: server.url)
let terminal = Terminal()
terminal.enter()
let screen = Dependencies.with {
  $0.api = network.api
} run: {
  TasksScreen(App(kept)) { terminal.draw($0) }
}
if let inspector {
  inspector.add(screen.composer, fork: App.fork) { $0.api = .offline }
  screen.show("Inspector: \(inspector.url)")
}
let shown = failures.asDriver(onErrorDriveWith: .never()).drive(onNext: { screen.show($0) })
keys: for try await key in keyboard.values {
  switch screen.press(key) {
  case .plug: network.isPlugged.toggle()
  case .quit: break keys
  case .send, nil: break
  }
}
shown.dispose()
terminal.leave()
inspector?.stop()
try kept.flush()
