import Reactive

// `combineLatest` and `zip` have a declaration for each number of sources.

/// The name of the declaration with a selector for `count` sources.
func selecting(_ name: String, _ count: Int) -> String {
  "Observable.\(name)(\(String(repeating: "_:", count: count))resultSelector:)"
}

/// The name of the declaration without a selector for `count` sources.
private func pairing(_ name: String, _ count: Int) -> String {
  "Observable.\(name)(\(String(repeating: "_:", count: count)))"
}

private func sum(_ elements: Int...) -> Int { elements.reduce(0, +) }

/// The sum of `count` sources when the first has sent 1, the second 11, and so on.
private func firstSum(_ count: Int) -> Int { (0..<count).reduce(0) { $0 + 10 * $1 + 1 } }

/// The sums of `count` zipped sources: one in each round.
private func zipped(_ count: Int) -> String {
  "\((0..<3).map { "\(firstSum(count) + $0 * count)" }.joined(separator: " ")) |"
}

/// The sums of the latest elements of `count` sources: one at the end of the first round, then one
/// for each element.
private func latest(_ count: Int) -> String {
  "\((0...2 * count).map { "\(firstSum(count) + $0)" }.joined(separator: " ")) |"
}

extension Table {
  mutating func addCombining() {
    several(2, selecting("combineLatest", 2), latest(2)) {
      .combineLatest($0[0], $0[1], resultSelector: { sum($0, $1) })
    }
    several(2, pairing("combineLatest", 2), latest(2)) {
      Observable.combineLatest($0[0], $0[1]).map { sum($0.0, $0.1) }
    }
    several(3, selecting("combineLatest", 3), latest(3)) {
      .combineLatest($0[0], $0[1], $0[2], resultSelector: { sum($0, $1, $2) })
    }
    several(3, pairing("combineLatest", 3), latest(3)) {
      Observable.combineLatest($0[0], $0[1], $0[2]).map { sum($0.0, $0.1, $0.2) }
    }
    several(4, selecting("combineLatest", 4), latest(4)) {
      .combineLatest($0[0], $0[1], $0[2], $0[3], resultSelector: { sum($0, $1, $2, $3) })
    }
    several(4, pairing("combineLatest", 4), latest(4)) {
      Observable.combineLatest($0[0], $0[1], $0[2], $0[3]).map { sum($0.0, $0.1, $0.2, $0.3) }
    }
    several(5, selecting("combineLatest", 5), latest(5)) {
      .combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], resultSelector: { sum($0, $1, $2, $3, $4) })
    }
    several(5, pairing("combineLatest", 5), latest(5)) {
      Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4)
      }
    }
    several(6, selecting("combineLatest", 6), latest(6)) {
      .combineLatest(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], resultSelector: { sum($0, $1, $2, $3, $4, $5) })
    }
    several(6, pairing("combineLatest", 6), latest(6)) {
      Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5)
      }
    }
    several(7, selecting("combineLatest", 7), latest(7)) {
      .combineLatest(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6],
        resultSelector: { sum($0, $1, $2, $3, $4, $5, $6) })
    }
    several(7, pairing("combineLatest", 7), latest(7)) {
      Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6)
      }
    }
    several(8, selecting("combineLatest", 8), latest(8)) {
      .combineLatest(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7],
        resultSelector: { sum($0, $1, $2, $3, $4, $5, $6, $7) })
    }
    several(8, pairing("combineLatest", 8), latest(8)) {
      Observable.combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7)
      }
    }
    several(3, "Observable.combineLatest(_:resultSelector:)", latest(3)) {
      .combineLatest($0, resultSelector: { $0.reduce(0, +) })
    }
    several(3, "Observable.combineLatest(_:)", latest(3)) {
      Observable.combineLatest($0).map { $0.reduce(0, +) }
    }
    several(2, selecting("zip", 2), zipped(2)) {
      .zip($0[0], $0[1], resultSelector: { sum($0, $1) })
    }
    several(2, pairing("zip", 2), zipped(2)) {
      Observable.zip($0[0], $0[1]).map { sum($0.0, $0.1) }
    }
    several(3, selecting("zip", 3), zipped(3)) {
      .zip($0[0], $0[1], $0[2], resultSelector: { sum($0, $1, $2) })
    }
    several(3, pairing("zip", 3), zipped(3)) {
      Observable.zip($0[0], $0[1], $0[2]).map { sum($0.0, $0.1, $0.2) }
    }
    several(4, selecting("zip", 4), zipped(4)) {
      .zip($0[0], $0[1], $0[2], $0[3], resultSelector: { sum($0, $1, $2, $3) })
    }
    several(4, pairing("zip", 4), zipped(4)) {
      Observable.zip($0[0], $0[1], $0[2], $0[3]).map { sum($0.0, $0.1, $0.2, $0.3) }
    }
    several(5, selecting("zip", 5), zipped(5)) {
      .zip($0[0], $0[1], $0[2], $0[3], $0[4], resultSelector: { sum($0, $1, $2, $3, $4) })
    }
    several(5, pairing("zip", 5), zipped(5)) {
      Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4]).map { sum($0.0, $0.1, $0.2, $0.3, $0.4) }
    }
    several(6, selecting("zip", 6), zipped(6)) {
      .zip(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], resultSelector: { sum($0, $1, $2, $3, $4, $5) })
    }
    several(6, pairing("zip", 6), zipped(6)) {
      Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5)
      }
    }
    several(7, selecting("zip", 7), zipped(7)) {
      .zip(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6],
        resultSelector: { sum($0, $1, $2, $3, $4, $5, $6) })
    }
    several(7, pairing("zip", 7), zipped(7)) {
      Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6)
      }
    }
    several(8, selecting("zip", 8), zipped(8)) {
      .zip(
        $0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7],
        resultSelector: { sum($0, $1, $2, $3, $4, $5, $6, $7) })
    }
    several(8, pairing("zip", 8), zipped(8)) {
      Observable.zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]).map {
        sum($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7)
      }
    }
    several(3, "Observable.zip(_:resultSelector:)", zipped(3)) {
      .zip($0, resultSelector: { $0.reduce(0, +) })
    }
    several(3, "Observable.zip(_:)", zipped(3)) {
      Observable.zip($0).map { $0.reduce(0, +) }
    }
  }
}
