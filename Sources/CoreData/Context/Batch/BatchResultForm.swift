// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The form of a batch request's result: a status, the ids of the records, or their number.

import Foundation

/// The requested form of a batch request's result.
enum BatchResultForm {
    case status, ids, count

    /// The result of one store.
    func result(_ outcome: BatchOutcome) -> Any {
        switch self {
        case .status: NSNumber(value: true)
        case .ids: outcome.ids
        case .count: NSNumber(value: outcome.count)
        }
    }

    /// The combined result of all stores.
    ///
    /// - Throws: 134060 if a custom store returned a value of another class.
    func joined(_ results: [Any]) throws -> Any {
        switch self {
        case .status: return NSNumber(value: true)
        case .ids:
            var ids: [NSManagedObjectID] = []
            for result in results {
                guard let more = result as? [NSManagedObjectID] else { throw wrong(result, "the ids of the records") }
                ids += more
            }
            return ids
        case .count:
            var count = 0
            for result in results {
                if let ids = result as? [NSManagedObjectID] {
                    count += ids.count
                } else if let number = AttributeValues.number(result) {
                    count += number.intValue
                } else {
                    throw wrong(result, "a number of records")
                }
            }
            return NSNumber(value: count)
        }
    }

    /// The number of records in a result; 0 for a status, which counts none.
    func count(_ result: Any) -> Int {
        switch self {
        case .status: 0
        case .ids: (result as? [NSManagedObjectID])?.count ?? 0
        case .count: AttributeValues.number(result)?.intValue ?? 0
        }
    }

    private func wrong(_ result: Any, _ expected: String) -> NSError {
        CoreDataError.storeOperation(
            "A store answered a batch request with a \(type(of: result)) where \(expected) is expected.")
    }
}
