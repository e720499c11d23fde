// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts members of to-many relationships without reading them.

import CoreData
import CoreDataFoundation
import Foundation

/// The values of columns such as "cars.@count" for a page of objects, with one statement a page.
struct MemberCounts {
    /// The columns with counts.
    let paths: [String]
    private let entityName: String
    private var counts: [NSManagedObjectID: [String: Int64]] = [:]

    /// - Parameter type: the type of the store. Stores in memory count the members themselves.
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

    /// Replaces the counts of the previous page.
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

    /// nil for other columns.
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
