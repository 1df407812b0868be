import Sockets

extension EventLoop {
  /// Returns after the loop has taken `turns` further turns, which run all work that was due.
  package func settle(turns: Int = 3) async {
    for _ in 0..<turns {
      await withCheckedContinuation { continuation in execute { continuation.resume() } }
    }
  }
}
