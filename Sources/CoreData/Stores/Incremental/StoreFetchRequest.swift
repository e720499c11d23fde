// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A resolved fetch as the request that a subclass is given.

import CoreDataFoundation
import Foundation

/// What `execute(_:with:)` gets for a fetch: the user's request with every name looked up, objects as ids, and no
/// window where unsaved changes are still to be laid over the answer. Prefetching, batches and faults are hints: the
/// context sees to them.
final class StoreFetchRequest: NSFetchRequest<any NSFetchRequestResult> {
    let fetch: ResolvedFetch
    /// Rows that were read to choose the results: they need not be read again.
    var rows: [Int64: FetchedRow] = [:]

    init(_ fetch: ResolvedFetch, _ home: StoreIdentity) {
        self.fetch = fetch
        super.init()
        entity = fetch.layout.entity
        includesSubentities = fetch.includesSubentities
        predicate = fetch.predicate?.mappingConstants { Self.id($0, fetch.model, home) }.predicate
        sortDescriptors = fetch.sorting.isEmpty ? nil : fetch.sorting.map(\.descriptor)
        fetchLimit = fetch.limit
        fetchOffset = fetch.offset
        includesPendingChanges = false
        if let hints = fetch.hints {
            relationshipKeyPathsForPrefetching = hints.relationshipKeyPathsForPrefetching
            fetchBatchSize = hints.fetchBatchSize
            returnsObjectsAsFaults = hints.returnsObjectsAsFaults
        }
        switch fetch.result {
        case .rows: resultType = .managedObjectResultType
        case .keys:
            resultType = .managedObjectIDResultType
            includesPropertyValues = false
        case .count: resultType = .countResultType
        case .dictionaries(let dictionaries): ask(for: dictionaries)
        }
    }

    private func ask(for dictionaries: ResolvedFetch.Dictionaries) {
        resultType = .dictionaryResultType
        propertiesToFetch = dictionaries.columns.map(property)
        propertiesToGroupBy = dictionaries.groupBy.isEmpty ? nil : dictionaries.groupBy.map(name)
        havingPredicate = dictionaries.having?.predicate
        returnsDistinctResults = dictionaries.isDistinct
    }

    private func property(_ column: ResolvedFetch.Dictionaries.Column) -> Any {
        let description = NSExpressionDescription()
        description.name = column.name
        description.expressionResultType = column.resultType ?? .undefinedAttributeType
        switch column.value {
        case .property(let path):
            return path.count == 1 && path[0].element == nil ? fetch.layout.properties[path[0].slot] : name(path)
        case .expression(let expression): description.expression = CoreDataFoundation.NSExpression(expression)
        case .objectID:
            description.expression = CoreDataFoundation.NSExpression(.evaluatedObject)
            description.expressionResultType = .objectIDAttributeType
        }
        return description
    }

    private func name(_ path: [PathStep]) -> String {
        path.flatMap { [fetch.model.layouts[$0.layoutIndex].properties[$0.slot].name, $0.element].compactMap { $0 } }
            .joined(separator: ".")
    }

    /// Arguments that stand for objects become ids again; those of other stores equal none of this one.
    private static func id(_ value: Any?, _ model: ModelLayout, _ home: StoreIdentity) -> Any? {
        switch value {
        case let object as ObjectArgument:
            NSManagedObjectID(
                layout: model.layouts[object.key.entityIndex], key: object.key.key, home: object.isInStore ? home : nil)
        case let list as [Any] where list.contains { $0 is ObjectArgument }: list.map { id($0, model, home) as Any }
        default: value
        }
    }
}
