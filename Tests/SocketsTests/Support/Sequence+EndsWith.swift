extension Sequence where Element: Equatable {
  func ends(with end: some Collection<Element>) -> Bool {
    suffix(end.count).elementsEqual(end)
  }
}
