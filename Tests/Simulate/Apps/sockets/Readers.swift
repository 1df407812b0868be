import Foundation
import Reactive
import Sockets

/// A client that reads news as fast as its user does, who leaves it alone at times.
final class NewsReader: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private(set) var socket: WebSocket?
  private(set) var isOrdered = true
  private var count = 0
  /// How many news were read on all connections.
  private(set) var total = 0
  /// Whether the user takes nothing.
  private var isAway = false

  init() { open() }

  private func open() {
    var configuration = WebSocketConfiguration()
    // A phone that saves its battery.
    configuration.keepalive = WebSocketKeepalive(interval: .seconds(300), timeout: .seconds(20))
    let new = WebSocket("ws://server:8081/news", configuration: configuration)
    (socket, count) = (new, 0)
    Task { [weak self] in
      // An end is not worth more than another attempt.
      try? await self?.read(new)
      repeat { try await EffectContext.sleep(.seconds(1)) } while self?.isAway == true
      self?.open()
    }
  }

  private func read(_ socket: WebSocket) async throws {
    let values = socket.values
    socket.connect()
    for try await message in values {
      let number = message.text?.split(separator: " ").first.flatMap { Int($0) }
      if number != count + 1 { isOrdered = false }
      (count, total) = (count + 1, total + 1)
      try await EffectContext.sleep(.milliseconds(20))
      while isAway, socket.state != .disconnected { try await EffectContext.sleep(.seconds(1)) }
    }
  }

  func leave() { isAway = true }
  func comeBack() { isAway = false }
}

/// A client whose uploads wait for room, and for the approval of a server that does not come.
final class Uploader: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private(set) var sink = WebSocket("ws://server:8080/sink")
  private(set) var work = WebSocket("ws://server:8080/work")
  private var files = WebSocket("ws://server:8080/file")
  /// The uploads that have not ended.
  private(set) var waiting = 0
  /// Whether the last file is stored.
  private(set) var isFileStored = true
  /// Whether the work's answers are left alone.
  private(set) var isBusy = false

  init() {
    keepOpen(\.sink) {
      var configuration = WebSocketConfiguration()
      configuration.sendHighWaterMark = 32 << 10
      return WebSocket("ws://server:8080/sink", configuration: configuration)
    }
    keepOpen(\.files) { Talker.socket("/file") }
    keepOpen(\.work) {
      var configuration = WebSocketConfiguration()
      // An upload may be slow.
      configuration.writeTimeout = nil
      configuration.keepalive = WebSocketKeepalive(interval: .seconds(300), timeout: .seconds(20))
      return WebSocket("ws://server:8080/work", configuration: configuration)
    }
  }

  var areConnected: Bool {
    [sink, work, files].allSatisfy { $0.state == .connected }
  }

  private func keepOpen(
    _ path: any ReferenceWritableKeyPath<Uploader, WebSocket> & Sendable,
    _ make: @escaping @Sendable () -> WebSocket
  ) {
    let new = make()
    self[keyPath: path] = new
    let isWork = path == \Uploader.work
    Task { [weak self] in
      do {
        let values = new.values
        new.connect()
        for try await message in values {
          if message.text == "stored" { self?.isFileStored = true }
          while isWork, self?.isBusy == true, new.state != .disconnected {
            try await EffectContext.sleep(.seconds(1))
          }
        }
      } catch {
        // Another attempt follows each end.
      }
      repeat { try await EffectContext.sleep(.seconds(1)) } while isWork && self?.isBusy == true
      self?.keepOpen(path, make)
    }
  }

  /// Uploads several files at once.
  func upload(_ sizes: [Int]) {
    for size in sizes {
      waiting += 1
      Task { [weak self, sink] in
        try? await sink.sendWhenWritable(Filler.repeating("a", count: size))
        self?.waiting -= 1
      }
    }
  }

  /// Stores a file of whole blocks.
  func storeFile(blocks: Int) {
    isFileStored = false
    try? files.send(Filler.repeating("file ", count: blocks << 16))
    try? files.send("")
  }

  /// Sends work that waits for room.
  func sendWork(_ size: Int) {
    guard work.isWritable else { return }
    try? work.send(Filler.repeating("b", count: size))
  }

  /// Takes no answers to its work any more, or takes them again.
  func setBusy(_ isBusy: Bool) { self.isBusy = isBusy }
}

/// A client of closures, which receives what came before the end also when it is late.
final class Visitor: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  private let client: WebSocketClient
  private var isVisiting = false
  private(set) var hasMissedGreeting = false

  init() { client = .live() }

  func visit(after delay: Int) {
    guard !isVisiting, let url = URL(string: "ws://server:8080/visit") else { return }
    isVisiting = true
    Task { [weak self, client] in
      var isGreeted = false
      for await action in await client.open("visit", url, []) {
        switch action {
        case .didOpen:
          // The screen appears.
          try await EffectContext.sleep(.milliseconds(delay))
          for await result in await client.receive("visit") {
            if case .success(.text("hello")) = result { isGreeted = true }
          }
        case .didFail: break
        case .didClose(let code, _):
          if code == .normal, !isGreeted { self?.hasMissedGreeting = true }
        }
      }
      self?.isVisiting = false
    }
  }
}
