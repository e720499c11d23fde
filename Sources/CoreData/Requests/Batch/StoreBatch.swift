// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A batch request for one store, with every name looked up and every value checked.

import CoreDataFoundation
import Foundation

/// The work of a batch request in one store. Goes down once; a `BatchOutcome` comes up once (BatchRequests-1).
package struct StoreBatch {
    package enum Work {
        case insertion(BatchInsertion)
        case update(BatchUpdate)
        case deletion(BatchDeletion)
    }

    package var model: ModelLayout
    package var work: Work
    /// The contents of the program's request, to recognize a retry.
    package var origin: BatchOrigin
    package var wantsIDs = false
    package var author: String?
    package var contextName: String?
}

/// The result of a batch request in one store.
package struct BatchOutcome {
    /// The number of requested and written records.
    package var count = 0
    /// Their ids; empty unless requested.
    package var ids: [NSManagedObjectID] = []
    /// The number of the transaction in the store's history; nil if it recorded nothing.
    package var transactionNumber: Int64?
}

/// A batch request with its result, which a store remembers. Without its work, whose functions retain the coordinator.
package final class ExecutedBatch {
    package let origin: BatchOrigin
    package let wantsIDs: Bool
    package let outcome: BatchOutcome

    init(_ batch: StoreBatch, _ outcome: BatchOutcome) {
        (origin, wantsIDs, self.outcome) = (batch.origin, batch.wantsIDs, outcome)
    }

    init(_ other: ExecutedBatch, _ outcome: BatchOutcome) {
        (origin, wantsIDs, self.outcome) = (other.origin, other.wantsIDs, outcome)
    }
}

/// Records of one entity to insert.
package struct BatchInsertion {
    package struct Row {
        /// Complete: missing values have their defaults. Uniquely referenced.
        package var snapshot: Snapshot
        /// The slots with explicit values; nil for all.
        package var given: SlotSet?
    }

    /// The treatment of a row whose unique values an existing record already has.
    package enum Uniqueness {
        case fails
        /// The record takes the explicit values only, or all attributes.
        case updates(givenAlone: Bool)
        /// The record stays unchanged, and the row is left out.
        case keepsRecord
    }

    package let layout: EntityLayout
    package let uniqueness: Uniqueness
    /// Whether rows may have values for to-one relationships.
    package let mayHaveReferences: Bool
    /// Returns the next row, or nil at the end. Calls code of the program.
    package let next: () throws -> Row?
}

/// New values for all records that a fetch finds.
package struct BatchUpdate {
    package let fetch: BoundFetch
    /// Holds the constants.
    package let constants: Snapshot
    package let constantSlots: SlotSet
    /// Computed for each record, over its values from before the request.
    package let expressions: [Expression]

    package struct Expression {
        package let slot: Int
        package let syntax: ExpressionSyntax
    }

    package var changed: SlotSet {
        var slots = constantSlots
        for expression in expressions { slots.insert(expression.slot) }
        return slots
    }
}

/// Records to delete.
package enum BatchDeletion {
    case matching(BoundFetch)
    /// With permanent keys; some may have no record.
    case records([Reference])
}
