// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Derived attributes of Apple's stores are kept by the triggers that came with them.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Derived attributes in Apple's stores") struct ComputedColumnsTests {
    @Test("a count follows insertions, moves and deletions", .needsStoreFixtures)
    func counts() throws {
        let stack = try StoreFixture("alemar11_CoreDataPlus__SampleModel2_V1.sqlite").stack()
        let context = stack.context
        let books = try stack.objects(try #require(stack.model.entitiesByName["Book"]))
        let (first, second) = (books[0], books[1])
        let counts = pageCounts(of: [first, second])
        #expect(counts == [first, second].map { $0.destinations("pages").count })

        var values = SampleValues()
        let page = NSManagedObject(entity: try #require(stack.model.entitiesByName["Page"]), insertInto: context)
        for attribute in page.entity.storedAttributes { page.setValue(values.next(attribute), forKey: attribute.name) }
        page.setValue(first, forKey: "book")
        try save(stack, [first, second])
        #expect(pageCounts(of: [first, second]) == [counts[0] + 1, counts[1]])

        page.setValue(second, forKey: "book")
        try save(stack, [first, second])
        #expect(pageCounts(of: [first, second]) == [counts[0], counts[1] + 1])

        context.delete(page)
        try save(stack, [first, second])
        #expect(pageCounts(of: [first, second]) == counts)

        let connection = try Connection(url: stack.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        let wrong = try connection.value(
            "SELECT COUNT(*) FROM ZBOOK WHERE ZPAGESCOUNT IS NOT (SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = ZBOOK.Z_PK)")
        #expect(wrong == .integer(0))
    }

    private func pageCounts(of books: [NSManagedObject]) -> [Int] {
        books.map { $0.value(forKey: "pagesCount") as? Int ?? -1 }
    }

    /// The values that the file computes are there after a refresh.
    private func save(_ stack: FixtureStack, _ objects: [NSManagedObject]) throws {
        var witness = try SaveWitness(stack)
        try witness.save("page")
        expectNone(witness.differences)
        for object in objects { stack.context.refresh(object, mergeChanges: false) }
    }
}
