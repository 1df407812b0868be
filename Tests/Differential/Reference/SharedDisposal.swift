/// What is disposed of when the last of those who hold it has let go: RxSwift's reference count.
package final class SharedDisposal {
  package let source = Disposal()
  private var holders: [(disposal: Disposal, isReleased: () -> Bool)] = []

  package init() {}

  /// Whether it is disposed of, or will be as soon as its holders can let go.
  package var isOver: Bool { source.isDisposed || holders.allSatisfy { $0.isReleased() } }

  /// Holds it until what is returned is disposed of.
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
  /// Holds `shared` while it is observed.
  func holding(_ shared: SharedDisposal) -> Stream {
    .producer { sink in
      let holding = shared.retained { sink.isReleased }
      return Disposal([holding, pass(to: sink, next: sink.next)])
    }
  }
}
