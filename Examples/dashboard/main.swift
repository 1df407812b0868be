// The entry of the program: arguments in, exit status out. Read DashboardComposer.swift first.

import Foundation
import Inspector
import Signals
import Sockets

enum ExitStatus {
  static let done: Int32 = 0
  static let noFrames: Int32 = 1
  static let notConnected: Int32 = 2
  static let wrongArguments: Int32 = 64
  static func signal(_ number: Int32) -> Int32 { 128 + number }
}

// MARK: Arguments

let arguments: Arguments
let server: FiguresServer?
let inspector: Inspector?
do {
  arguments = try Arguments(CommandLine.arguments.dropFirst())
  if arguments.wantsHelp {
    Console.print(Arguments.help)
    exit(ExitStatus.done)
  }
  var inspection = InspectorConfiguration()
  inspection.tracesStreams = true
  inspector = try arguments.isInspected ? Inspector.start(inspection) : nil
  server = arguments.url == nil ? try FiguresServer() : nil
} catch {
  Console.complain(error)
  exit(error is ArgumentError ? ExitStatus.wrongArguments : ExitStatus.notConnected)
}

// MARK: Wiring

let isPlain = arguments.isPlain || !Terminal.isInteractive
let url = arguments.url ?? server?.url ?? ""
// On a page the user presses `d`. A connection to a foreign server is not dropped.
let dropsAfter = isPlain && server != nil ? (arguments.seconds ?? 10) / 2 : nil
let dashboard = Dashboard(
  DashboardWorld(
    url: url,
    connect: { WebSocket(url) },
    bytesReceived: FiguresReader.bytesReceived,
    dropsAfter: dropsAfter.map { .seconds($0) }
  )
)

let interrupts = signals(SIGINT, SIGTERM, SIGHUP).map { Ending.signal($0) }
let timeUp = arguments.seconds.map { seconds in
  Observable<Int>
    .timer(.milliseconds(Int(seconds * 1_000)), scheduler: MainScheduler.instance)
    .map { _ in Ending.timeUp }
}

/// Draws pages until the end.
@MainActor
func runPage() async -> Ending {
  let keys = keyboard.share()
  let quit = keys.filter { $0 == "q" }.map { _ in Ending.quit }.concat(Observable.just(.quit))
  // Observed before the terminal changes, so that it is restored after any signal.
  let ending = dashboard.ending(among: quit, interrupts, timeUp ?? .never())
  let terminal = Terminal()
  terminal.enter()
  defer { terminal.leave() }
  dashboard.show(
    on: terminal, keys: keys, resizes: signals(SIGWINCH), inspector: inspector?.url)
  signals(SIGTSTP)
    .bind(to: Binder(terminal) { terminal, _ in terminal.suspend() })
    .disposed(by: dashboard.disposeBag)
  return await dashboard.run(until: ending)
}

/// Prints lines until the end.
@MainActor
func runPlain() async -> Ending {
  let ending = dashboard.ending(among: interrupts, timeUp ?? .never())
  let clock = ContinuousClock()
  let start = clock.now
  dashboard.print { line in
    let seconds = (clock.now - start) / .seconds(1)
    Console.print(String(format: "%7.2f s   ", seconds) + line)
  }
  return await dashboard.run(until: ending)
}

// MARK: The end

let ending = isPlain ? await runPlain() : await runPage()
let state = dashboard.composer.state
inspector?.stop()
if case .failed(let error) = ending {
  Console.complain(error)
  exit(ExitStatus.notConnected)
}
if isPlain { Console.print(PlainPrinter.summary(state)) }
if case .signal(let number) = ending, number != SIGINT { exit(ExitStatus.signal(number)) }
exit(isPlain && state.frames.total == 0 ? ExitStatus.noFrames : ExitStatus.done)
