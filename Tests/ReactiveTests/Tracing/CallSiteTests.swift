import TestSupport
import Testing

@testable import Reactive

@Suite(.workerPool) struct CallSiteTests {
  @Test(arguments: [
    ("static ObservableType.map<A>(_:)", "map"),
    ("PublishSubject.__allocating_init()", "PublishSubject"),
    ("Single.init(_:)", "Single"),
    ("PublishRelay.asObservable()", "PublishRelay"),
    ("WebSocket.messages.getter", "messages"),
    ("getter", "getter"),
  ])
  func `a call site has the name of the function, the type or the property`(
    _ function: String, _ name: String
  ) {
    #expect(CallSite.name(of: function) == name)
  }
}
