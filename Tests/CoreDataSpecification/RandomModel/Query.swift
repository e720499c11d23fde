// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches drawn at random, as requests and as their expected results.

import CoreData
import Foundation

struct Query: Sendable, CustomStringConvertible {
    indirect enum Filter: Sendable {
        case all
        case numberAbove(Int)
        case text(Value?)
        case named([String])
        case among([String])
        case parent(String?)
        case parentAbove(Int)
        case nextText(String)
        case neighbours(atLeast: Int)
        case anyNeighbourAbove(Int)
        case hasLabel(String)
        case both(Filter, Filter)
        case either(Filter, Filter)
    }

    var entity = "Item"
    var filter = Filter.all
    /// By number, then by name; else only by name.
    var sortsByNumber = false
    var isAscending = true
    var limit = 0
    var offset = 0
    var includesPending = true
    var includesSubentities = true

    var description: String {
        "\(entity)\(includesSubentities ? "" : " alone") where \(filter)\(sortsByNumber ? " by number" : "")"
            + "\(isAscending ? "" : " descending")\(limit > 0 ? " limit \(limit)" : "")"
            + "\(offset > 0 ? " offset \(offset)" : "")\(includesPending ? "" : " as saved")"
    }

    /// The names of the objects in the predicate's arguments.
    var objects: Set<String> { Self.objects(filter) }

    private static func objects(_ filter: Filter) -> Set<String> {
        switch filter {
        case .among(let names): Set(names)
        case .parent(let name?), .hasLabel(let name): [name]
        case .both(let one, let two), .either(let one, let two): objects(one).union(objects(two))
        default: []
        }
    }

    func request<T>(_ type: T.Type, _ object: (String) -> NSManagedObject) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: entity)
        request.predicate = Self.predicate(filter, object)
        let byName = NSSortDescriptor(key: "name", ascending: isAscending)
        request.sortDescriptors =
            sortsByNumber ? [NSSortDescriptor(key: "number", ascending: isAscending), byName] : [byName]
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesPendingChanges = includesPending
        request.includesSubentities = includesSubentities
        return request
    }

    private static func predicate(_ filter: Filter, _ object: (String) -> NSManagedObject) -> NSPredicate? {
        switch filter {
        case .all: nil
        case .numberAbove(let number): NSPredicate(format: "number > %d", number)
        case .text(let text?): NSPredicate(format: "text == %@", text.object)
        case .text(nil): NSPredicate(format: "text == nil")
        case .named(let names): NSPredicate(format: "name IN %@", names)
        case .among(let names): NSPredicate(format: "SELF IN %@", names.map { object($0) })
        case .parent(let name?): NSPredicate(format: "parent == %@", object(name))
        case .parent(nil): NSPredicate(format: "parent == nil")
        case .parentAbove(let number): NSPredicate(format: "parent.number > %d", number)
        case .nextText(let text): NSPredicate(format: "next.text == %@", text)
        case .neighbours(let least): NSPredicate(format: "neighbours.@count >= %d", least)
        case .anyNeighbourAbove(let number): NSPredicate(format: "ANY neighbours.number > %d", number)
        case .hasLabel(let name): NSPredicate(format: "ANY labels == %@", object(name))
        case .both(let one, let two):
            NSCompoundPredicate(
                andPredicateWithSubpredicates: [one, two].map { predicate($0, object) ?? .init(value: true) })
        case .either(let one, let two):
            NSCompoundPredicate(
                orPredicateWithSubpredicates: [one, two].map { predicate($0, object) ?? .init(value: true) })
        }
    }

    // MARK: The expected results

    /// - Parameters:
    ///   - levels: the context that executes the query, and above it its parents.
    ///   - isChanged: whether an object counts as changed in a context of these.
    /// For a child, unsaved changes of its parent count as saved.
    /// - Returns: the names in order.
    func answer(_ levels: [ReferenceContext], isChanged: (Int, String) -> Bool) -> [String] {
        guard let context = levels.last else { return [] }
        let depth = levels.count - 1
        let names = includesPending ? context.live : context.committed.keys.sorted()
        let found = names.filter { name in
            fits(context.records[name] ?? context.committed[name])
                && matches(name, levels, depth) { isChanged($0, $1) && ($0 < depth || includesPending) }
        }
        let values = { (name: String) in includesPending ? context.records[name] : context.committed[name] }
        let sorted = found.sorted { one, two in
            let order = sortsByNumber ? Self.compare(values(one), values(two)) : 0
            return isAscending ? (order < 0 || (order == 0 && one < two)) : (order > 0 || (order == 0 && one > two))
        }
        let rest = sorted.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    private func fits(_ record: Record?) -> Bool {
        guard let record else { return false }
        return record.entity == entity || (includesSubentities && World.root(record.entity) == entity)
    }

    /// The parent finds objects that have no changes in a context, among its own.
    private func matches(
        _ name: String, _ levels: [ReferenceContext], _ depth: Int, _ isChanged: (Int, String) -> Bool
    ) -> Bool {
        let context = levels[depth]
        if isChanged(depth, name) { return Self.matches(filter, name, context.records) }
        if depth > 0 { return matches(name, levels, depth - 1, isChanged) }
        return Self.matches(filter, name, context.committed)
    }

    private static func matches(_ filter: Filter, _ name: String, _ graph: [String: Record]) -> Bool {
        guard let record = graph[name] else { return false }
        switch filter {
        case .all: return true
        case .numberAbove(let number): return (self.number(record) ?? .min) > number
        case .text(let text): return record.attributes["text"] == text
        case .named(let names), .among(let names): return names.contains(name)
        case .parent(let parent): return record.ones["parent"] == parent
        case .parentAbove(let number):
            return (record.ones["parent"].flatMap { graph[$0] }.flatMap(self.number) ?? .min) > number
        case .nextText(let text):
            return record.ones["next"].flatMap { graph[$0]?.attributes["text"] } == .text(text)
        case .neighbours(let least): return record.members("neighbours").count >= least
        case .anyNeighbourAbove(let number):
            return record.members("neighbours").contains { (graph[$0].flatMap(self.number) ?? .min) > number }
        case .hasLabel(let label): return record.members("labels").contains(label)
        case .both(let one, let two): return matches(one, name, graph) && matches(two, name, graph)
        case .either(let one, let two): return matches(one, name, graph) || matches(two, name, graph)
        }
    }

    private static func number(_ record: Record) -> Int? {
        guard case .number(let number) = record.attributes["number"] else { return nil }
        return number
    }

    /// nil precedes every number.
    private static func compare(_ one: Record?, _ two: Record?) -> Int {
        let (one, two) = (one.flatMap(number) ?? .min, two.flatMap(number) ?? .min)
        return one < two ? -1 : one > two ? 1 : 0
    }
}
