// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A model's reference to its row, and its end. SwiftData-M6.

import CoreData

/// A model's reference to its row, which reads do not count. Not for direct use.
///
/// Assumption: a read of a property retains the model, and the model its row. A save may give the model another row
/// (SwiftData-C7): the former one is new, so reading its values calls no code of the program, except where a value is
/// decoded or a model is made, which retains the row (`ModelRow.retained`). Backing data retains the former row.
public struct _ModelHold: ~Copyable {
    #if OCD_PORTABLE
        /// The row.
        public let _row: ModelRow

        /// Begins with a row; the row learns its model later.
        public nonisolated init(_ row: ModelRow) { _row = row }

        deinit { _row.endHold() }

        /// Reads the row.
        @inlinable @inline(__always) public nonisolated func _reading<Value>(
            _ row: @autoclosure () -> ModelRow, _ body: (ModelRow) -> Value
        ) -> Value { body(_row) }

        /// Sets an initial value, unless the row is that of a record.
        @inlinable @inline(__always) public nonisolated mutating func _initialize(_ body: (ModelRow) -> Void) {
            if _row._isNew { body(_row) }
        }
    #else
        @usableFromInline let reference: Unmanaged<ModelRow>

        /// The row.
        @inlinable public nonisolated var _row: ModelRow { reference._withUnsafeGuaranteedRef { $0 } }

        /// Begins with a row; the row learns its model later.
        public nonisolated init(_ row: ModelRow) { reference = .passRetained(row) }

        deinit {
            let row = reference.takeRetainedValue()
            row.endHold()
        }

        /// Reads the row.
        @inlinable @inline(__always) public nonisolated func _reading<Value>(
            _ row: @autoclosure () -> ModelRow, _ body: (ModelRow) -> Value
        ) -> Value { reference._withUnsafeGuaranteedRef(body) }

        /// Sets an initial value, unless the row is that of a record.
        @inlinable @inline(__always) public nonisolated mutating func _initialize(_ body: (ModelRow) -> Void) {
            reference._withUnsafeGuaranteedRef { if $0._isNew { body($0) } }
        }
    #endif

    /// The row: as `_SubclassValues._settled(_:)`.
    @inlinable @inline(__always) public nonisolated func _settled(_ row: ModelRow) -> ModelRow { _row }

    /// Called at the end of an initializer of the class.
    public nonisolated func _settle(_ model: any PersistentModel, _ row: ModelRow) { row._know(model) }
}

extension ModelRow {
    /// Calls a body that may call code of the program, which may save and give the row's model another row.
    @inline(__always) func retained<Value>(_ body: () -> Value) -> Value {
        let held = Unmanaged.passRetained(self)
        defer { held.release() }
        return body()
    }
}
