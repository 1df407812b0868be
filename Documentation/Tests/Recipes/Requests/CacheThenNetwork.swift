// Cache, then network
//
// Problem: Show the stored list at once, and the server's list when it arrives; the stored one must
// never replace the newer one.
//
// Words: stale while revalidate, offline first, cached response, refresh
//
// Why: `take(until:)` ends the cache with the first answer of the network. `multicast` subscribes
// to the network once for both uses, after both are ready, so that the request is sent once.
//
// Ends: When the network completes. It fails when the network fails; a failing cache is an empty
// one. Disposing of the subscription cancels both.
//
// See: take(until:), merge, multicast(selector:), catch, Reactive/Combining

import Reactive
import ReactiveTesting
import Testing

/// What the cache has until the network answers, and then what the network has.
func cachedThenFresh<List: Sendable>(
  cache: Observable<List>, network: Observable<List>
) -> Observable<List> {
  network.multicast({ PublishSubject() }) { fresh in
    Observable.merge(cache.catch { _ in .empty() }.take(until: fresh), fresh)
  }
}

@Test func `the stored list is shown until the fresh one arrives`() {
  #expect(
    play("-c|", "---n|") { cache, network, _ in cachedThenFresh(cache: cache, network: network) }
      == "-c-n|")
}

@Test func `a slow cache does not replace the fresh list`() {
  #expect(
    play("---c|", "-n--|") { cache, network, _ in cachedThenFresh(cache: cache, network: network) }
      == "-n--|")
}

@Test func `a broken cache shows the fresh list only, and a failed request the stored one`() {
  #expect(
    play("-x", "---n|") { cache, network, _ in cachedThenFresh(cache: cache, network: network) }
      == "---n|")
  #expect(
    play("-c|", "---x") { cache, network, _ in cachedThenFresh(cache: cache, network: network) }
      == "-c-x")
}
