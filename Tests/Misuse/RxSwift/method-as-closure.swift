// 5: compiles
// 6: warns 1: converting non-Sendable function value
//
// A method reference retains its object.
import Reactive

final class Player {
  private var position = 0
  private let disposeBag = DisposeBag()

  func bind(_ ticks: Observable<Int>) {
    ticks.subscribe(onNext: move).disposed(by: disposeBag)
  }

  private func move(_ position: Int) { self.position = position }
}
