// 5: warns 4: converting non-Sendable function value
// 6: compiles
//
// Swift 5 mode sees that operators are Sendable with the upcoming feature InferSendableFromCaptures;
// closures do in any mode.
import Reactive

func combine(_ numbers: Observable<Int>, _ flags: Driver<Bool>) -> [Any] {
  [
    numbers.scan(0, accumulator: +), numbers.reduce(1, accumulator: *),
    numbers.distinctUntilChanged(==), flags.map(!),
  ]
}
