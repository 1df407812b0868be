import Foundation
import TestSupport
import Testing

@testable import Sockets

/// The examples of ServingTopics.md.
@Suite("The article on topics", .workerPool)
struct TopicsArticleTests {
  @Test func `the article's room has what one client says for all of them`() async throws {
    let bag = DisposeBag()

    let server = try WebSocketServer()
    server.connections.subscribe(onNext: { socket in
      let room = server.topic("room:7")
      room.subscribe(socket)
      socket.messages.subscribe(onNext: { room.publish($0) }, onError: { _ in }).disposed(by: bag)
    }).disposed(by: bag)

    let room = server.topic("room:7")
    let presence = Watched(0)
    room.presence.subscribe(onNext: { count in presence.update { $0 = count } }).disposed(by: bag)
    let (ann, heardByAnn) = WebSocket.recorded(to: server.url)
    let (bob, heardByBob) = WebSocket.recorded(to: server.url)
    for socket in [ann, bob] { socket.connect() }
    for recorder in [heardByAnn, heardByBob] { await recorder.waitUntilConnected() }
    await presence.wait { $0 == 2 }
    try ann.send("hello")
    for recorder in [heardByAnn, heardByBob] { await recorder.log.wait { $0.texts == ["hello"] } }
  }

  @Test func `the article's streams have the presence and the messages`() throws {
    let (shown, archive, bag) = (
      EventRecorder<String>(), EventRecorder<String>(), DisposeBag()
    )
    let server = try WebSocketServer()
    let room = server.topic("room:7")

    let result = room.publish(.text("news"), slowClients: .closed)
    room.presence.subscribe(onNext: { shown.append("\($0) here") }).disposed(by: bag)
    room.messages.subscribe(onNext: { archive.append($0.text ?? "") }).disposed(by: bag)

    #expect(result.sent == 0 && result.slow.isEmpty)
    room.publish(.text("more"))
    #expect(shown.events == ["0 here"] && archive.events == ["more"])
    // Its end completes the streams, which says nothing here.
    server.close()
  }

  @Test func `the article's two servers share their topics`() throws {
    let (heard, bag) = (EventRecorder<String>(), DisposeBag())
    let identity = Certificates.good

    let backplane = InMemoryBackplane()
    let plain = try WebSocketServer(backplane: backplane)
    let secure = try WebSocketServer(identity: identity, backplane: backplane)

    secure.topic("a").messages.map { $0.text ?? "" }.record(in: heard).disposed(by: bag)
    plain.topic("a").publish(.text("hi"))
    #expect(heard.events == ["hi"])
  }
}
