// The top of the program: arguments in, exit status out. DashboardComposer.swift is the heart of it.

import Foundation
import Sockets

enum ExitStatus {
  static let done: Int32 = 0
  static let nothingCame: Int32 = 1
  static let notConnected: Int32 = 2
  static let wrongArguments: Int32 = 64
  static func signal(_ number: Int32) -> Int32 { 128 + number }
}

// MARK: What is asked for

let arguments: Arguments
let server: FiguresServer?
do {
  arguments = try Arguments(CommandLine.arguments.dropFirst())
  if arguments.wantsHelp {
    Console.print(Arguments.help)
    exit(ExitStatus.done)
  }
  server = arguments.url == nil ? try FiguresServer() : nil
} catch {
  Console.complain(error)
  exit(error is ArgumentError ? ExitStatus.wrongArguments : ExitStatus.notConnected)
}

// MARK: Wiring

let isPlain = arguments.isPlain || !Terminal.isInteractive
let url = arguments.url ?? server?.url ?? ""
// On a page, somebody presses `d`; the connection to somebody else's server is left alone.
let dropsAfter = isPlain && server != nil ? (arguments.seconds ?? 10) / 2 : nil
let dashboard = Dashboard(
  DashboardWorld(
    url: url,
    events: .deferred { WebSocket.connect(to: url).events },
    bytesReceived: FiguresReader.bytesReceived,
    dropsAfter: dropsAfter.map { .milliseconds(Int($0 * 1_000)) }
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
  // Listens before the terminal is touched, so that no signal leaves it as it should not be.
  let ending = dashboard.ending(among: quit, interrupts, timeUp ?? .never())
  let terminal = Terminal()
  terminal.enter()
  defer { terminal.leave() }
  dashboard.show(on: terminal, keys: keys, resizes: signals(SIGWINCH))
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
if case .failed(let error) = ending {
  Console.complain(error)
  exit(ExitStatus.notConnected)
}
if isPlain { Console.print(PlainPrinter.summary(state)) }
if case .signal(let number) = ending, number != SIGINT { exit(ExitStatus.signal(number)) }
exit(isPlain && state.frames.total == 0 ? ExitStatus.nothingCame : ExitStatus.done)
