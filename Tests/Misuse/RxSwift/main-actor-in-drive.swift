// 5: compiles
// 6: compiles
//
// The right ways to main-actor state.
import Reactive

@MainActor
final class Screen {
  private var title = ""
  private let disposeBag = DisposeBag()

  func bind(_ titles: Driver<String>, _ news: Signal<String>, _ other: Observable<String>) {
    titles.drive(onNext: { [weak self] in self?.title = $0 }).disposed(by: disposeBag)
    titles.drive(with: self) { $0.title = $1 }.disposed(by: disposeBag)
    news.emit(onNext: { [weak self] in self?.title = $0 }).disposed(by: disposeBag)
    news.emit(with: self) { owner, title in owner.title = title }.disposed(by: disposeBag)
    other.bind(to: Binder(self) { owner, title in owner.title = title }).disposed(by: disposeBag)
  }
}
