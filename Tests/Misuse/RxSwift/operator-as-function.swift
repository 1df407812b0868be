// 5: warns 4: converting non-Sendable function value
// 6: compiles
//
// Swift 5 mode infers operators as Sendable with the upcoming feature InferSendableFromCaptures;
// closures are inferred in every mode.
import Reactive

func combine(_ numbers: Observable<Int>, _ flags: Driver<Bool>) -> [Any] {
  [
    numbers.scan(0, accumulator: +), numbers.reduce(1, accumulator: *),
    numbers.distinctUntilChanged(==), flags.map(!),
  ]
}
