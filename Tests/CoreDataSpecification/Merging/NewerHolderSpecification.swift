// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how merge policies treat a record that was read here before it got the unique value of a new object.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Unique values that others gave to a known record") struct NewerHolderSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// Proves: C23
    @Test(
        "the new object meets the record as it is in the store now", arguments: StoreKind.all,
        [Winner.store, .object, .overwrite, .rollback])
    func renamedElsewhere(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let known = shop.tag("old")
        let theirBook = shop.book("Theirs")
        try shop.context.save()
        #expect(known.name == "old" && known.books.isEmpty)
        let sides = Sides(shop.stack)
        let theirs = try sides.their(known)
        theirs.name = "sf"
        theirs.books = [try sides.their(theirBook)]
        try sides.theirs.save()
        let new = shop.tag("sf")
        let book = shop.book("Mine")
        book.tags = [new]
        #expect(sides.mine.saveFailureUnder(winner.policy) == nil)
        #expect(new.managedObjectContext == nil)
        #expect(known.name == "sf")
        #expect(book.tags == (winner == .rollback ? [] : [known]))
        let stored = try shop.stack.stored(NSFetchRequest<Tag>(entityName: "Tag")) { tag in
            [tag.name ?? ""] + tag.books.compactMap(\.title).sorted()
        }
        let expected =
            switch winner {
            case .store, .object: ["sf", "Mine", "Theirs"]
            case .overwrite: ["sf", "Mine"]
            case .rollback: ["sf", "Theirs"]
            }
        #expect(stored == [expected])
        let titles = known.books.compactMap(\.title).sorted()
        #expect(titles == Array(expected.dropFirst()))
    }
}

extension NSManagedObjectContext {
    fileprivate func saveFailureUnder(_ policy: NSMergePolicy) -> NSError? {
        mergePolicy = policy
        return saveFailure()
    }
}
