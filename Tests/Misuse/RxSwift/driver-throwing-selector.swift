// 5: refused: invalid conversion from throwing function
// 6: refused: invalid conversion from throwing function
//
// Selectors that combine drivers cannot throw.
import Reactive

struct Failure: Error {}

func combine(_ numbers: Driver<Int>) -> Driver<Int> {
  Driver.combineLatest(numbers, numbers) { first, second in
    if first > second { throw Failure() }
    return second
  }
}
