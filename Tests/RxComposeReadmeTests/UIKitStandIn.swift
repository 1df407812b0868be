import Compose

// Stand-ins for the parts of UIKit and RxCocoa that the README's view controllers use: labels with a
// history, buttons that tests can tap, and recorded alerts.

@MainActor
final class UILabel {
  private(set) var shown: [String?] = []
  var text: String? { didSet { shown.append(text) } }
  var rx: LabelExtensions { LabelExtensions(label: self) }

  @MainActor
  struct LabelExtensions {
    let label: UILabel
    var text: Binder<String?> { Binder(label) { label, text in label.text = text } }
  }
}

@MainActor
final class UIButton {
  private let taps = PublishRelay<Void>()
  var rx: ButtonExtensions { ButtonExtensions(tap: taps.asObservable()) }

  func tap(times: Int = 1) {
    for _ in 0..<times { taps.accept(()) }
  }

  struct ButtonExtensions {
    let tap: Observable<Void>
  }
}

@MainActor
class UIViewController {
  private(set) var presented: [UIViewController] = []

  init() {}

  func viewDidLoad() {}
  func present(_ viewController: UIViewController, animated: Bool) {
    presented.append(viewController)
  }
}

@MainActor
final class UIAlertController: UIViewController {
  enum Style { case alert }

  let message: String?

  init(title: String?, message: String?, preferredStyle: Style) {
    self.message = message
    super.init()
  }

  func addAction(_ action: UIAlertAction) {}
}

@MainActor
final class UIAlertAction {
  enum Style { case `default` }

  init(title: String?, style: Style) {}
}

// The service that the README assumes.

nonisolated struct ServiceError: Error {}

nonisolated struct API {
  @TaskLocal static var fails = false

  func fetchData() async throws -> String {
    if API.fails { throw ServiceError() }
    return "data"
  }

  func fetchDataObservable() -> Observable<String> {
    API.fails ? .error(ServiceError()) : .just("data")
  }
}

let api = API()
