// compiles
//
// The type checker accepts a reducer of twelve children within its limit of one second for each
// function.
import Compose

final class Family: Composer {
  enum Action {
    case a(Counter.Action)
    case b(Counter.Action)
    case c(Counter.Action)
    case d(Counter.Action)
    case e(Counter.Action)
    case f(Counter.Action)
    case g(Counter.Action)
    case h(Counter.Action)
    case i(Counter.Action)
    case j(Counter.Action)
    case k(Counter.Action)
    case l(Counter.Action)
  }
  struct State {
    var a = Counter.State()
    var b = Counter.State()
    var c = Counter.State()
    var d = Counter.State()
    var e = Counter.State()
    var f = Counter.State()
    var g: Counter.State?
    var h: Counter.State?
    var i: Counter.State?
    var j: Counter.State?
    var k: Counter.State?
    var l: Counter.State?
  }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let a = Child(\State.a, Action.a) { Counter() }
  let b = Child(\State.b, Action.b) { Counter() }
  let c = Child(\State.c, Action.c) { Counter() }
  let d = Child(\State.d, Action.d) { Counter() }
  let e = Child(\State.e, Action.e) { Counter() }
  let f = Child(\State.f, Action.f) { Counter() }
  let g = Child(\State.g, Action.g) { Counter() }
  let h = Child(\State.h, Action.h) { Counter() }
  let i = Child(\State.i, Action.i) { Counter() }
  let j = Child(\State.j, Action.j) { Counter() }
  let k = Child(\State.k, Action.k) { Counter() }
  let l = Child(\State.l, Action.l) { Counter() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .a(let action): a.reduce(&state, action)
    case .b(let action): b.reduce(&state, action)
    case .c(let action): c.reduce(&state, action)
    case .d(let action): d.reduce(&state, action)
    case .e(let action): e.reduce(&state, action)
    case .f(let action): f.reduce(&state, action)
    case .g(let action): g.reduce(&state, action)
    case .h(let action): h.reduce(&state, action)
    case .i(let action): i.reduce(&state, action)
    case .j(let action): j.reduce(&state, action)
    case .k(let action): k.reduce(&state, action)
    case .l(let action): l.reduce(&state, action)
    }
  }
}
