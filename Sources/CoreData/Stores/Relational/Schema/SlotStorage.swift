// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The storage of each slot: its columns or links.

import Foundation

package struct CompositeLeaf {
    /// The names of nested elements, from the composite attribute inwards.
    package var path: [String]
    package var column: AttributeColumn
}

package struct ToOneColumns {
    package var key: String
    /// The column with the destination's entity number; nil if the destination has no subentities.
    package var entity: String?
}

/// The storage of a to-many relationship's members.
package enum ToManyStorage {
    /// Members are the rows of `table` with the owner's key in `column`.
    case column(String, order: String?, table: EntityTable)
    case join(JoinTable, isOwner: Bool)
}

/// The storage of a slot.
package enum SlotStorage {
    case none
    case attribute(AttributeColumn)
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    case toMany(ToManyStorage)

    /// The columns that may name files of large data.
    package var externalColumns: [String] {
        let columns: [AttributeColumn] =
            switch self {
            case .attribute(let column): [column]
            case .composite(let leaves): leaves.map(\.column)
            case .none, .toOne, .toMany: []
            }
        return columns.filter { if case .externalBinary = $0.coding { true } else { false } }.map(\.name)
    }
}
