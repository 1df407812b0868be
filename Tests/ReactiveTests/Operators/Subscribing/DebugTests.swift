import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DebugTests {
  @Test func `debug prints each event with its time and place`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let long = String(repeating: "a", count: 20) + String(repeating: "b", count: 20)
      Observable.of("1").debug("name").subscribe().dispose()
      Observable<String>.error(CancellationError()).debug("failing").subscribe(onError: { _ in })
        .dispose()
      Observable.just(long).debug("long", trimOutput: true).subscribe().dispose()
      Observable.just(long).debug("whole").take(0).subscribe().dispose()
      Observable<Int>.never().debug(file: "a/b/File.swift", line: 7, function: "f()").subscribe()
        .dispose()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let lines = output.split(separator: "\n").map(String.init).filter { $0.contains(" -> ") }
    #expect(
      lines.map { String($0.dropFirst(25)) } == [
        "name -> subscribed", "name -> Event next(1)", "name -> Event completed",
        "name -> isDisposed", "failing -> subscribed",
        "failing -> Event error(CancellationError())", "failing -> isDisposed",
        "long -> subscribed", "long -> Event next(aaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbbbb)",
        "long -> Event completed", "long -> isDisposed", "File.swift:7 (f()) -> subscribed",
        "File.swift:7 (f()) -> isDisposed",
      ]
    )
    let time = #/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}: /#
    #expect(lines.allSatisfy { $0.starts(with: time) })
  }
}
