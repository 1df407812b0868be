/// The peers' contenders, by the workload they stand beside.
#if PEERS
@MainActor let peers = OpenCombineContenders.all
@MainActor let asyncPeers = AsyncContenders.all
#else
/// None: they need a package that a plain build does not resolve.
@MainActor let peers: [String: @MainActor () -> Contender.Body] = [:]
@MainActor let asyncPeers = peers
#endif
