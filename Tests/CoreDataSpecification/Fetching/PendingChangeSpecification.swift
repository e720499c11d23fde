// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of a context's unsaved changes on its fetches.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Fetching with unsaved changes") struct PendingChangeSpecification {
    private func names(
        _ firm: Firm, _ predicate: String? = nil, limit: Int = 0, offset: Int = 0, pending: Bool = true
    ) throws
        -> [String]
    {
        let request = Firm.request("Department", predicate.map { NSPredicate(format: $0) }, sortedBy: "name")
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesPendingChanges = pending
        let names = Firm.names(try firm.context.fetch(request))
        #expect(try firm.context.count(for: request) == names.count)
        return names
    }

    private func firm(_ kind: StoreKind, _ names: String...) throws -> Firm {
        let firm = try Firm(in: kind, filled: false)
        for name in names { firm.insert("Department", ["name": name, "floor": name.count]) }
        try firm.context.save()
        return firm
    }

    private func department(_ name: String, _ firm: Firm) throws -> NSManagedObject {
        let found = try firm.context.fetch(Firm.request("Department", NSPredicate(format: "name == %@", name)))
        return try #require(found.first)
    }

    /// Proves: F38, C3, C4, C5
    @Test("changed objects come in and drop out, new ones match, deleted ones are gone", arguments: StoreKind.all)
    func overlay(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "bravo", "charlie")
        let alpha = try department("alpha", firm)
        let bravo = try department("bravo", firm)
        alpha.setValue("zulu", forKey: "name")
        firm.context.delete(bravo)
        firm.insert("Department", ["name": "beta"])
        #expect(try names(firm) == ["beta", "charlie", "zulu"])
        #expect(try names(firm, "name < 'm'") == ["beta", "charlie"])
        #expect(try names(firm, "name == 'zulu'") == ["zulu"])
        #expect(try names(firm, "name == 'alpha'").isEmpty)
        #expect(try names(firm, "name == 'bravo'").isEmpty)
    }

    /// Proves: F38, F39
    @Test("without pending changes the saved state decides, though objects show their values", arguments: StoreKind.all)
    func savedMembership(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "bravo")
        let alpha = try department("alpha", firm)
        alpha.setValue("zulu", forKey: "name")
        firm.insert("Department", ["name": "beta"])
        #expect(try names(firm, "name == 'alpha'", pending: false) == ["zulu"])
        #expect(try names(firm, "name == 'zulu'", pending: false).isEmpty)
        #expect(try names(firm, pending: false).sorted() == ["bravo", "zulu"])
    }

    /// Proves: F40
    @Test("ids include those of new objects, which are temporary", arguments: StoreKind.all)
    func ids(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "bravo")
        let alpha = try department("alpha", firm)
        let bravo = try department("bravo", firm)
        firm.context.delete(alpha)
        let new = firm.insert("Department", ["name": "new"])
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Department")
        request.resultType = .managedObjectIDResultType
        let ids = try firm.context.fetch(request)
        #expect(Set(ids) == [bravo.objectID, new.objectID])
        #expect(ids.filter(\.isTemporaryID) == [new.objectID])
        request.includesPendingChanges = false
        #expect(Set(try firm.context.fetch(request)) == [alpha.objectID, bravo.objectID])
    }

    /// Proves: C8. Differs from Apple's on purpose: there the unsaved part comes unsorted.
    @Test("ids come in order, those of unsaved objects among them, and in a window", arguments: StoreKind.all)
    func orderedIDs(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "charlie", "echo")
        let new = ["delta", "bravo"].map { firm.insert("Department", ["name": $0]) }
        let alpha = try department("alpha", firm)
        alpha.setValue("zulu", forKey: "name")
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Department")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let charlie = try department("charlie", firm).objectID
        let echo = try department("echo", firm).objectID
        let all = [new[1].objectID, charlie, new[0].objectID, echo, alpha.objectID]
        #expect(try firm.context.fetch(request) == all)
        request.fetchOffset = 1
        request.fetchLimit = 3
        #expect(try firm.context.fetch(request) == Array(all[1...3]))
    }

    /// Proves: C7. Differs from F46 on purpose: the window is cut last.
    @Test("limit and offset cut the list that includes unsaved changes", arguments: StoreKind.all)
    func window(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "charlie", "delta", "echo")
        firm.insert("Department", ["name": "bravo"])
        #expect(try names(firm, limit: 2) == ["alpha", "bravo"])
        #expect(try names(firm, limit: 2, offset: 1) == ["bravo", "charlie"])
        let alpha = try department("alpha", firm)
        alpha.setValue("zulu", forKey: "name")
        #expect(try names(firm, limit: 2) == ["bravo", "charlie"])
        #expect(try names(firm, offset: 3) == ["echo", "zulu"])
        firm.context.delete(try department("charlie", firm))
        #expect(try names(firm, limit: 3) == ["bravo", "delta", "echo"])
    }

    @Test("results are sorted by their unsaved values", arguments: StoreKind.all)
    func order(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "bravo", "charlie")
        try department("alpha", firm).setValue("yankee", forKey: "name")
        try department("charlie", firm).setValue("aaa", forKey: "name")
        #expect(try names(firm) == ["aaa", "bravo", "yankee"])
    }

    @Test("unsaved relationships match, on both ends", arguments: StoreKind.all)
    func relationships(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let new = firm.insert("Department", ["name": "New"])
        firm.person("Ada").setValue(new, forKey: "department")
        func find(_ format: String, _ entity: String) throws -> [String] {
            Firm.names(
                try firm.context.fetch(Firm.request(entity, NSPredicate(format: format), sortedBy: "name")))
        }
        #expect(try find("department.name == 'New'", "Person") == ["Ada"])
        #expect(try find("department.name == 'Research'", "Person") == ["Bob"])
        #expect(try find("ANY people.name == 'Ada'", "Department") == ["New"])
        #expect(try find("people.@count == 1", "Department") == ["New", "Research"])
        #expect(try find("SUBQUERY(people, $p, $p.age == 36).@count == 1", "Department") == ["New"])
    }

    /// Proves: F140
    @Test("a deleted object is found again after reset", arguments: StoreKind.all)
    func deletedAndReset(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha", "bravo")
        firm.context.delete(try department("alpha", firm))
        #expect(try names(firm) == ["bravo"])
        firm.context.reset()
        #expect(try names(firm) == ["alpha", "bravo"])
    }

    @Test("changes of one context do not show in another before they are saved", arguments: StoreKind.all)
    func isolation(kind: StoreKind) throws {
        let firm = try firm(kind, "alpha")
        firm.insert("Department", ["name": "beta"])
        let other = firm.newContext()
        #expect(try other.count(for: Firm.request("Department")) == 1)
        try firm.context.save()
        #expect(try other.count(for: Firm.request("Department")) == 2)
    }
}
