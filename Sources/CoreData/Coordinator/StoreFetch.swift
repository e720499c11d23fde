// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch addressed to one store.

/// Holds values, and a store that serializes its callers: any thread may use it.
struct StoreFetch {
    let home: StoreIdentity
    /// The store, or a snapshot of the store at one moment.
    let source: any RecordSource
    let fetch: BoundFetch
}
