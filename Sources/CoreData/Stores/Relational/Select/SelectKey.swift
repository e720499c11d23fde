// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifies the statement of a fetch among those that a store keeps.

/// The prepared fetch and the form of its result: everything on which its text depends, except values.
///
/// A store reuses a statement only if its values are those of the fetch. Keep the prepared fetch with the key, so that
/// its identifier is not reused.
package struct SelectKey: Hashable, Sendable {
    private let fetch: ObjectIdentifier
    private let form: Int

    /// The text depends on whether there are a window and an order, but not on their values.
    package init(_ fetch: BoundFetch) {
        self.fetch = ObjectIdentifier(fetch.prepared)
        let window = (fetch.limit == 0 ? 0 : 1) | (fetch.offset == 0 ? 0 : 2)
        let result =
            switch fetch.result {
            case .rows: 0
            case .keys: 1
            case .count: 2
            case .dictionaries: 3
            }
        form = result << 4 | window << 1 | (fetch.isOrdered ? 1 : 0)
    }
}
