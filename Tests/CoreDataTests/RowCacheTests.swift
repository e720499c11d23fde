// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row cache when several saves and reads end in another order than they began.

import Foundation
import Testing

@testable import CoreData

@Suite("The row cache") struct RowCacheTests {
    // Goes first: rows do not hold their layouts, which are the library's.
    private let cache = RowCache()
    private let library: Library

    init() throws { library = try Library() }

    private func row(_ version: Int64, _ name: String) -> FetchedRow {
        FetchedRow(key: 7, snapshot: library.snapshot("Author", ["name": name], version: version))
    }

    private var known: (version: Int64, name: String)? {
        let layout = library.entity("Author")
        return cache.row(root: layout.rootIndex, key: 7).map { row in
            (row.version, row.value(layout.slot("name")!) as? String ?? "")  // "name" is Library's
        }
    }

    @Test("a row that was read or saved before another one does not replace it") func order() {
        cache.record([row(2, "second")])
        cache.record([row(1, "first")])
        #expect(known?.name == "second")
        cache.record([row(2, "second, read again")])
        #expect(known?.name == "second, read again")
        cache.record([row(3, "third")])
        #expect(known?.name == "third")
    }

    @Test("what a store tells in a conflict is known, unless a later version makes it doubtful") func correction() {
        cache.correct(row(2, "second"))
        #expect(known?.name == "second")
        cache.correct(row(4, "fourth"))
        #expect(known?.version == 4)
        cache.correct(row(3, "third"))
        #expect(known == nil)
    }
}
