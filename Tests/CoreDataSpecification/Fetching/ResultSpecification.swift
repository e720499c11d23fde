// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of a fetch: objects as faults or whole, ids, numbers; in batches, prefetched, from some stores.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Results of a fetch") struct ResultSpecification {
    /// Proves: C2, C6
    @Test("without a predicate all objects are found, each once in a context", arguments: StoreKind.all)
    func everything(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let context = firm.newContext()
        let first = try context.fetch(Firm.request("Person", sortedBy: "number"))
        let second = try context.fetch(Firm.request("Person", sortedBy: "number"))
        #expect(first.count == 8)
        #expect(zip(first, second).allSatisfy { $0 === $1 })
        #expect(try context.fetch(Firm.request("Person", NSPredicate(format: "age > 200"))).isEmpty)
    }

    /// Proves: F28
    @Test("objects come as faults, or whole when asked for", arguments: StoreKind.all)
    func faults(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", sortedBy: "number")
        let faults = try firm.newContext().fetch(request)
        #expect(faults.allSatisfy { $0.isFault })
        request.returnsObjectsAsFaults = false
        let whole = try firm.newContext().fetch(request)
        #expect(whole.allSatisfy { !$0.isFault })
        #expect(Firm.names(faults) == Firm.names(whole))
    }

    @Test("objects are of the class and entity that was saved", arguments: StoreKind.all)
    func entities(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let found = try firm.newContext().fetch(Firm.request("Person", sortedBy: "number"))
        #expect(
            found.map(\.entity.name) == [
                "Employee", "Manager", "Person", "Person", "Person", "Person", "Manager", "Employee",
            ])
    }

    @Test("an offset without a limit leaves out the first objects, in a fetch and in a count", arguments: StoreKind.all)
    func offset(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Employee", sortedBy: "number")
        request.fetchOffset = 1
        #expect(Firm.names(try firm.context.fetch(request)) == ["Ada", "İpek", "bob"])
        #expect(try firm.context.count(for: request) == 3)
        request.fetchOffset = 9
        #expect(try firm.context.fetch(request).isEmpty)
        #expect(try firm.context.count(for: request) == 0)
    }

    /// Proves: F57
    @Test("subentities are found too, unless left out", arguments: StoreKind.all)
    func subentities(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Employee", sortedBy: "number")
        #expect(Firm.names(try firm.context.fetch(request)) == ["Bob", "Ada", "İpek", "bob"])
        #expect(try firm.context.count(for: Firm.request("Manager")) == 2)
        request.includesSubentities = false
        #expect(Firm.names(try firm.context.fetch(request)) == ["Bob", "bob"])
        #expect(try firm.context.count(for: request) == 2)
        firm.insert("Manager", ["name": "New", "number": 100])
        firm.insert("Employee", ["name": "Newer", "number": 101])
        #expect(Firm.names(try firm.context.fetch(request)) == ["Bob", "Newer", "bob"])
        request.includesSubentities = true
        #expect(Firm.names(try firm.context.fetch(request)) == ["Bob", "Ada", "İpek", "New", "Newer", "bob"])
    }

    @Test("ids come in order and identify the objects", arguments: StoreKind.all)
    func ids(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: "age > 30")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        request.fetchLimit = 2
        let context = firm.newContext()
        let ids = try context.fetch(request)
        let objects = try ids.map { try context.existingObject(with: $0) }
        #expect(Firm.names(objects) == ["Élodie", "İpek"])
        #expect(ids.allSatisfy { !$0.isTemporaryID })
        #expect(ids[1].entity.name == "Manager")
    }

    /// Proves: F41
    @Test("a count comes as one number", arguments: StoreKind.all)
    func count(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = NSFetchRequest<NSNumber>(entityName: "Person")
        request.resultType = .countResultType
        request.predicate = NSPredicate(format: "age == 20")
        #expect(try firm.context.fetch(request) == [2])
        firm.insert("Person", ["name": "New", "age": 20])
        #expect(try firm.context.fetch(request) == [3])
        request.includesPendingChanges = false
        #expect(try firm.context.fetch(request) == [2])
    }

    @Test("an object read without property values fires as any fault", arguments: StoreKind.all)
    func withoutValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request(
            "Person", NSPredicate(format: "department.name == 'Research'"), sortedBy: "number")
        request.includesPropertyValues = false
        let found = try firm.newContext().fetch(request)
        #expect(found.allSatisfy { $0.isFault })
        #expect(Firm.names(found) == ["Bob", "Ada"])
    }

    @Test("batches give the same objects in the same order", arguments: StoreKind.all, [1, 3, 8, 100])
    func batches(kind: StoreKind, size: Int) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", NSPredicate(format: "number > 0"), sortedBy: "number")
        let expected = Firm.names(try firm.context.fetch(request))
        request.fetchBatchSize = size
        let context = firm.newContext()
        let found = try context.fetch(request)
        #expect(found.count == 7)
        #expect(Firm.names(found) == expected)
        #expect(Firm.names(found.reversed()) == expected.reversed())
        request.fetchOffset = 2
        request.fetchLimit = 3
        #expect(Firm.names(try firm.newContext().fetch(request)) == Array(expected[2..<5]))
    }

    @Test("related objects are read along", arguments: StoreKind.all)
    func prefetching(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", sortedBy: "number")
        request.relationshipKeyPathsForPrefetching = ["department", "projects", "boss.projects"]
        let found = try firm.newContext().fetch(request)
        let ada = try #require(found.dropFirst().first)
        #expect(!ada.hasFault(forRelationshipNamed: "projects"))
        #expect((ada.value(forKeyPath: "projects.name") as? Set<String>) == ["Apollo", "Zephyr"])
        #expect(ada.value(forKeyPath: "department.name") as? String == "Research")
        #expect(found.last?.value(forKeyPath: "boss.name") as? String == "Ada")
    }

    /// Proves: C8. Differs from F27 on purpose.
    @Test("unchanged objects take newer values when a request asks for that", arguments: StoreKind.all)
    func refetching(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let context = firm.newContext()
        let request = Firm.request("Person", sortedBy: "number")
        request.returnsObjectsAsFaults = false
        let found = try context.fetch(request)
        let changed = found[3]
        changed.setValue("mine", forKey: "nickname")
        for person in firm.people.values { person.setValue(99, forKey: "age") }
        try firm.context.save()
        _ = try context.fetch(request)
        #expect(found[0].value(forKey: "age") as? Int == 20)
        request.shouldRefreshRefetchedObjects = true
        let again = try context.fetch(request)
        #expect(again[0] === found[0])
        #expect(found[0].value(forKey: "age") as? Int == 99)
        #expect(changed.value(forKey: "nickname") as? String == "mine")
    }

    /// Proves: C8
    @Test(
        "so they do in batches and without property values; unsaved changes stay", arguments: StoreKind.all,
        [0, 2, 100])
    func refreshedInBatches(kind: StoreKind, size: Int) throws {
        let firm = try Firm(in: kind)
        let root = firm.newContext()
        let person = try #require(try root.fetch(Firm.request("Person", NSPredicate(format: "name == 'Ada'"))).first)
        #expect(person.value(forKey: "age") as? Int == 36)
        firm.person("Ada").setValue(37, forKey: "age")
        try firm.context.save()
        let request = Firm.request("Person", sortedBy: "number")
        request.fetchBatchSize = size
        _ = try root.fetch(request)
        #expect(person.value(forKey: "age") as? Int == 36)
        request.shouldRefreshRefetchedObjects = true
        request.includesPropertyValues = size != 100
        person.setValue("mine", forKey: "nickname")
        _ = try root.fetch(request)
        #expect(person.value(forKey: "age") as? Int == 37)
        #expect(person.value(forKey: "nickname") as? String == "mine")
        try root.save()
    }

    /// Proves: F62
    @Test("a request made by name finds its entity when it is executed", arguments: StoreKind.all)
    func entityByName(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Project")
        #expect(request.entityName == "Project")
        #expect(try firm.context.fetch(request).count == 3)
        let other = NSFetchRequest<NSManagedObject>()
        other.entity = firm.stack.model.entitiesByName["Project"]
        #expect(try firm.context.fetch(other).count == 3)
    }

    @Test("a copy of a request asks the same", arguments: StoreKind.all)
    func copies(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", NSPredicate(format: "age == 20"), sortedBy: "name")
        request.fetchLimit = 1
        let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
        request.fetchLimit = 0
        request.predicate = nil
        #expect(Firm.names(try firm.context.fetch(copy)) == ["Bob"])
    }
}

@Suite("Fetching from several stores") struct SeveralStoresSpecification {
    private struct Two {
        let firm: Firm
        let second: NSPersistentStore

        init(_ kind: StoreKind) throws {
            firm = try Firm(in: kind, filled: false)
            let url = firm.stack.folder.appending(path: "Second.sqlite")
            second = try firm.stack.coordinator.addPersistentStore(
                ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : kind.place(url), options: nil)
            for (name, store) in [("a", first), ("b", second), ("c", first), ("d", second)] {
                firm.context.assign(firm.insert("Department", ["name": name, "floor": 1]), to: store)
            }
            try firm.context.save()
        }

        var first: NSPersistentStore { firm.stack.coordinator.persistentStores[0] }

        func names(_ change: (NSFetchRequest<NSManagedObject>) -> Void) throws -> [String] {
            let request = Firm.request("Department", sortedBy: "name")
            change(request)
            return Firm.names(try firm.context.fetch(request))
        }
    }

    @Test("the results of all stores are in one order", arguments: StoreKind.all)
    func everyStore(kind: StoreKind) throws {
        let two = try Two(kind)
        #expect(try two.names { _ in } == ["a", "b", "c", "d"])
        let window = try two.names {
            $0.fetchLimit = 2
            $0.fetchOffset = 1
        }
        #expect(window == ["b", "c"])
        #expect(try two.firm.context.count(for: Firm.request("Department")) == 4)
        let counted = Firm.request("Department")
        counted.fetchLimit = 3
        #expect(try two.firm.context.count(for: counted) == 3)
    }

    /// Proves: F60
    @Test("affected stores limit a fetch, among unsaved objects too", arguments: StoreKind.all)
    func affected(kind: StoreKind) throws {
        let two = try Two(kind)
        #expect(try two.names { $0.affectedStores = [two.second] } == ["b", "d"])
        #expect(try two.names { $0.affectedStores = [two.first] } == ["a", "c"])
        two.firm.context.assign(two.firm.insert("Department", ["name": "e"]), to: two.second)
        #expect(try two.names { $0.affectedStores = [two.second] } == ["b", "d", "e"])
        #expect(try two.names { $0.affectedStores = [two.first] } == ["a", "c"])
        let request = Firm.request("Department")
        request.affectedStores = [two.first]
        #expect(try two.firm.context.count(for: request) == 2)
    }

    @Test("dictionaries and ids come from all stores", arguments: StoreKind.all)
    func otherResults(kind: StoreKind) throws {
        let two = try Two(kind)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Department")
        ids.resultType = .managedObjectIDResultType
        ids.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let found = try two.firm.context.fetch(ids)
        #expect(found.map { $0.persistentStore === two.second } == [false, true, false, true])
        let rows = NSFetchRequest<NSDictionary>(entityName: "Department")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name"]
        let names = try two.firm.context.fetch(rows).compactMap { $0["name"] as? String }
        #expect(names.sorted() == ["a", "b", "c", "d"])
    }

    private func rows(_ two: Two, _ change: (NSFetchRequest<NSDictionary>) -> Void) throws -> [NSDictionary] {
        let rows = NSFetchRequest<NSDictionary>(entityName: "Department")
        rows.resultType = .dictionaryResultType
        change(rows)
        return try two.firm.context.fetch(rows)
    }

    /// Proves: C8
    @Test("one order and one window run through the dictionaries of all stores", arguments: StoreKind.all)
    func dictionaryOrder(kind: StoreKind) throws {
        let two = try Two(kind)
        for ascending in [true, false] {
            let sorted = try rows(two) {
                $0.propertiesToFetch = ["floor", "name"]
                $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: ascending)]
                $0.fetchOffset = 1
                $0.fetchLimit = 2
            }
            #expect(sorted.compactMap { $0["name"] as? String } == (ascending ? ["b", "c"] : ["c", "b"]))
        }
        // Sorted by a value that is not among the columns.
        let hidden = try rows(two) {
            $0.propertiesToFetch = ["floor"]
            $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        }
        #expect(hidden == Array(repeating: ["floor": 1] as NSDictionary, count: 4))
    }

    /// Proves: C8
    @Test("groups, aggregates and distinct rows are those of all stores together", arguments: StoreKind.all)
    func dictionaryGroups(kind: StoreKind) throws {
        let two = try Two(kind)
        two.firm.context.assign(two.firm.insert("Department", ["name": "e", "floor": 4]), to: two.second)
        try two.firm.context.save()
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "name")])
        count.expressionResultType = .integer64AttributeType
        let average = NSExpressionDescription()
        average.name = "average"
        average.expression = NSExpression(forFunction: "average:", arguments: [NSExpression(forKeyPath: "floor")])
        average.expressionResultType = .doubleAttributeType
        #expect(
            try rows(two) { $0.propertiesToFetch = [count, average] } == [["count": 5, "average": 1.6] as NSDictionary])
        let groups = try rows(two) {
            $0.propertiesToFetch = ["floor", count]
            $0.propertiesToGroupBy = ["floor"]
            $0.sortDescriptors = [NSSortDescriptor(key: "floor", ascending: false)]
        }
        #expect(groups == [["floor": 4, "count": 1] as NSDictionary, ["floor": 1, "count": 4] as NSDictionary])
        let chosen = try rows(two) {
            $0.propertiesToFetch = ["floor", count]
            $0.propertiesToGroupBy = ["floor"]
            $0.havingPredicate = NSPredicate(format: "$count > 1")
        }
        #expect(chosen == [["floor": 1, "count": 4] as NSDictionary])
        let distinct = try rows(two) {
            $0.propertiesToFetch = ["floor"]
            $0.returnsDistinctResults = true
            $0.sortDescriptors = [NSSortDescriptor(key: "floor", ascending: true)]
        }
        #expect(distinct == [["floor": 1] as NSDictionary, ["floor": 4] as NSDictionary])
    }

    /// Proves: C8
    @Test("objects in the dictionaries of several stores are distinct", arguments: StoreKind.all)
    func dictionaryObjects(kind: StoreKind) throws {
        let two = try Two(kind)
        for name in ["a", "b"] {
            let department = try #require(
                try two.firm.context.fetch(Firm.request("Department", NSPredicate(format: "name == %@", name))).first)
            let person = two.firm.insert("Person", ["name": "of " + name])
            two.firm.context.assign(person, to: name == "a" ? two.first : two.second)
            person.setValue(department, forKey: "department")
        }
        try two.firm.context.save()
        let people = NSFetchRequest<NSDictionary>(entityName: "Person")
        people.resultType = .dictionaryResultType
        people.propertiesToFetch = ["objectID", "department", "department.name"]
        people.sortDescriptors = [NSSortDescriptor(key: "department.name", ascending: true)]
        let found = try two.firm.context.fetch(people)
        #expect(found.compactMap { $0["department.name"] as? String } == ["a", "b"])
        let ids = found.compactMap { $0["objectID"] as? NSManagedObjectID }
        #expect(ids.map { $0.persistentStore === two.second } == [false, true])
        let departments = found.compactMap { $0["department"] as? NSManagedObjectID }
        #expect(departments.map { $0.persistentStore === two.second } == [false, true])
        people.propertiesToFetch = ["department"]
        people.propertiesToGroupBy = ["department"]
        #expect(try two.firm.context.fetch(people).count == 2)
    }
}
