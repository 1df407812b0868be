// 5: compiles
// 6: warns 1: mutation of captured var 'sum' in concurrently-executing code
//
// A closure of `subscribe` that changes a variable; a relay or a Sendable type is safe.
import Reactive

func sum(_ numbers: Observable<Int>) -> Int {
  var sum = 0
  let subscription = numbers.subscribe(onNext: { sum += $0 })
  subscription.dispose()
  return sum
}
