// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that long and deep predicates find the same objects as short ones, in every store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

// Foundation has unusable classes of these names.
private typealias NSExpression = CoreData.NSExpression
private typealias NSComparisonPredicate = CoreData.NSComparisonPredicate

@Suite("Large predicates") struct LargePredicateSpecification {
    private static func comparisons(_ count: Int, _ operation: NSComparisonPredicate.Operator) -> [NSPredicate] {
        (0..<count).map { number in
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "number"),
                rightExpression: NSExpression(forConstantValue: number + 100), modifier: .direct,
                type: operation)
        }
    }

    /// A few comparisons, and many.
    @Test(
        "thousands of comparisons under AND, OR and NOT", arguments: StoreKind.all,
        [2, 17, 5_000])
    func long(kind: StoreKind, count: Int) throws {
        let firm = try Firm(in: kind)
        let different = Self.comparisons(count, .notEqualTo)
        let all = NSCompoundPredicate(andPredicateWithSubpredicates: different)
        let none = NSCompoundPredicate(orPredicateWithSubpredicates: Self.comparisons(count, .equalTo))
        for (predicate, matches) in [
            (all, 8), (none, 0), (NSCompoundPredicate(notPredicateWithSubpredicate: all), 0),
            (NSCompoundPredicate(notPredicateWithSubpredicate: none), 8),
            (NSCompoundPredicate(andPredicateWithSubpredicates: [all, NSPredicate(format: "age == 20")]), 2),
            (NSCompoundPredicate(orPredicateWithSubpredicates: [none, NSPredicate(format: "age == 20")]), 2),
        ] {
            #expect(try firm.context.fetch(Firm.request("Person", predicate)).count == matches)
            #expect(try firm.context.count(for: Firm.request("Person", predicate)) == matches)
        }
        // Once more, by the cached statement of the predicate's form.
        #expect(try firm.context.fetch(Firm.request("Person", all)).count == 8)
        firm.person("Ada").setValue(1, forKey: "mark")
        #expect(try firm.context.fetch(Firm.request("Person", all)).count == 8)
    }

    @Test("compound predicates in compound predicates", arguments: StoreKind.all, [10, 50, 150])
    func deep(kind: StoreKind, levels: Int) throws {
        let firm = try Firm(in: kind)
        var predicate = NSPredicate(format: "age == 20")
        for level in 0..<levels {
            let other = NSPredicate(format: level % 2 == 0 ? "age == 36" : "age > 0")
            predicate =
                level % 2 == 0
                ? NSCompoundPredicate(orPredicateWithSubpredicates: [other, predicate])
                : NSCompoundPredicate(andPredicateWithSubpredicates: [other, predicate])
        }
        let names = Firm.names(try firm.context.fetch(Firm.request("Person", predicate, sortedBy: "number")))
        #expect(names == ["Bob", "Ada", "elodie"])
        let negated = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        #expect(try firm.context.count(for: Firm.request("Person", negated)) == 5)
    }

    @Test("more values than a statement takes", arguments: StoreKind.all)
    func manyValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        // A statement takes 32,766 values in SQLite, and 65,535 on a server.
        let count = kind.rawValue == "postgresql" ? 70_000 : 35_000
        let predicate = NSCompoundPredicate(andPredicateWithSubpredicates: Self.comparisons(count, .notEqualTo))
        let request = Firm.request("Person", predicate)
        #expect(try firm.context.fetch(request).count == 8)
        #expect(try firm.context.count(for: request) == 8)
    }

    /// Proves: B1, B23
    @Test("batch requests with such predicates", arguments: StoreKind.all)
    func batches(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        for count in [2_000, 12_000] {
            let all = NSCompoundPredicate(andPredicateWithSubpredicates: Self.comparisons(count, .notEqualTo))
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.predicate = all
            update.propertiesToUpdate = ["mark": count / 100]
            #expect(try firm.context.updatedCount(update) == 8)
        }
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Project")
        fetch.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: (0..<12_000).map { NSPredicate(format: "cost != %d", $0 + 1_000) })
        #expect(try firm.context.deletedCount(NSBatchDeleteRequest(fetchRequest: fetch)) == 3)
    }

    #if !canImport(ObjectiveC)
        @Test("an explanation says that a predicate too deep for the database is decided in memory")
        func explanation() throws {
            let firm = try Firm(in: .sqlite)
            var predicate = NSPredicate(format: "age == 20")
            for level in 0..<150 {
                let parts = Self.comparisons(40, level % 2 == 0 ? .equalTo : .notEqualTo) + [predicate]
                predicate =
                    level % 2 == 0
                    ? NSCompoundPredicate(orPredicateWithSubpredicates: parts)
                    : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
            }
            let request = Firm.request("Person", predicate)
            let explanation = try request.explain(in: firm.context)
            #expect(explanation.stores.first?.inMemory.first?.reason.contains("SQLite refuses it") == true)
            #expect(Firm.names(try firm.context.fetch(request)).sorted() == ["Bob", "elodie"])
        }
    #endif
}
