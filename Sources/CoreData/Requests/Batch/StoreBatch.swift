// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A batch request as one store gets it: every name looked up, every value checked.

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
    /// What the program asked for.
    package var origin: BatchOrigin
    package var wantsIDs = false
    package var author: String?
    package var contextName: String?
}

/// The result of a batch request in one store.
package struct BatchOutcome {
    /// The number of records that were asked for and written.
    package var count = 0
    /// Their ids; empty unless they were wanted.
    package var ids: [NSManagedObjectID] = []
    /// That of the history; nil if it recorded nothing.
    package var transactionNumber: Int64?
}

/// A batch request over rows with the result that it has once its rows are saved.
package final class ExecutedBatch {
    package let batch: StoreBatch
    package let outcome: BatchOutcome

    init(_ batch: StoreBatch, _ outcome: BatchOutcome) { (self.batch, self.outcome) = (batch, outcome) }
}

/// Records of one entity to insert.
package struct BatchInsertion {
    package struct Row {
        /// Complete: values that were not given have their defaults. Nobody else holds it.
        package var snapshot: Snapshot
        /// The slots that were given; nil: all.
        package var given: SlotSet?
    }

    /// The treatment of a row when a record has its unique values.
    package enum Uniqueness {
        case fails
        /// The record takes the values that were given; or all attributes.
        case updates(givenAlone: Bool)
        /// The record stays, and the row is left out.
        case keepsRecord
    }

    package let layout: EntityLayout
    package let uniqueness: Uniqueness
    /// Whether rows may have to-ones.
    package let mayHaveReferences: Bool
    /// The next row; nil at the end. Calls code of the program.
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
