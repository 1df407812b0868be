extension ObservableType {
  /// Emits `elements` first, then the elements of the source.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    Observable { [run] down in
      for element in elements where !down.lifetime.isDisposed { down.next(element) }
      if !down.lifetime.isDisposed { run(down) }
    }
  }
}
