// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values derived attributes have after a save, in any store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Derived attributes") struct DerivedAttributeSpecification {
    @discardableResult
    private func insert(_ entity: String, _ name: String, in stack: Stack, _ values: [String: Any] = [:])
        -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: stack.context)
        object.setValue(name, forKey: "name")
        object.setValuesForKeys(values)
        return object
    }

    /// The value for a context that has not seen the object before.
    private func fresh(_ object: NSManagedObject, _ key: String, in stack: Stack) -> Any? {
        let context = stack.newContext()
        return withExtendedLifetime(context) { context.object(with: object.objectID).value(forKey: key) }
    }

    @Test("a save computes derivations from the object's own values", arguments: StoreKind.all)
    func own(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let player = insert("Captain", "Éva Größ", in: stack, ["since": 3])
        let before = Date()
        try stack.context.save()
        #expect(fresh(player, "upper", in: stack) as? String == "ÉVA GRÖSS")
        #expect(fresh(player, "lower", in: stack) as? String == "éva größ")
        #expect((fresh(player, "folded", in: stack) as? String)?.hasPrefix("eva gro") == true)
        #expect(fresh(player, "tenure", in: stack) as? Int == 4)
        let saved = try #require(fresh(player, "saved", in: stack) as? Date)
        #expect(saved >= before.addingTimeInterval(-0.001) && saved <= Date().addingTimeInterval(0.001))

        player.setValue(nil, forKey: "name")
        try stack.context.save()
        #expect(fresh(player, "upper", in: stack) == nil)
        #expect(fresh(player, "tenure", in: stack) as? Int == 4)
        #expect(try #require(fresh(player, "saved", in: stack) as? Date) > saved)
    }

    // An app's own store computes the derived attributes of the objects that a save names.
    @Test(
        "a deletion by No Action changes what is derived from the deleted object",
        arguments: StoreKind.builtIn + StoreKind.all.filter(\.isOnServer))
    func noAction(store: StoreKind) throws {
        let model = League.model
        for (entity, key) in [("Player", "team"), ("Sponsor", "teams")] {
            model.entitiesByName[entity]?.relationshipsByName[key]?.deleteRule = .noActionDeleteRule
        }
        let stack = try Stack(store, model)
        let (team, sponsor) = (insert("Team", "Reds", in: stack), insert("Sponsor", "Bank", in: stack))
        let players = [1.0, 2.0].map { insert("Player", "\($0)", in: stack, ["team": team, "wage": $0]) }
        sponsor.setValue(NSSet(object: team), forKey: "teams")
        try stack.context.save()
        #expect(fresh(team, "wages", in: stack) as? Double == 3)
        #expect(fresh(team, "supporters", in: stack) as? Int == 1)
        stack.context.delete(players[1])
        stack.context.delete(sponsor)
        try stack.context.save()
        #expect(fresh(team, "wages", in: stack) as? Double == 1)
        #expect(fresh(team, "size", in: stack) as? Int == 1)
        #expect(fresh(team, "supporters", in: stack) as? Int == 0)
    }

    @Test("a save that does not concern an object leaves its time", arguments: StoreKind.all)
    func time(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let (one, other) = (insert("Player", "One", in: stack), insert("Player", "Other", in: stack))
        try stack.context.save()
        let (first, second) = (fresh(one, "saved", in: stack) as? Date, fresh(other, "saved", in: stack) as? Date)
        one.setValue(30, forKey: "age")
        try stack.context.save()
        #expect(fresh(other, "saved", in: stack) as? Date == second)
        #expect(try #require(fresh(one, "saved", in: stack) as? Date) > (try #require(first)))
    }

    @Test("a count follows insertions, moves and deletions of members", arguments: StoreKind.all)
    func counts(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let (reds, blues) = (insert("Team", "Reds", in: stack), insert("Team", "Blues", in: stack))
        func sizes() -> [Int?] { [reds, blues].map { fresh($0, "size", in: stack) as? Int } }
        try stack.context.save()
        #expect(sizes() == [0, 0])
        let players = ["a", "b", "c"].map { insert("Player", $0, in: stack, ["team": reds]) }
        try stack.context.save()
        #expect(sizes() == [3, 0])
        players[0].setValue(blues, forKey: "team")
        try stack.context.save()
        #expect(sizes() == [2, 1])
        stack.context.delete(players[1])
        try stack.context.save()
        #expect(sizes() == [1, 1])
        stack.context.delete(blues)
        try stack.context.save()
        #expect(fresh(reds, "size", in: stack) as? Int == 1)
    }

    @Test("both ends of a many-to-many are counted", arguments: StoreKind.all)
    func manyToMany(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let (reds, blues) = (insert("Team", "Reds", in: stack), insert("Team", "Blues", in: stack))
        let (bank, brewery) = (insert("Sponsor", "Bank", in: stack), insert("Sponsor", "Brewery", in: stack))
        reds.setValue(NSSet(array: [bank, brewery]), forKey: "sponsors")
        blues.setValue(NSSet(array: [bank]), forKey: "sponsors")
        try stack.context.save()
        #expect([reds, blues].map { fresh($0, "supporters", in: stack) as? Int } == [2, 1])
        #expect([bank, brewery].map { fresh($0, "reach", in: stack) as? Int } == [2, 1])
        stack.context.delete(bank)
        try stack.context.save()
        #expect([reds, blues].map { fresh($0, "supporters", in: stack) as? Int } == [1, 0])
    }

    /// Incremental stores receive only the changed records, so they are left out.
    @Test("derivations from other objects follow them in the save that changes them", arguments: StoreKind.builtIn)
    func others(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let reds = insert("Team", "Reds", in: stack)
        let one = insert("Player", "One", in: stack, ["team": reds, "age": 20, "wage": 1.5])
        let two = insert("Player", "Two", in: stack, ["team": reds, "age": 33, "wage": 2.5])
        try stack.context.save()
        func values() -> [Double?] {
            ["wages", "ages", "oldest", "mean"].map { (fresh(reds, $0, in: stack) as? NSNumber)?.doubleValue }
        }
        #expect(values() == [4, 53, 33, 26.5])
        #expect(fresh(one, "teamName", in: stack) as? String == "Reds")
        two.setValue(40, forKey: "age")
        two.setValue(nil, forKey: "wage")
        try stack.context.save()
        #expect(values() == [1.5, 60, 40, 30])
        reds.setValue("Greens", forKey: "name")
        try stack.context.save()
        #expect(fresh(one, "teamName", in: stack) as? String == "Greens")
        one.setValue(nil, forKey: "team")
        try stack.context.save()
        #expect(fresh(one, "teamName", in: stack) == nil)
        #expect(values() == [0, 40, 40, 40])
    }

    @Test("derivations from other objects are as old as the last write of the record, in an incremental store")
    func othersOfIncrementalStores() throws {
        for kind in StoreKind.all where !StoreKind.builtIn.contains(kind) {
            let stack = try Stack(kind, League.model)
            let reds = insert("Team", "Reds", in: stack)
            let player = insert("Player", "One", in: stack, ["team": reds, "age": 20])
            try stack.context.save()
            #expect(fresh(reds, "ages", in: stack) as? Int == 20)
            #expect(fresh(player, "teamName", in: stack) as? String == "Reds")
            player.setValue(21, forKey: "age")
            reds.setValue("Blues", forKey: "name")
            try stack.context.save()
            #expect(fresh(reds, "ages", in: stack) as? Int == 21)
            #expect(fresh(player, "teamName", in: stack) as? String == "Blues")
        }
    }

    @Test("a derived attribute cannot be set", arguments: StoreKind.all)
    func setting(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let reds = insert("Team", "Reds", in: stack, ["size": 77])
        let player = insert("Player", "One", in: stack, ["upper": "wrong", "team": reds])
        try stack.context.save()
        #expect(fresh(reds, "size", in: stack) as? Int == 1)
        player.setValue("wrong", forKey: "upper")
        player.setValue(4, forKey: "age")
        try stack.context.save()
        #expect(fresh(player, "upper", in: stack) as? String == "ONE")
    }

    @Test("an object of the save has the new value when it is refreshed or fetched", arguments: StoreKind.all)
    func refreshing(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let player = insert("Player", "One", in: stack)
        try stack.context.save()
        stack.context.refresh(player, mergeChanges: false)
        #expect(player.value(forKey: "upper") as? String == "ONE")
        player.setValue("Two", forKey: "name")
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate(format: "upper == %@", "TWO")
        request.shouldRefreshRefetchedObjects = true
        #expect(try stack.context.fetch(request) == [player])
        #expect(player.value(forKey: "upper") as? String == "TWO")
    }

    @Test("computed values are in the file", arguments: StoreKind.persistent)
    func launch(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let reds = insert("Team", "Reds", in: stack)
        insert("Captain", "One", in: stack, ["team": reds, "age": 20, "since": 1])
        try stack.context.save()
        let before = try League.values(in: stack)
        try stack.reopen()
        #expect(try League.values(in: stack) == before)
        #expect(before["Captain One"]?["tenure"] == "2")
    }

    @Test("any sequence of changes gives the values that a database computes", arguments: StoreKind.builtIn)
    func random(store: StoreKind) throws {
        for seed in UInt64(1)...4 {
            var (random, reference) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
            let (one, other) = (try Stack(store, League.model), try Stack(.sqlite, League.model))
            for _ in 0..<12 {
                try change(one, &random)
                try change(other, &reference)
                let (found, wanted) = (try League.values(in: one), try League.values(in: other))
                #expect(found == wanted)
            }
        }
    }

    private func change(_ stack: Stack, _ random: inout SeededGenerator) throws {
        func pick(_ entity: String) throws -> NSManagedObject? {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try stack.context.fetch(request).randomElement(using: &random)
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let name = "n\(random.next() % 1_000_000)"
            let age = Int.random(in: 15...40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: insert("Team", name, in: stack)
            case 1, 2: insert("Player", name, in: stack, ["age": age, "wage": Double(age) / 2])
            case 3: insert("Captain", name, in: stack, ["since": age])
            case 4: insert("Sponsor", name, in: stack)
            case 5, 6: try pick("Player")?.setValue(try pick("Team"), forKey: "team")
            case 7: try pick("Player")?.setValue(age, forKey: "age")
            case 8:
                try pick("Team")?.mutableSetValue(forKey: "sponsors").addObjects(
                    from: [try pick("Sponsor")].compactMap { $0 })
            default:
                let entity = ["Team", "Player", "Sponsor"].randomElement(using: &random) ?? ""
                if let object = try pick(entity) {
                    if age < 25 { stack.context.delete(object) } else { object.setValue(name, forKey: "name") }
                }
            }
        }
        try stack.context.save()
    }

    @Test("between any two kinds, derived attributes go along", arguments: StoreKind.builtIn, StoreKind.builtIn)
    func migration(from: StoreKind, to: StoreKind) throws {
        let stack = try Stack(from, League.model)
        let reds = insert("Team", "Reds", in: stack)
        insert("Captain", "One", in: stack, ["team": reds, "age": 20, "since": 1, "wage": 2.0])
        reds.setValue(NSSet(array: [insert("Sponsor", "Bank", in: stack)]), forKey: "sponsors")
        try stack.context.save()
        let before = try League.values(in: stack)
        let folder = FileManager.default.temporaryDirectory.appending(path: "Derived-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try stack.coordinator.migratePersistentStore(
            stack.store, to: folder.appending(path: "New.store"), options: nil, withType: to.type)
        #expect(try League.values(in: stack) == before)
    }

    @Test(
        "a derivation that no store can compute is refused by name when the store is added",
        arguments: StoreKind.builtIn)
    func refused(store: StoreKind) throws {
        for expression in ["sqrt:(age)", "players", "team.players.name", "nothing", "team.nothing"] {
            let model = League.model
            let entity = try #require(model.entitiesByName[expression == "players" ? "Team" : "Player"])
            entity.derived("wrong", .stringAttributeType, expression)
            let error = failure { _ = try Stack(store, model) }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(
                error.map { "\($0.localizedDescription)".contains("wrong") || expression.contains("nothing") } == true)
        }
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do { try body() } catch { return error as NSError }
        return nil
    }
}
