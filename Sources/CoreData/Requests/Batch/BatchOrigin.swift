// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of a batch request, so that a store recognizes the request when the program retries it.

import Foundation

/// A request with its contents at the time of its execution (IndeterminateCommits-D5).
package struct BatchOrigin {
    private enum Contents {
        case insertion(String, [[String: Any]])
        case update(String, NSPredicate?, [AnyHashable: Any], includesSubentities: Bool)
        case deletion(Set<NSManagedObjectID>)
        case search(String?, NSPredicate?, [NSSortDescriptor], limit: Int, offset: Int, includesSubentities: Bool)
        /// The program's closure makes the rows, so two requests cannot be compared.
        case code
    }

    private let request: NSPersistentStoreRequest
    private let contents: Contents

    init(_ request: NSPersistentStoreRequest) {
        self.request = request
        switch request {
        case let request as NSBatchInsertRequest:
            contents = request.objectsToInsert.map { .insertion(request.entityName, $0) } ?? .code
        case let request as NSBatchUpdateRequest:
            contents = .update(
                request.entityName, request.predicate, request.propertiesToUpdate ?? [:],
                includesSubentities: request.includesSubentities)
        case let request as NSBatchDeleteRequest:
            let search = request.fetchRequest
            contents =
                request.objectIDs.map { .deletion(Set($0)) }
                ?? .search(
                    search.entityName, search.predicate, search.sortDescriptors ?? [], limit: search.fetchLimit,
                    offset: search.fetchOffset, includesSubentities: search.includesSubentities)
        default: contents = .code
        }
    }

    /// Whether the other request is a retry of this one.
    ///
    /// - Parameter isNext: whether the store has written nothing in between. If so, an equal request that is another
    ///   object counts as a retry, too.
    package func isSame(as other: BatchOrigin, isNext: Bool) -> Bool {
        guard request === other.request || isNext else { return false }
        switch (contents, other.contents) {
        case (.insertion(let name, let rows), .insertion(let otherName, let otherRows)):
            return name == otherName && rows.count == otherRows.count && NSArray(array: rows).isEqual(to: otherRows)
        case (
            .update(let name, let predicate, let values, let includes),
            .update(let otherName, let otherPredicate, let otherValues, let otherIncludes)
        ):
            return name == otherName && predicate == otherPredicate && includes == otherIncludes
                && NSDictionary(dictionary: values).isEqual(to: otherValues)
        case (.deletion(let ids), .deletion(let otherIDs)): return ids == otherIDs
        case (
            .search(let name, let predicate, let order, let limit, let offset, let includes),
            .search(
                let otherName, let otherPredicate, let otherOrder, let otherLimit, let otherOffset, let otherIncludes)
        ):
            return name == otherName && predicate == otherPredicate && order == otherOrder && limit == otherLimit
                && offset == otherOffset && includes == otherIncludes
        case (.code, .code): return request === other.request
        default: return false
        }
    }
}
