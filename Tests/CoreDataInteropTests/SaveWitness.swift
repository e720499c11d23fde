// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks a save from outside: the differences in the file must be those that the context announced, and no others.

import Foundation
import SQLiteDriver

@testable import CoreData

/// Reads the whole database before and after each save of a stack.
struct SaveWitness {
    let stack: FixtureStack
    private(set) var contents: StoreContents
    private(set) var differences: [String] = []

    init(_ stack: FixtureStack) throws {
        self.stack = stack
        contents = try stack.contents()
    }

    /// The changes that a save announces.
    private struct Plan {
        var inserted: [NSManagedObject] = []
        /// Updated objects, with the names of the properties that changed.
        var updated: [(object: NSManagedObject, names: Set<String>)] = []
        var deleted: [(object: NSManagedObject, table: String, key: Int64)] = []
    }

    /// Saves, and compares the file with the plan.
    ///
    /// - Parameter intended: the objects that may be updated by it; nil when any may.
    mutating func save(_ occasion: String, intended: Set<NSManagedObject>? = nil) throws {
        let context = stack.context
        context.processPendingChanges()
        var plan = Plan()
        plan.inserted = Array(context.insertedObjects)
        plan.updated = context.updatedObjects.filter(\.hasPersistentChangedValues).map {
            ($0, Set($0.changedValues().keys))
        }
        plan.deleted = context.deletedObjects.map { ($0, stack.mapping($0.entity).table.name, $0.rowKey) }
        if let intended {
            for (object, names) in plan.updated where !intended.contains(object) {
                differences.append("\(occasion): \(object.label) was changed as well: \(names.sorted())")
            }
        }
        try context.save()
        let after = try StoreContents(stack.url, since: contents)
        let found = Verdict(stack: stack, before: contents, after: after).differences(
            inserted: plan.inserted, updated: plan.updated, deleted: plan.deleted)
        differences += found.map { "\(occasion): \($0)" }
        // A reader after the save sees the values that the file computes.
        var comparison = RowComparison(stack, after)
        for object in plan.inserted + plan.updated.map(\.object) {
            context.refresh(object, mergeChanges: false)
            comparison.compare(object)
        }
        differences += comparison.differences.map { "\(occasion), refreshed: \($0)" }
        contents = after
    }
}

/// The comparison of one save.
private struct Verdict {
    let stack: FixtureStack
    let before: StoreContents
    let after: StoreContents

    private struct Place: Hashable {
        var table: String
        var key: Int64
    }

    func differences(
        inserted: [NSManagedObject], updated: [(object: NSManagedObject, names: Set<String>)],
        deleted: [(object: NSManagedObject, table: String, key: Int64)]
    ) -> [String] {
        var result: [String] = []
        var comparison = RowComparison(stack, after, skipsComputed: true)
        var expected: [Place: NSManagedObject] = [:]
        for object in inserted {
            comparison.compare(object)
            comparison.compareUnused(object)
            expected[Place(table: table(object), key: object.rowKey)] = object
        }
        var names: [Place: Set<String>] = [:]
        for (object, changed) in updated {
            comparison.compare(object)
            expected[Place(table: table(object), key: object.rowKey)] = object
            names[Place(table: table(object), key: object.rowKey)] = changed
        }
        let gone = Set(deleted.map { Place(table: $0.table, key: $0.key) })
        let changes = before.changes(to: after)
        result += comparison.differences + keyDifferences(inserted, changes)

        let joins = Dictionary(uniqueKeysWithValues: stack.schema.joinTables.map { ($0.name, $0) })
        for change in changes {
            // Keys are examined below; triggers maintain spatial indexes.
            if change.table == "Z_PRIMARYKEY" || change.table.hasPrefix("Z_RT_") { continue }
            if StoreContents.isHistory(change.table) {
                if change.before != nil { result.append("the history was changed: \(change)") }
                continue
            }
            if let join = joins[change.table] {
                result += linkDifferences(change, join, Set(expected.keys).union(gone))
                continue
            }
            let place = Place(table: change.table, key: Int64(change.key) ?? -1)
            switch (change.before, change.after) {
            case (nil, let row?):
                if expected[place] == nil || names[place] != nil { result.append("a row too many: \(change)") }
                if row["Z_OPT"] != .integer(1) { result.append("a new row with Z_OPT \(row["Z_OPT"] ?? .null)") }
            case (_?, nil):
                if !gone.contains(place) { result.append("a row is gone: \(change)") }
            case (let old?, let new?):
                result += updateDifferences(change, old, new, expected[place], names[place])
            default: break
            }
        }
        for place in gone where after.row(place.table, place.key) != nil {
            result.append("\(place.table)[\(place.key)] is still there")
        }
        for place in names.keys
        where before.value(place.table, place.key, "Z_OPT")
            == after.value(
                place.table, place.key, "Z_OPT")
        {
            result.append("\(place.table)[\(place.key)] was changed, but not its Z_OPT: \(names[place]!.sorted())")
        }
        return result
    }

    private func table(_ object: NSManagedObject) -> String { stack.mapping(object.entity).table.name }

    private func updateDifferences(
        _ change: StoreContents.Change, _ old: StoreContents.Row, _ new: StoreContents.Row, _ object: NSManagedObject?,
        _ names: Set<String>?
    ) -> [String] {
        let mappings = stack.schema.entities.filter { $0.table.name == change.table }
        let columns = change.columns.subtracting(stack.computedColumns[change.table] ?? [])
        guard let object, let names else {
            // Derived values and order keys change with other rows, without a new version of the row.
            let others = columns.filter { !isOfMembership($0, mappings) }
            return others.isEmpty ? [] : ["changed unasked: \(change)"]
        }
        var result: [String] = []
        let mapping = stack.mapping(object.entity)
        let allowed = RowComparison.columns(mapping, names).union(["Z_OPT"])
        if !columns.subtracting(allowed).allSatisfy({ isOfMembership($0, mappings) }) {
            result.append("more changed than \(names.sorted()): \(change)")
        }
        if let version = old["Z_OPT"]?.integerValue, new["Z_OPT"] != .integer(version + 1) {
            result.append("Z_OPT does not count: \(change)")
        }
        return result
    }

    private func isOfMembership(_ column: String, _ mappings: [EntityMapping]) -> Bool {
        let comparison = RowComparison(stack, after)
        return mappings.contains { comparison.isOfMembership(column, $0) }
    }

    private func linkDifferences(_ change: StoreContents.Change, _ join: JoinTable, _ touched: Set<Place>) -> [String] {
        let row = change.after ?? change.before ?? [:]
        let ends = [(join.owner, join.ownerColumn), (join.member, join.memberColumn)].map { layout, column in
            Place(table: stack.schema.mapping(layout)?.table.name ?? "", key: row[column]?.integerValue ?? -1)
        }
        return ends.contains(where: touched.contains) ? [] : ["linked unasked: \(change)"]
    }

    /// Keys increase by one, from the highest ever given, and `Z_PRIMARYKEY` has the last one.
    private func keyDifferences(_ inserted: [NSManagedObject], _ changes: [StoreContents.Change]) -> [String] {
        var keys: [String: [Int64]] = [:]
        for object in inserted { keys[rootName(object.entity), default: []].append(object.rowKey) }
        var result: [String] = []
        for mapping in stack.schema.entities {
            let name = mapping.layout.name
            let old = before.value("Z_PRIMARYKEY", mapping.number, "Z_MAX")?.integerValue ?? 0
            let new = after.value("Z_PRIMARYKEY", mapping.number, "Z_MAX")?.integerValue ?? 0
            let given = (keys[name] ?? []).sorted()
            if new != old + Int64(given.count) {
                result.append("\(name): Z_MAX from \(old) to \(new) for keys \(given)")
            }
            if !given.isEmpty, given != Array((old + 1)...(old + Int64(given.count))) {
                result.append("\(name): keys \(given) after \(old)")
            }
        }
        for change in changes
        where change.table == "Z_PRIMARYKEY" && !change.columns.isSubset(of: ["Z_MAX"]) {
            result.append("\(change)")
        }
        return result
    }

    private func rootName(_ entity: NSEntityDescription) -> String {
        var root = entity
        while let parent = root.superentity { root = parent }
        return root.name!
    }
}
