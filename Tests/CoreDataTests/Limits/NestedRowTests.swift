// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts three deep copy no unchanged row, and retain no object for another context.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: P2, and the limit that nested contexts copy no unchanged row
@MainActor @Suite("Rows of nested contexts") struct NestedRowTests {
    private let family: Family
    init() throws {
        family = try Family(in: .sqlite)
        for number in 0..<500 { family.shop.book("Book \(number)", pages: number, in: family.root) }
        try family.root.save()
    }

    private func row(_ id: NSManagedObjectID) throws -> Snapshot? {
        let store = try #require(id.home?.store as? any RecordStore)
        return store.rowCache.row(root: id.layout.rootIndex, key: id.key)
    }

    @Test("a row read through two parents is the block of the row cache")
    func shared() throws {
        let books = try family.grandchild.fetch(Book.request())
        #expect(books.count == 500)
        #expect(books.map(\.pages).sorted() == Array(0..<500))
        for book in books { #expect(try row(book.objectID) === book.snapshot) }
        #expect(family.child.registeredObjects.isEmpty)
        #expect(family.root.registeredObjects.isEmpty)
    }

    @Test("a save of one change through three levels touches one object in each")
    func oneChange() throws {
        let books = try family.grandchild.fetch(Book.request())
        let changed = try #require(books.first)
        changed.pages = 9_999
        try family.grandchild.save()
        #expect(family.child.registeredObjects.count == 1)
        #expect(family.root.registeredObjects.isEmpty)
        let above = try #require(family.child.registeredObject(for: changed.objectID))
        #expect(above.snapshot === changed.snapshot)
        try family.child.save()
        let top = try #require(family.root.registeredObject(for: changed.objectID))
        #expect(top.snapshot === changed.snapshot)
        try family.root.save()
        for book in books where book !== changed { #expect(try row(book.objectID) === book.snapshot) }
    }

    @Test("keys that became permanent are forgotten when no row holds them any more")
    func renamedKeys() {
        func id(_ key: Int64) -> NSManagedObjectID {
            NSManagedObjectID(layout: family.root.registry.model.layouts[0], key: key, home: nil)
        }
        var keys = RenamedKeys()
        for key in 1...10_000 as ClosedRange<Int64> { keys[-key] = id(key) }
        #expect(keys.isDue)
        keys.sweep(keeping: [])
        #expect(!keys.isDue)
        #expect(keys[-1]?.key == 1)
        for key in 10_001...20_000 as ClosedRange<Int64> { keys[-key] = id(key) }
        keys.sweep(keeping: [-7])
        #expect(keys[-1] == nil)
        #expect(keys[-7]?.key == 7)
        #expect(keys[-20_000]?.key == 20_000)
    }
}
