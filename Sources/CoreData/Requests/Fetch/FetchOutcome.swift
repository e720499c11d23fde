// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store's answer to a fetch.

/// Rows, keys, a number or dictionaries, as the fetch requests.
package enum FetchOutcome {
    /// In the requested order; `Snapshot.layout` is the concrete entity.
    case rows([FetchedRow])
    case keys([ObjectKey])
    case count(Int)
    /// Objects in them are represented by `ObjectKey`.
    case dictionaries([[String: Any]])
}
