/// Whether the tests run with a sanitizer, which makes a run of one thread slow and finds little in it.
#if SANITIZED
let isSanitized = true
#else
let isSanitized = false
#endif

/// Seeds for tests: so many, and two with a sanitizer.
func seeds(_ count: UInt64) -> ClosedRange<UInt64> { 1...(isSanitized ? min(count, 2) : count) }
