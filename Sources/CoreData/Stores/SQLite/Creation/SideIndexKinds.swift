// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kinds of indexes that options of a store ask for.

/// Both kinds of indexes.
package enum SideIndexKinds {
    /// Whether an entry of a file's schema belongs to an index that an option of the store asks for.
    package static func isOwn(_ name: String) -> Bool { FullTextTable.isOwn(name) || ValueTable.isOwn(name) }
}
