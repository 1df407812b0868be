// A program in virtual time, for the tests of the inspector's page. Its clock is paused when it begins:
//
//   inspected-clock
//
// Prints the address of the page, then `ready`. A line of standard input is a number of seconds by which the
// program advances its clock; it then prints `advanced`. The end of the input ends the program.

import Foundation
import Inspector
import ReactiveTesting

/// A composer that counts the seconds.
final class Ticker: Composer {
  enum Action: Codable, Sendable { case start, stop, tick, add(Int) }

  struct State: Codable, Equatable, Sendable { var count = 0 }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start: return .interval(.send(.tick), period: .seconds(2)).cancellable(id: "ticks")
    case .stop: return .cancel(id: "ticks")
    case .tick: state.count += 1
    case .add(let number): state.count += number
    }
    return .none
  }
}

/// Writes a line at once, also to a pipe.
func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

var configuration = InspectorConfiguration()
configuration.pausesVirtualClocks = true
let inspector = try Inspector(configuration)
show("Inspector: \(inspector.url)")
let time = VirtualTime()
let ticker = Composed(sending: Ticker(), on: .virtual(time))
ticker.send(.start)
show("ready")
while let line = readLine() {
  time.advance(by: .seconds(Double(line) ?? 0))
  show("advanced")
}
withExtendedLifetime(ticker) {}
