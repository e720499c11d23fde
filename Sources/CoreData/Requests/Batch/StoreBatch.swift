// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A batch request as one store gets it: every name looked up, every value checked.

import CoreDataFoundation
import Foundation

/// The work of a batch request in one store. Goes down once; a `BatchOutcome` comes up once (BatchRequests-1).
struct StoreBatch {
    enum Work {
        case insertion(BatchInsertion)
        case update(BatchUpdate)
        case deletion(BatchDeletion)
    }

    var model: ModelLayout
    var work: Work
    var wantsIDs = false
    var author: String?
    var contextName: String?
}

/// The result of a batch request in one store.
struct BatchOutcome {
    /// The number of records that were asked for and written.
    var count = 0
    /// Their ids; empty unless they were wanted.
    var ids: [NSManagedObjectID] = []
    /// That of the history; nil if it recorded nothing.
    var transactionNumber: Int64?
}

/// Records of one entity to insert.
struct BatchInsertion {
    struct Row {
        /// Complete: values that were not given have their defaults. Nobody else holds it.
        var snapshot: Snapshot
        /// The slots that were given; nil: all.
        var given: SlotSet?
    }

    /// The treatment of a row when a record has its unique values.
    enum Uniqueness {
        case fails
        /// The record takes the values that were given; or all attributes.
        case updates(givenAlone: Bool)
        /// The record stays, and the row is left out.
        case keepsRecord
    }

    let layout: EntityLayout
    let uniqueness: Uniqueness
    /// Whether rows may have to-ones.
    let mayHaveReferences: Bool
    /// The next row; nil at the end. Calls code of the program.
    let next: () throws -> Row?
}

/// New values for all records that a fetch finds.
struct BatchUpdate {
    let fetch: BoundFetch
    /// Holds the constants.
    let constants: Snapshot
    let constantSlots: SlotSet
    /// Computed for each record, over its values from before the request.
    let expressions: [Expression]

    struct Expression {
        let slot: Int
        let syntax: ExpressionSyntax
    }

    var changed: SlotSet {
        var slots = constantSlots
        for expression in expressions { slots.insert(expression.slot) }
        return slots
    }
}

/// Records to delete.
enum BatchDeletion {
    case matching(BoundFetch)
    /// With permanent keys; some may have no record.
    case records([Reference])
}
