// 5: refused: invalid conversion from throwing function
// 6: refused: invalid conversion from throwing function
//
// Closures of drivers, signals and infallibles cannot throw.
import Reactive

struct Failure: Error {}

func check(_ numbers: Infallible<Int>) -> Infallible<Int> {
  numbers.map { number in
    if number < 0 { throw Failure() }
    return number
  }
}
