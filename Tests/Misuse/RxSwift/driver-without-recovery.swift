// 5: refused: missing argument for parameter 'onErrorJustReturn' in call
// 6: refused: missing argument for parameter 'onErrorJustReturn' in call
//
// An observable may fail: its driver needs a replacement for an error.
import Reactive

func drive(_ numbers: Observable<Int>) -> Driver<Int> { numbers.asDriver() }
