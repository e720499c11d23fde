// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A model's reference to its row, and its end. SwiftData-M6.

import CoreData

/// A model's reference to its row. Not for direct use.
public struct _ModelHold: ~Copyable {
    /// The row.
    public let _row: ModelRow

    /// Begins with a row; the row learns its model later.
    public nonisolated init(_ row: ModelRow) { _row = row }

    deinit { _row.endHold() }

    /// Sets an initial value, unless the row is that of a record.
    @inlinable @inline(__always) public nonisolated mutating func _initialize(_ body: (ModelRow) -> Void) {
        if _row._isNew { body(_row) }
    }

    /// The row: as `_SubclassValues._settled(_:)`.
    @inlinable @inline(__always) public nonisolated func _settled(_ row: ModelRow) -> ModelRow { _row }

    /// Called at the end of an initializer of the class.
    public nonisolated func _settle(_ model: any PersistentModel, _ row: ModelRow) { _row._know(model) }
}
