// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store's answer to a fetch.

/// Rows, keys, a number or dictionaries, as the fetch asks for.
package enum FetchOutcome {
    /// In the order asked for; `Snapshot.layout` is the concrete entity.
    case rows([FetchedRow])
    case keys([ObjectKey])
    case count(Int)
    /// Objects in them are given as `ObjectKey`.
    case dictionaries([[String: Any]])
}
