// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States by the number of living instances how long objects are retained, and that all are released in the end.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Living instances") struct InstanceCountSpecification {
    /// Proves: L8
    @Test("one refresh breaks a cycle of two", arguments: StoreKind.all)
    func pair(store: StoreKind) throws {
        let colony = try Colony(store)
        try readTwins(colony)
        #expect(colony.living == 2)
        try refreshOne(colony)
        #expect(colony.living == 0)
        #expect(colony.context.registeredObjects.isEmpty)
    }

    private func readTwins(_ colony: Colony) throws {
        let cell = try colony.first()
        let twin = try #require(cell.value(forKey: "twin") as? Cell)
        #expect(twin.value(forKey: "twin") as? Cell === cell)
    }

    private func refreshOne(_ colony: Colony) throws {
        colony.context.refresh(try colony.first(), mergeChanges: false)
        colony.context.processPendingChanges()
    }

    /// Proves: L8
    @Test("a cluster holds itself until every member is refreshed", arguments: StoreKind.all)
    func cluster(store: StoreKind) throws {
        let colony = try Colony(store)
        try colony.walk()
        #expect(colony.living == Colony.size)
        #expect(colony.context.registeredObjects.count == Colony.size)
        colony.context.refreshAllObjects()
        #expect(colony.living == 0)
        #expect(colony.context.registeredObjects.isEmpty)
    }

    /// Proves: L8
    @Test("the owners of refreshed objects stay, as faults", arguments: StoreKind.all)
    func heldMember(store: StoreKind) throws {
        let colony = try Colony(store)
        let held = try colony.walk()
        colony.context.refreshAllObjects()
        #expect(colony.living == 1)
        #expect(held.isFault)
        #expect(held.value(forKey: "name") as? String == "0")
    }

    /// Proves: L4, F25
    @Test(
        "pending objects are held until they are saved, rolled back or forgotten", arguments: StoreKind.all,
        Ending.allCases)
    func pending(store: StoreKind, ending: Ending) throws {
        let colony = try Colony(store, .strangers)
        try colony.change()
        #expect(colony.living == 3)
        colony.context.processPendingChanges()
        #expect(colony.living == 3)
        #expect(colony.context.insertedObjects.count == 1)
        #expect(colony.context.updatedObjects.count == 1)
        #expect(colony.context.deletedObjects.count == 1)
        try ending.end(colony.context)
        #expect(colony.living == 0)
        #expect(colony.context.registeredObjects.isEmpty)
    }

    /// Proves: L4
    @Test(
        "pending objects that hold one another go as well, unless they are records", arguments: StoreKind.all,
        Ending.allCases)
    func pendingCluster(store: StoreKind, ending: Ending) throws {
        let colony = try Colony(store, .nobody)
        colony.settle(.relatives)
        #expect(colony.living == Colony.size)
        try ending.end(colony.context)
        #expect(colony.living == (ending == .save ? Colony.size : 0))
        colony.context.refreshAllObjects()
        #expect(colony.living == 0)
    }

    /// Proves: L4
    @Test("deleted objects that hold one another go when the deletion is saved", arguments: StoreKind.all)
    func deletedCluster(store: StoreKind) throws {
        let colony = try Colony(store)
        try colony.deleteAll()
        #expect(colony.living == Colony.size)
        try colony.context.save()
        #expect(colony.living == 0)
    }

    /// Proves: L4, C13
    @Test("insertions that are deleted again go with their event", arguments: StoreKind.all)
    func deletedInsertions(store: StoreKind) throws {
        let colony = try Colony(store, .nobody)
        colony.settle(.relatives)
        try colony.deleteAll()
        #expect(colony.living == Colony.size)
        colony.context.processPendingChanges()
        #expect(colony.living == 0)
        #expect(!colony.context.hasChanges)
    }

    /// Proves: L3, L8
    @Test("when a context goes, so do its objects, linked as they are", arguments: StoreKind.all)
    func lostContext(store: StoreKind) throws {
        let colony = try Colony(store)
        let census = Census()
        try walkElsewhere(colony, census)
        #expect(census.living == 0)
    }

    private func walkElsewhere(_ colony: Colony, _ census: Census) throws {
        let context = colony.stack.newContext()
        context.userInfo[Census.key] = census
        try colony.walk(in: context)
        #expect(census.living == Colony.size)
    }

    enum Ending: CaseIterable {
        case save, rollback, reset

        func end(_ context: NSManagedObjectContext) throws {
            switch self {
            case .save: try context.save()
            case .rollback: context.rollback()
            case .reset: context.reset()
            }
        }
    }
}

/// The number of living objects of one context. Used on one thread.
private final class Census {
    static let key = "census"
    var living = 0
}

private final class Cell: NSManagedObject {
    private var census: Census?

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        census = managedObjectContext?.userInfo[Census.key] as? Census
        census?.living += 1
    }

    deinit { census?.living -= 1 }
}

/// Cells that are related to one another in every way. Only the context and they themselves retain them.
private struct Colony {
    static let size = 5

    let stack: Stack
    private let census = Census()
    var context: NSManagedObjectContext { stack.context }
    var living: Int { census.living }

    enum Population { case relatives, strangers, nobody }

    init(_ store: StoreKind, _ population: Population = .relatives) throws {
        stack = try Stack(store, GraphModel.make(Cell.self))
        context.userInfo[Census.key] = census
        settle(population)
        try context.save()
        context.reset()
    }

    /// Inserts cells.
    func settle(_ population: Population) {
        guard population != .nobody else { return }
        let cells = (0..<Self.size).map { number in
            let cell = Cell(context: context)
            cell.setValue("\(number)", forKey: "name")
            return cell
        }
        guard population == .relatives else { return }
        for (cell, next) in zip(cells, cells[1...] + [cells[0]]) {
            cell.setValue(next, forKey: "next")
            cell.setValue(NSSet(array: cells), forKey: "neighbours")
        }
        cells[0].setValue(cells[1], forKey: "twin")
        cells[0].setValue(NSOrderedSet(array: Array(cells[1...])), forKey: "children")
    }

    func first(in other: NSManagedObjectContext? = nil) throws -> Cell {
        let request = NSFetchRequest<Cell>(entityName: "Cell")
        request.predicate = NSPredicate(format: "name == '0'")
        return try #require(try (other ?? context).fetch(request).first)
    }

    /// Follows every relationship of every cell.
    @discardableResult
    func walk(in other: NSManagedObjectContext? = nil) throws -> Cell {
        let start = try first(in: other)
        var reached: Set<Cell> = [start]
        var waiting = [start]
        while let cell = waiting.popLast() {
            for key in cell.entity.relationshipsByName.keys {
                for other in others(cell.value(forKey: key)) where reached.insert(other).inserted {
                    waiting.append(other)
                }
            }
        }
        #expect(reached.count == Self.size)
        return start
    }

    private func others(_ value: Any?) -> [Cell] {
        switch value {
        case let set as NSSet: set.allObjects as? [Cell] ?? []
        case let set as NSOrderedSet: set.array as? [Cell] ?? []
        case let cell as Cell: [cell]
        default: []
        }
    }

    /// Inserts one, updates one, deletes one.
    func change() throws {
        let cells = try context.fetch(NSFetchRequest<Cell>(entityName: "Cell"))
        Cell(context: context).setValue("new", forKey: "name")
        cells[1].setValue("renamed", forKey: "name")
        context.delete(cells[2])
    }

    func deleteAll() throws {
        for cell in try context.fetch(NSFetchRequest<Cell>(entityName: "Cell")) { context.delete(cell) }
    }
}
