// 5: warns 2: main actor-isolated property 'title' can not be mutated
// 6: warns 2: main actor-isolated property 'title' can not be mutated
//
// State of the main actor: `drive`, `emit` and a `Binder` are called there, `subscribe` and `do` are not.
import Reactive

@MainActor
final class Screen {
  private var title = ""
  private let disposeBag = DisposeBag()

  func bind(_ titles: Observable<String>) {
    titles.subscribe(onNext: { [weak self] in self?.title = $0 }).disposed(by: disposeBag)
    titles.do(onNext: { [weak self] in self?.title = $0 }).subscribe().disposed(by: disposeBag)
  }
}
