extension DisposeBag {
  /// Collects the disposables of a closure: one in every line.
  @resultBuilder public enum DisposableBuilder {
    /// The disposables of the lines.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
      disposables
    }
  }

  /// A bag that holds the disposables in `builder`.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init(disposing: builder())
  }

  /// A bag that holds `disposables`.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    insert(disposables)
  }

  /// Holds the disposables in `builder`.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }
}
