// 5: compiles
// 6: warns 2: capture of 'self' with non-Sendable type
//
// A class without an actor; the elements may arrive on any thread.
import Reactive

final class Player {
  private var position = 0
  private let disposeBag = DisposeBag()

  init(ticks: Observable<Int>) {
    ticks.subscribe(onNext: { [weak self] in self?.position = $0 }).disposed(by: disposeBag)
    ticks.map { [weak self] in ($0, self?.position) }.subscribe().disposed(by: disposeBag)
  }
}
