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
  let a = Counter()
  let b = Counter()
  let c = Counter()
  let d = Counter()
  let e = Counter()
  let f = Counter()
  let g = OptionalChild { Counter() }
  let h = OptionalChild { Counter() }
  let i = OptionalChild { Counter() }
  let j = OptionalChild { Counter() }
  let k = OptionalChild { Counter() }
  let l = OptionalChild { Counter() }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .a(let action): reduce(a, &state.a, action) { .a($0) }
    case .b(let action): reduce(b, &state.b, action) { .b($0) }
    case .c(let action): reduce(c, &state.c, action) { .c($0) }
    case .d(let action): reduce(d, &state.d, action) { .d($0) }
    case .e(let action): reduce(e, &state.e, action) { .e($0) }
    case .f(let action): reduce(f, &state.f, action) { .f($0) }
    case .g(let action): reduce(g, &state.g, action) { .g($0) }
    case .h(let action): reduce(h, &state.h, action) { .h($0) }
    case .i(let action): reduce(i, &state.i, action) { .i($0) }
    case .j(let action): reduce(j, &state.j, action) { .j($0) }
    case .k(let action): reduce(k, &state.k, action) { .k($0) }
    case .l(let action): reduce(l, &state.l, action) { .l($0) }
    }
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    stateEffects(of: a, state.a) { .a($0) }
    stateEffects(of: b, state.b) { .b($0) }
    stateEffects(of: c, state.c) { .c($0) }
    stateEffects(of: d, state.d) { .d($0) }
    stateEffects(of: e, state.e) { .e($0) }
    stateEffects(of: f, state.f) { .f($0) }
    stateEffects(of: g, state.g) { .g($0) }
    stateEffects(of: h, state.h) { .h($0) }
    stateEffects(of: i, state.i) { .i($0) }
    stateEffects(of: j, state.j) { .j($0) }
    stateEffects(of: k, state.k) { .k($0) }
    stateEffects(of: l, state.l) { .l($0) }
  }
}
