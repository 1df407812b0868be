// 5: compiles
// 6: compiles
//
// Not checked by the compiler, see the contract: one object for several observers or threads.
import Reactive

final class Model { var number = 0 }

func unchecked(_ model: Model, ticks: Observable<Int>, _ queue: ConcurrentDispatchQueueScheduler)
  throws -> [Observable<Model>]
{
  let latest = BehaviorSubject(value: model)
  let kept = ReplaySubject<Model>.create(bufferSize: 1)
  kept.onNext(try latest.value())
  return [
    .just(model), .of(model, model), .from([model]), .repeatElement(model),
    .never().startWith(model),
    ticks.scan(into: model) { $0.number += $1 },
    ticks.reduce(model) { model, _ in model }.asObservable(),
    latest, kept, latest.share(replay: 1), latest.observe(on: queue),
  ]
}
