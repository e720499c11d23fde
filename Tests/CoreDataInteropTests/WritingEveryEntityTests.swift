// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts, changes, links and deletes objects of every entity in each store of Apple's, and compares the file.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Apple's stores take changes, and nothing else in them changes") struct WritingEveryEntityTests {
    @Test(
        "insertions, changes, links and deletions write the rows they mean and no others", .needsStoreFixtures,
        arguments: StoreFixture.usable)
    func journey(name: String) throws {
        let stack = try StoreFixture(name).stack()
        let beginning = try stack.contents()
        var journey = try Journey(stack)
        try journey.insert()
        try journey.change()
        try journey.link()
        let values = journey.made.map(WrittenValues.init)
        let reopened = try stack.reopened()
        expectNone(values.flatMap { $0.differences(in: reopened.context) }, "\(name), reopened:")
        try expectWhole(reopened)

        var ending = try Journey(reopened, made: values.map(\.uri))
        try ending.delete()
        try ending.insert()
        expectNone(journey.differences + ending.differences, name)
        expectNone(journey.entitiesWithout + ending.entitiesWithout, "\(name), no valid object of")
        let last = try reopened.reopened()
        try expectWhole(last)
        expectUntouched(beginning, try last.contents(), last)
    }

    @Test(
        "no to-many in a store of Apple's is refused because it is empty", .needsStoreFixtures,
        arguments: StoreFixture.usable)
    func emptyMembers(name: String) throws {
        let stack = try StoreFixture(name).stack()
        var refused: [String] = []
        for entity in stack.concreteEntities {
            let toManys = entity.storedRelationships.filter(\.isToMany)
            if toManys.isEmpty { continue }
            for object in try stack.objects(entity) {
                for relationship in toManys where object.destinations(relationship.name).isEmpty {
                    var value = object.value(forKey: relationship.name)
                    do {
                        try object.validateValue(&value, forKey: relationship.name)
                    } catch {
                        refused.append("\(object.label).\(relationship.name): \(error)")
                    }
                }
            }
        }
        expectNone(refused, name)
    }

    /// Whether plain SQL and a stack with nothing in memory find the same.
    private func expectWhole(_ stack: FixtureStack) throws {
        #expect(try StoreContents.integrity(stack.url) == "ok")
        var comparison = RowComparison(stack, try stack.contents())
        for entity in stack.entities {
            for object in try stack.objects(entity) { comparison.compare(object) }
        }
        expectNone(comparison.differences, "all rows:")
        expectNone(try GraphCheck(stack).disagreements(), "all relationships:")
    }

    /// Every table but those of entities, joins and history is as it was: metadata, the copy of the model, CloudKit's.
    private func expectUntouched(_ before: StoreContents, _ after: StoreContents, _ stack: FixtureStack) {
        let written = Set(stack.schema.tables.map(\.name) + stack.schema.joinTables.map(\.name))
        #expect(before.tableNames == after.tableNames)
        for change in before.changes(to: after)
        where !written.contains(change.table) && !change.table.hasPrefix("Z_RT_")
            && !StoreContents.isHistory(change.table)
        {
            #expect(change.table == "Z_PRIMARYKEY" && change.columns == ["Z_MAX"], "\(change)")
        }
    }
}

/// Changes of all kinds to objects of all entities of a store, each saved with a witness.
private struct Journey {
    let stack: FixtureStack
    private var witness: SaveWitness
    private var population: Population
    private var context: NSManagedObjectContext { stack.context }
    private(set) var made: [NSManagedObject] = []
    private var old: [NSManagedObject] = []
    /// Entities of which no valid object could be made.
    private(set) var entitiesWithout: [String] = []

    var differences: [String] { witness.differences }

    /// - Parameter made: ids of objects that an earlier journey made.
    init(_ stack: FixtureStack, made: [URL] = []) throws {
        self.stack = stack
        witness = try SaveWitness(stack)
        population = Population(stack.context, values: SampleValues(from: made.isEmpty ? 7_000 : 90_000))
        self.made = try made.compactMap { uri in
            try stack.coordinator.managedObjectID(forURIRepresentation: uri).map(stack.context.existingObject(with:))
        }
        // One object of each entity that was there before, if it obeys its own model.
        let known = Set(self.made)
        for entity in stack.concreteEntities {
            let object = try stack.objects(entity).first { !known.contains($0) && Self.isValid($0) }
            if let object { old.append(object) }
        }
    }

    private static func isValid(_ object: NSManagedObject) -> Bool {
        (try? object.validateForUpdate()) != nil
    }

    mutating func insert() throws {
        for entity in stack.concreteEntities {
            let before = population.all.count
            for _ in 0..<2 { _ = population.insert(entity) }
            let objects = population.all[before...].filter { !$0.isDeleted }
            do {
                for object in objects { try object.validateForInsert() }
            } catch {
                entitiesWithout.append("\(entity.name!): \(error)")
                population.rollBack(to: before)
                continue
            }
            made += objects
            try witness.save("insert \(entity.name!)", intended: [])
        }
    }

    mutating func change() throws {
        for object in made + old {
            let names = population.change(object)
            if names.isEmpty { continue }
            guard Self.isValid(object) else {
                context.rollback()
                continue
            }
            try witness.save("change \(object.label)", intended: [object])
        }
    }

    /// Every relationship of one new object of each entity, to another new one, and one of an old one to a new one.
    mutating func link() throws {
        for entity in stack.concreteEntities {
            for relationship in entity.storedRelationships {
                guard let end = relationship.destinationEntity?.firstConcrete,
                    let other = made.last(where: { $0.entity == end && $0.managedObjectContext != nil })
                else { continue }
                let ones = [made.first { $0.entity == entity && $0 !== other }, old.first { $0.entity == entity }]
                for one in ones.compactMap({ $0 }) { try link(one, relationship, other) }
            }
        }
    }

    private mutating func link(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ other: NSManagedObject
    ) throws {
        var intended: Set<NSManagedObject> = [object, other]
        intended.formUnion(object.destinations(relationship.name))
        if let inverse = relationship.inverseRelationship { intended.formUnion(other.destinations(inverse.name)) }
        Population.link(object, relationship, other)
        context.processPendingChanges()
        guard context.updatedObjects.allSatisfy(Self.isValid) else {
            context.rollback()
            return
        }
        let occasion = "link \(object.label).\(relationship.name) to \(other.label)"
        try witness.save(occasion, intended: intended)
    }

    mutating func delete() throws {
        for object in made + old where object.managedObjectContext != nil && !object.isDeleted {
            let label = object.label
            context.delete(object)
            context.processPendingChanges()
            let isAllowed =
                context.deletedObjects.allSatisfy { (try? $0.validateForDelete()) != nil }
                && context.updatedObjects.allSatisfy(Self.isValid)
            if isAllowed { try witness.save("delete \(label)") } else { context.rollback() }
        }
    }
}
