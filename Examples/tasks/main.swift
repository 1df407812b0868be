// Tasks in a terminal, kept in a file and on a server. Read App.swift first; without a terminal
// TasksScript.swift is played.

import Foundation
import Sockets

if CommandLine.arguments.contains("--plain") || !Terminal.isInteractive {
  try await TasksScript { print($0) }.run()
  exit(0)
}

let file = FileManager.default.temporaryDirectory.appending(path: "tasks.json")
let failures = PublishRelay<String>()
let kept = SharedValue(
  TaskList(), keptIn: FileStorage(file), onFailure: { failures.accept("\($0)") })
let server = try TasksServer(kept.value.items.isEmpty ? .samples : kept.value.items)
let network = Network(to: server.url)
let terminal = Terminal()
terminal.enter()
let screen = Dependencies.with {
  $0.api = network.api
} run: {
  TasksScreen(App(kept)) { terminal.draw($0) }
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
try kept.flush()
