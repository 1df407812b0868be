// 5: compiles
// 6: warns 2: type 'Player' does not conform to the 'Sendable' protocol
//
// A class without an actor, passed by `with:`.
import Reactive

final class Player {
  private var position = 0
  private let disposeBag = DisposeBag()

  init(ticks: Observable<Int>) {
    ticks.subscribe(with: self, onNext: { $0.position = $1 }).disposed(by: disposeBag)
    ticks.bind(with: self) { $0.position = $1 }.disposed(by: disposeBag)
  }
}
