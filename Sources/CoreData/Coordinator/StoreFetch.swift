// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch addressed to one store.

/// Holds values, and a store that orders its callers: any thread may ask it.
struct StoreFetch {
    let home: StoreIdentity
    /// The store, or the store as it was at one moment.
    let source: any RecordSource
    let fetch: BoundFetch
}
