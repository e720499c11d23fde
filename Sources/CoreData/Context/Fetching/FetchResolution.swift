// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From a fetch request to what one store is asked: every name looked up, every object argument a key.

import CoreDataFoundation
import Foundation

/// A class because all parts of a fetch share it: a copy would count two dozen references up and down.
final class FetchResolution {
    let model: ModelLayout
    let settings: FetchSettings
    let layout: EntityLayout
    /// The predicate with its key paths checked; objects in it are still objects.
    let predicate: PredicateSyntax?
    /// Whether the predicate has code of the user's in it, which expects objects: the context asks it, not a store.
    let hasCode: Bool
    /// The predicate again, where it is of the plain kind.
    private let condition: PlainCondition?
    let sorting: [ResolvedFetch.Sort]
    private let paths: KeyPathResolver

    /// - Throws: 134060 for a request without entity, an entity or a key that the model does not have.
    init(_ settings: FetchSettings, model: ModelLayout) throws {
        self.model = model
        self.settings = settings
        paths = KeyPathResolver(model: model)
        guard let name = settings.entityName ?? settings.entity?.name else {
            throw CoreDataError.general("The fetch request has no entity.")
        }
        guard let layout = model.layout(named: name) else {
            throw CoreDataError.general(
                "The model has no entity '\(name)' to fetch; its entities are "
                    + model.layouts.map(\.name).joined(separator: ", ") + "."
                    + name.hint(among: model.layouts.map(\.name)))
        }
        self.layout = layout
        let syntax = settings.predicate?.syntax
        condition = syntax.flatMap { PlainCondition($0, of: layout) }
        if let syntax, let condition {
            predicate = syntax
            hasCode = false
            try model.soundConditions.check(condition.shape, of: layout) { [paths] in
                try PathCheck(paths).check(syntax, from: layout)
            }
        } else {
            let read = try syntax?.readingConstants()
            hasCode = read?.hasCode ?? false
            if let read { try PathCheck(paths).check(read, from: layout) }
            predicate = read.map { [paths] in NumericText(paths: paths).read($0, from: layout) }
        }
        sorting = try (settings.sortDescriptors ?? []).map { [paths] in try Self.sort($0, layout, paths) }
        for path in settings.relationshipKeyPathsForPrefetching ?? [] { try checkPrefetching(path) }
    }

    private func checkPrefetching(_ keyPath: String) throws {
        let path = try paths.resolve(keyPath, from: layout)
        let kinds = path.steps.map { model.layouts[$0.layoutIndex][$0.slot].kind }
        guard path.tail == .value, kinds.allSatisfy({ $0 == .reference || $0 == .toMany }) else {
            throw CoreDataError.general(
                "'\(layout.name).\(keyPath)' is no key path of relationships: it cannot be prefetched.")
        }
    }

    /// What a store is asked for `result`.
    ///
    /// - Parameter home: the store asked; objects of other stores equal none of its rows.
    func fetch(_ result: ResolvedFetch.Result, from home: StoreIdentity, windowed: Bool) -> ResolvedFetch {
        var fetch = ResolvedFetch(layout: layout, model: model)
        fetch.includesSubentities = settings.includesSubentities
        fetch.condition = condition
        if condition != nil {
            fetch.predicate = predicate  // plain values alone
        } else if !hasCode {
            fetch.predicate = predicate?.mappingConstants { Self.argument($0, home) }
        }
        fetch.sorting = sorting
        fetch.result = result
        if home.references != nil { fetch.hints = FetchHints(settings) }
        if windowed {
            fetch.limit = settings.fetchLimit
            fetch.offset = settings.fetchOffset
        }
        return fetch
    }

    /// The columns of dictionary results.
    ///
    /// - Throws: 134060 for a key that the entity does not have, and for a predicate with code, which needs objects.
    func dictionaries() throws -> ResolvedFetch.Dictionaries {
        if hasCode {
            throw CoreDataError.general(
                "The predicate of the fetch of '\(layout.name)' has code in it, which is asked of objects: it cannot choose dictionaries."
            )
        }
        var result = ResolvedFetch.Dictionaries(columns: [])
        if let properties = settings.propertiesToFetch, !properties.isEmpty {
            result.columns = try properties.map(column)
        } else {
            result.columns = layout.attributeSlots.filter { !layout[$0].isTransient }.map { slot in
                .init(
                    name: layout.properties[slot].name,
                    value: .property([PathStep(layoutIndex: layout.index, slot: slot, element: nil)]))
            }
        }
        result.groupBy = try (settings.propertiesToGroupBy ?? []).map { property in
            guard case .property(let path) = try column(property).value else {
                throw CoreDataError.general("Results can be grouped by properties alone, not by '\(property)'.")
            }
            return path
        }
        result.having = try settings.havingPredicate?.syntax.readingConstants()
        if let having = result.having {
            try PathCheck(paths, aliases: Set(result.columns.map(\.name))).check(having, from: layout)
        }
        result.isDistinct = settings.returnsDistinctResults
        return result
    }

    private func column(_ property: Any) throws -> ResolvedFetch.Dictionaries.Column {
        switch property {
        case let description as NSExpressionDescription:
            guard let expression = description.expression else {
                throw CoreDataError.general("The expression description '\(description.name)' has no expression.")
            }
            if case .evaluatedObject = expression.syntax { return .init(name: description.name, value: .objectID) }
            try PathCheck(paths).check(expression.syntax, from: layout)
            let type = description.expressionResultType
            return .init(
                name: description.name, value: .expression(expression.syntax),
                resultType: type == .undefinedAttributeType ? nil : type)
        case let description as NSPropertyDescription: return try column(named: description.name)
        case let name as String: return try column(named: name)
        default:
            throw CoreDataError.general("'\(property)' is neither a property's description nor its name.")
        }
    }

    private func column(named name: String) throws -> ResolvedFetch.Dictionaries.Column {
        if name == "objectID", layout.slot(name) == nil { return .init(name: name, value: .objectID) }
        let path = try paths.resolve(name, from: layout)
        guard path.tail == .value, let last = path.steps.last else {
            throw CoreDataError.general("'\(name)' cannot be fetched into a dictionary.")
        }
        for step in path.steps where model.layouts[step.layoutIndex][step.slot].kind == .toMany {
            throw CoreDataError.general(
                "'\(layout.name).\(name)' goes through a to-many relationship: dictionaries hold attributes and to-one relationships."
            )
        }
        guard model.layouts[last.layoutIndex][last.slot].word >= 0 else {
            throw CoreDataError.general("'\(layout.name).\(name)' has no value in a store.")
        }
        return .init(name: name, value: .property(path.steps))
    }

    private static func sort(_ descriptor: NSSortDescriptor, _ layout: EntityLayout, _ paths: KeyPathResolver) throws
        -> ResolvedFetch.Sort
    {
        guard let key = descriptor.sortKey else {
            throw CoreDataError.general(
                "A fetch request sorts by a key, as stores do; \(descriptor) has none, or a comparator. Name a key and a "
                    + "selector, or sort what was fetched.")
        }
        let path = try paths.resolve(key.key, from: layout)
        if path.tail == .value,
            path.steps.contains(where: { paths.model.layouts[$0.layoutIndex][$0.slot].kind == .toMany })
        {
            throw CoreDataError.general(
                "'\(layout.name).\(key.key)' goes through a to-many relationship: results cannot be sorted by it. Sort by "
                    + "attributes, of the entity or of objects at to-one relationships.")
        }
        return ResolvedFetch.Sort(
            keyPath: path, isAscending: key.ascending, comparison: key.comparison, descriptor: descriptor.byKey)
    }

    /// Objects and ids become keys of the store asked; collections of them too.
    private static func argument(_ value: Any?, _ home: StoreIdentity) -> Any? {
        switch value {
        case let object as NSManagedObject:
            return ObjectArgument(
                key: ObjectKey(object.table.layout.index, object.key), rootIndex: object.table.layout.rootIndex,
                isInStore: object.key > 0 && object.table.home === home)
        case let id as NSManagedObjectID:
            return ObjectArgument(
                key: id.objectKey, rootIndex: id.layout.rootIndex, isInStore: id.key > 0 && id.home === home)
        case let set as NSSet: return set.allObjects.map { argument($0, home) as Any }
        case let set as NSOrderedSet: return set.array.map { argument($0, home) as Any }
        case let objects as [NSManagedObject]: return objects.map { argument($0, home) as Any }
        case let ids as [NSManagedObjectID]: return ids.map { argument($0, home) as Any }
        case let set as Set<NSManagedObject>: return set.map { argument($0, home) as Any }
        case let set as Set<NSManagedObjectID>: return set.map { argument($0, home) as Any }
        case let list as [Any] where list.contains(where: { $0 is NSManagedObject || $0 is NSManagedObjectID }):
            return list.map { argument($0, home) as Any }
        case let list as NSArray: return (list as? [Any])?.map { argument($0, home) as Any } ?? value
        default: return value
        }
    }
}
