// 5: compiles
// 6: compiles
//
// What the contract lists as not checked: one object that several subscribers receive, or that changes threads.
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
