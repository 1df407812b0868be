import Foundation
import Reactive
import TestSupport
import Testing

/// Tracing is switched on for the process, so each test runs in its own process, where the first
/// subscription is stream 1.
@Suite(.workerPool) struct StreamTapsTests {
  private struct Failure: Error {}

  private final class Token: Sendable {}

  /// The events of the watched streams in the order of delivery: `2 next 7`.
  private final class Received: Sendable {
    let texts = Locked<[String]>([])
    let times = Locked<[ContinuousClock.Instant]>([])

    func watch(_ stream: Int) -> (any Disposable)? {
      Streams.watch(stream) { [texts, times] time, event in
        times.withLock { $0.append(time) }
        let text =
          switch event {
          case .next(let element): "\(stream) next \(element)"
          case .error(let error): "\(stream) error \(error)"
          case .completed: "\(stream) completed"
          case .disposed: "\(stream) disposed"
          }
        texts.withLock { $0.append(text) }
      }
    }
  }

  @Test func `watched streams report their elements and their completion, with times`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subject = PublishSubject<Int>()
      _ = subject.map { $0 * 10 }.filter { $0 > 10 }.subscribe()
      let received = Received()
      subject.onNext(1)
      let start = ContinuousClock.now
      // 1 subscribe, 2 filter, 3 map, 4 the subject.
      let watches = (1...4).map { received.watch($0) }
      subject.onNext(2)
      subject.onNext(1)
      subject.onCompleted()
      #expect(
        received.texts.withLock { $0 } == [
          "4 next 2", "3 next 20", "1 next 20", "2 next 20", "4 next 1", "3 next 10",
          "4 completed", "3 completed", "1 completed", "2 completed",
        ])
      let times = received.times.withLock { $0 }
      #expect(times == times.sorted() && start <= times[0])
      #expect(received.watch(1) == nil)
      for watch in watches { watch?.dispose() }
    }
  }

  @Test func `a watched stream reports its error or its disposal once`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let received = Received()
      let failing = PublishSubject<Int>()
      _ = failing.map { _ in throw Failure() }.subscribe(onError: { _ in })
      let watches = [received.watch(1), received.watch(2), received.watch(3)]
      failing.onNext(1)
      let disposed = PublishSubject<Int>().subscribe()
      let later = [received.watch(4), received.watch(5)]
      disposed.dispose()
      #expect(
        received.texts.withLock { $0 } == [
          "3 next 1", "1 error Failure()", "2 error Failure()", "3 disposed", "4 disposed",
          "5 disposed",
        ])
      for watch in watches + later { watch?.dispose() }
    }
  }

  @Test func `a watch that is disposed of reports nothing more, and others continue`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subject = PublishSubject<Int>()
      let subscription = subject.subscribe()
      let (one, other) = (Received(), Received())
      let (first, second) = (one.watch(2), other.watch(2))
      subject.onNext(1)
      first?.dispose()
      subject.onNext(2)
      second?.dispose()
      subject.onNext(3)
      #expect(one.texts.withLock { $0 } == ["2 next 1"])
      #expect(other.texts.withLock { $0 } == ["2 next 1", "2 next 2"])
      subscription.dispose()
    }
  }

  @Test func `last elements are kept only while a tool keeps them`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subject = PublishSubject<Token>()
      let subscription = subject.map { $0 }.subscribe()
      weak let early = Self.send(subject)
      #expect(early == nil && Streams.lastElements(of: 1...3).isEmpty)
      let (one, other) = (Streams.keepLastElements(), Streams.keepLastElements())
      #expect(Streams.lastElements(of: 1...3).isEmpty)
      weak let first = Self.send(subject)
      #expect(Streams.lastElements(of: 1...3).values.allSatisfy { $0 as? Token === first })
      #expect(Streams.lastElements(of: 1...3).count == 3)
      weak let second = Self.send(subject)
      #expect(first == nil && second != nil)
      one.dispose()
      #expect(second != nil)
      other.dispose()
      #expect(second == nil)
      weak let late = Self.send(subject)
      #expect(late == nil)
      subscription.dispose()
    }
  }

  @Test func `the last element is released with its stream`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let keeping = Streams.keepLastElements()
      let (disposed, completed) = (PublishSubject<Token>(), PublishSubject<Token>())
      let subscription = disposed.subscribe()
      _ = completed.map { $0 }.subscribe()
      weak let first = Self.send(disposed)
      weak let second = Self.send(completed)
      #expect(first != nil && second != nil)
      subscription.dispose()
      completed.onCompleted()
      #expect(first == nil && second == nil)
      #expect(Streams.lastElements(of: 1...5).isEmpty)
      keeping.dispose()
    }
  }

  /// Sends an object that only the observers may keep, and returns it.
  private static func send(_ subject: PublishSubject<Token>) -> Token? {
    weak let sent: Token?
    do {
      let token = Token()
      sent = token
      subject.onNext(token)
    }
    return sent
  }

  @Test func `streams can be watched while other threads deliver and dispose`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        for number in 0..<500 {
          let subject = PublishSubject<Token>()
          let subscription = subject.map { $0 }.subscribe()
          let keeping = index == 0 ? Streams.keepLastElements() : nil
          let first = number * 12
          let watches = (first..<first + 12).map { Streams.watch($0) { _, _ in } }
          subject.onNext(Token())
          _ = Streams.lastElements(of: first..<first + 12).count
          if number.isMultiple(of: 2) { subject.onCompleted() }
          subscription.dispose()
          keeping?.dispose()
          for watch in watches { watch?.dispose() }
        }
      }
      #expect(Streams.lastElements(of: 1...20_000).isEmpty)
    }
  }
}
