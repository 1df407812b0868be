// 5: compiles
// 6: warns 1: mutation of captured var 'sum' in concurrently-executing code
//
// A variable that a closure of `subscribe` changes; a relay, or a type of one's own, is safe.
import Reactive

func sum(_ numbers: Observable<Int>) -> Int {
  var sum = 0
  let subscription = numbers.subscribe(onNext: { sum += $0 })
  subscription.dispose()
  return sum
}
