extension DisposeBag {
  /// Collects the disposables of a closure, one for each statement.
  @resultBuilder public enum DisposableBuilder {
    /// Returns the disposables of the statements.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
      disposables
    }
  }

  /// Creates a bag that holds the disposables of `builder`.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init(disposing: builder())
  }

  /// Creates a bag that holds `disposables`.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    insert(disposables)
  }

  /// Adds the disposables of `builder`.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }
}
