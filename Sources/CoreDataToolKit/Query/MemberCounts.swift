// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the members of to-manys without reading them.

import CoreData
import CoreDataFoundation
import Foundation

/// The counts that columns such as "cars.@count" ask for, of a page of objects: one statement a page.
struct MemberCounts {
    /// The columns that are counted so.
    let paths: [String]
    private let entityName: String
    private var counts: [NSManagedObjectID: [String: Int64]] = [:]

    /// - Parameter type: of the store. Stores that hold all objects in memory count the members themselves.
    init(_ paths: [String], of entity: NSEntityDescription, type: String) {
        entityName = entity.name ?? ""
        let relationships = entity.relationshipsByName
        self.paths =
            type != NSSQLiteStoreType
            ? []
            : paths.filter { path in
                let steps = path.split(separator: ".").map(String.init)
                return steps.count == 2 && steps[1] == "@count" && relationships[steps[0]]?.isToMany == true
            }
    }

    /// Replaces the counts of the page before.
    mutating func read(_ ids: [NSManagedObjectID], in context: NSManagedObjectContext) throws {
        guard !paths.isEmpty else { return }
        let request = NSFetchRequest<NSDictionary>(entityName: entityName)
        request.resultType = .dictionaryResultType
        request.predicate = NSPredicate(format: "SELF IN %@", ids as NSArray)
        request.propertiesToFetch = ["objectID"] + paths.enumerated().map(Self.column)
        counts = [:]
        for row in try context.fetch(request) {
            guard let id = row["objectID"] as? NSManagedObjectID else { continue }
            for (number, path) in paths.enumerated() {
                counts[id, default: [:]][path] = (row["count\(number)"] as? NSNumber)?.int64Value
            }
        }
    }

    /// Nil for a column that is not counted so.
    func cell(_ path: String, of id: NSManagedObjectID) -> Cell? {
        paths.contains(path) ? counts[id]?[path].map(Cell.integer) : nil
    }

    private static func column(_ number: Int, _ path: String) -> Any {
        let column = NSExpressionDescription()
        column.name = "count\(number)"
        column.expression = NSExpression(forKeyPath: path)
        column.expressionResultType = .integer64AttributeType
        return column
    }
}
