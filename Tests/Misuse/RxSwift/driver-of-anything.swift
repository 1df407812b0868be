// 5: refused: 'Combination<Element>' initializer is inaccessible
// 6: refused: 'Combination<Element>' initializer is inaccessible
//
// Only `combineLatest` and `zip` combine.
import Reactive

func drive(_ numbers: Observable<Int>) -> Driver<Int> { Driver<Int>.combined(Combination(numbers)) }
