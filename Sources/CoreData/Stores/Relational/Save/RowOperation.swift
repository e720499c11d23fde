// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row operations of a save, as values.

/// One step of a save. Positions refer to the change set. Operations on consecutive rows form one step, so a plan of a
/// hundred thousand insertions is as short as a plan of three.
package enum RowOperation: Equatable {
    /// Checks that a row still exists with its version.
    case check(Int)
    /// Removes all links in join tables and one-way columns to the rows of deletions.
    case unlinkAll(Range<Int>)
    case delete(Range<Int>)
    /// Clears the unique columns that an update will write, so that two rows can swap values.
    case park(Int)
    case update(Range<Int>)
    case insert(Range<Int>)
    case unlink(JoinLink)
    case link(JoinLink)
    /// Sets the owner in the member's row, for a to-many relationship without an inverse.
    case own(OneWayLink)
    case disown(OneWayLink)
    case order(OrderedMembers)
}

/// One row of a join table. Rows inserted in the same save have negative keys.
package struct JoinLink: Hashable {
    /// An index into `Schema.joinTables`.
    package var table: Int
    package var owner: Int64
    package var member: Int64
}

package struct OneWayLink: Hashable {
    /// The layout and slot of the to-many relationship.
    package var layout: Int
    package var slot: Int
    package var owner: Int64
    package var member: Int64
}

/// The new order of the members of one object.
package struct OrderedMembers: Equatable {
    package var layout: Int
    package var slot: Int
    package var owner: Int64
    package var members: [Int64]

    /// With permanent keys, without members that have none.
    package func resolved(by keys: AssignedKeys) -> OrderedMembers {
        var result = self
        result.owner = keys.permanent(owner)
        result.members = members.map(keys.permanent).filter { $0 != 0 }
        return result
    }
}

/// A run of operations for one prepared statement.
package enum OperationBatch: Equatable {
    /// Inserts of rows of one entity into one table; positions in `ChangeSet.inserts`.
    case inserts(entity: Int, positions: [Int])
    /// Updates of the same columns of one entity; positions in `ChangeSet.updates`.
    case updates(entity: Int, changed: SlotSet, positions: [Int])
    /// Removal of all links to the rows of deletions of one entity; positions in `ChangeSet.deletes`.
    case unlinkings(entity: Int, positions: [Int])
    case deletes(entity: Int, positions: [Int])
    case single(RowOperation)
}
