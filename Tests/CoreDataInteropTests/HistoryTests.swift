// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Histories that Apple's framework wrote are read, continued, and read again.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: H8, H31
@Suite("Histories that Apple wrote") struct HistoryTests {
    struct Known: CustomTestStringConvertible, Sendable {
        var name: String
        var transactions: Int
        var changes: Int
        /// Inserted, updated, deleted.
        var kinds: [Int]
        var testDescription: String { name }
    }

    static let known = [
        Known(name: "RhetTbull_photoscript__Photos.sqlite", transactions: 9, changes: 67, kinds: [60, 7, 0]),
        Known(
            name: "alemar11_CoreDataPlus__SampleModel2_V1.sqlite", transactions: 1, changes: 5_468,
            kinds: [5_468, 0, 0]),
        Known(
            name: "MatthewHunt84_MetaCocktailsSwiftData__PreloadedCocktails.store", transactions: 2, changes: 2_861,
            kinds: [2_783, 78, 0]),
        Known(name: "sergd2005_ResourcesManager__default.store", transactions: 13, changes: 19, kinds: [9, 8, 2]),
    ]

    private func transactions(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryTransaction] {
        let result = try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        return try #require((result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
    }

    /// Changes one text of an object that is valid before and after.
    ///
    /// - Returns: nil if there is no such object.
    private func change(_ stack: FixtureStack) throws -> (object: NSManagedObject, attribute: String)? {
        for entity in stack.concreteEntities {
            guard let object = try stack.objects(entity).first else { continue }
            for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
            where attribute.attributeType == .stringAttributeType && !attribute.isTransient
                && !(attribute is NSDerivedAttributeDescription)
            {
                let former = object.value(forKey: name)
                object.setValue("changed by another framework", forKey: name)
                if (try? object.validateForUpdate()) != nil { return (object, name) }
                object.setValue(former, forKey: name)
            }
        }
        return nil
    }

    private func rows(_ url: URL, _ sql: String) throws -> [[SQLiteValue]] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows(sql)
    }

    @Test("are read, continued, and read again", .needsStoreFixtures, arguments: known)
    func continued(known: Known) throws {
        let stack = try StoreFixture(known.name).stack()
        let before = try transactions(stack.context)
        let changes = before.flatMap { $0.changes ?? [] }
        #expect(before.count == known.transactions)
        #expect(changes.count == known.changes)
        #expect([.insert, .update, .delete].map { kind in changes.count { $0.changeType == kind } } == known.kinds)
        #expect(before.allSatisfy { !$0.bundleID.isEmpty && !$0.processID.isEmpty })
        #expect(changes.filter { $0.changeType == .update }.allSatisfy { $0.updatedProperties?.isEmpty == false })
        let schema = try rows(stack.url, "SELECT sql FROM sqlite_master")
        let token = try #require(stack.coordinator.currentPersistentHistoryToken(fromStores: nil))

        let (object, attribute) = try #require(try change(stack))
        stack.context.transactionAuthor = "another framework"
        try stack.context.save()

        let later = try transactions(stack.context).filter { !before.contains($0) }
        #expect(later.map(\.author) == ["another framework"])
        #expect(later.first?.changes?.map(\.changedObjectID) == [object.objectID])
        #expect(later.first?.changes?.first?.updatedProperties?.map(\.name) == [attribute])
        #expect(later.first?.transactionNumber == (before.last?.transactionNumber ?? 0) + 1)
        for check in HistoryCheck.ofChanges { #expect(try rows(stack.url, check) == [[0]]) }
        #expect(try rows(stack.url, "SELECT sql FROM sqlite_master") == schema)

        let again = try stack.reopened()
        #expect(try transactions(again.context).count == known.transactions + 1)
        #expect(again.coordinator.currentPersistentHistoryToken(fromStores: nil) != token)
    }

    @Test("have the tables that new histories have", .needsStoreFixtures, arguments: known)
    func tables(known: Known) throws {
        let fixture = try StoreFixture(known.name)
        let names = "('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"
        let theirs = try rows(
            fixture.url, "SELECT sql FROM sqlite_master WHERE tbl_name IN \(names) AND sql IS NOT NULL ORDER BY rowid")
        let kept = try rows(fixture.url, "SELECT count(*) FROM pragma_table_info('ACHANGE') WHERE name LIKE 'ZTOMB%'")
        let count = Int(kept[0][0].integerValue ?? 0)
        #expect(Set(theirs.map { $0[0].textValue }) == Set(HistoryTables.statements(tombstones: count)))
    }
}
