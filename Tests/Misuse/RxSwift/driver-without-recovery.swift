// 5: refused: missing argument for parameter 'onErrorJustReturn' in call
// 6: refused: missing argument for parameter 'onErrorJustReturn' in call
//
// An observable may fail: a driver of it says what comes then.
import Reactive

func drive(_ numbers: Observable<Int>) -> Driver<Int> { numbers.asDriver() }
