// 5: warns 1: converting non-Sendable function value
// 6: compiles
//
// In Swift 5 mode a method of the main actor is not inferred as Sendable, unlike in Swift 6 mode.
import Reactive

@MainActor
final class Screen {
  private var title = ""
  private let disposeBag = DisposeBag()

  func bind(_ titles: Driver<String>) {
    titles.drive(onNext: show).disposed(by: disposeBag)
  }

  private func show(_ title: String) { self.title = title }
}
