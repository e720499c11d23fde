// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Presents a resolved fetch to a custom incremental store as a fetch request.

import CoreDataFoundation
import Foundation

/// The argument of `execute(_:with:)` for a fetch: the program's request with all names resolved and objects replaced
/// by ids. It has no limit and offset if unsaved changes must still be overlaid. Settings for prefetching, batches and
/// faults are hints; the context implements them.
final class StoreFetchRequest: NSFetchRequest<any NSFetchRequestResult> {
    let fetch: BoundFetch
    /// Rows already read to evaluate the request.
    var rows: [Int64: FetchedRow] = [:]

    init(_ fetch: BoundFetch, _ home: StoreIdentity) {
        self.fetch = fetch
        super.init()
        entity = fetch.layout.entity
        includesSubentities = fetch.includesSubentities
        predicate = fetch.predicate?.mappingConstants { Self.id($0, fetch.model, home) }.predicate
        sortDescriptors = fetch.sorting.isEmpty ? nil : fetch.sorting.map(\.descriptor)
        fetchLimit = fetch.limit
        fetchOffset = fetch.offset
        includesPendingChanges = false
        relationshipKeyPathsForPrefetching = fetch.prepared.prefetchedKeyPaths
        fetchBatchSize = fetch.batchSize
        returnsObjectsAsFaults = fetch.prepared.options.contains(.returnsObjectsAsFaults)
        switch fetch.result {
        case .rows: resultType = .managedObjectResultType
        case .keys:
            resultType = .managedObjectIDResultType
            includesPropertyValues = false
        case .count: resultType = .countResultType
        // A store of another program knows no parts of dates: the rows are grouped here.
        case .dictionaries(let dictionaries) where dictionaries.hasDateParts: resultType = .managedObjectIDResultType
        case .dictionaries(let dictionaries): ask(for: dictionaries, home)
        }
    }

    private func ask(for dictionaries: DictionaryRequest, _ home: StoreIdentity) {
        resultType = .dictionaryResultType
        propertiesToFetch = dictionaries.columns.map { property($0, home) }
        propertiesToGroupBy = dictionaries.groupBy.isEmpty ? nil : dictionaries.groupBy.map { name($0.path) }
        havingPredicate = dictionaries.having?.mappingConstants { Self.id($0, fetch.model, home) }.predicate
        returnsDistinctResults = dictionaries.isDistinct
    }

    private func property(_ column: DictionaryRequest.Column, _ home: StoreIdentity) -> Any {
        let description = NSExpressionDescription()
        description.name = column.name
        description.expressionResultType = column.resultType ?? .undefinedAttributeType
        switch column.value {
        case .property(let path), .datePart(let path, _):
            return path.count == 1 && path[0].element == nil ? fetch.layout.properties[path[0].slot] : name(path)
        case .expression(let expression):
            let asked = expression.mappingConstants { Self.id($0, fetch.model, home) }
            description.expression = CoreDataFoundation.NSExpression(asked)
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

    /// Replaces arguments that represent objects by ids. Ids of other stores match no record of this one.
    private static func id(_ value: Any?, _ model: ModelLayout, _ home: StoreIdentity) -> Any? {
        guard let value, !FormatArguments.isPlain(Swift.type(of: value)) else { return value }
        if let object = FormatArguments.object(value, as: ObjectArgument.self) {
            return NSManagedObjectID(
                layout: model.layouts[object.key.entityIndex], key: object.key.key, home: object.isInStore ? home : nil)
        }
        // `ObjectArgument.replacing` makes such a list.
        guard let list = value as? [Any], list.contains(where: { $0 is ObjectArgument }) else { return value }
        return list.map { id($0, model, home) as Any }
    }
}
