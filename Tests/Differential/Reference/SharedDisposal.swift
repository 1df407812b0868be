/// A reference-counted disposal, like RxSwift's RefCountDisposable.
package final class SharedDisposal {
  package let source = Disposal()
  private var holders: [(disposal: Disposal, isReleased: () -> Bool)] = []

  package init() {}

  /// Whether it is disposed of, or will be when its holders release it.
  package var isOver: Bool { source.isDisposed || holders.allSatisfy { $0.isReleased() } }

  /// Retains the disposal until the returned one is disposed of.
  func retained(isReleased: @escaping () -> Bool) -> Disposal {
    let holding = Disposal()
    holders.append((holding, { holding.isDisposed || isReleased() }))
    holding.add(
      Disposal { [self] in
        holders.removeAll { $0.disposal === holding }
        if holders.isEmpty { source.dispose() }
      })
    return holding
  }
}

extension Stream {
  /// Retains `shared` while the stream is observed.
  func holding(_ shared: SharedDisposal) -> Stream {
    .producer { sink in
      let holding = shared.retained { sink.isReleased }
      return Disposal([holding, pass(to: sink, next: sink.next)])
    }
  }
}
