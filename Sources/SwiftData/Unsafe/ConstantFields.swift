// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives constants of an instance the values of its record.

import Foundation
import Synchronization
@_spi(Reflection) import Swift

/// Writes a constant that has an initial value in the class.
///
/// Assumption: the initial value is a stored property at the place that Swift's metadata names, and no code reads it
/// before the initializer for records ends. The compiler may put a literal in the place of a read: there the record's
/// value is not seen. An initial value that is computed, such as `UUID()`, is always read.
enum ConstantFields {
    private struct Field: Hashable {
        let type: ObjectIdentifier
        let name: String
    }

    private static let known = Mutex<[Field: Int?]>([:])

    static func set<Value>(_ value: Value, _ name: String, of object: AnyObject, in type: AnyClass) {
        guard let offset = offset(name, Value.self, in: type) else { return }
        let start = Unmanaged.passUnretained(object).toOpaque()
        (start + offset).assumingMemoryBound(to: Value.self).pointee = value
    }

    /// nil for a class without such a stored property.
    private static func offset<Value>(_ name: String, _ valueType: Value.Type, in type: AnyClass) -> Int? {
        let field = Field(type: ObjectIdentifier(type), name: name)
        if let offset = known.withLock({ $0[field] }) { return offset }
        var found: Int?
        // 1: of a class. Those of superclasses come first.
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { fieldName, offset, fieldType, _ in
            if String(cString: fieldName) == name, fieldType == valueType { found = offset }
            return true
        }
        known.withLock { $0[field] = .some(found) }
        return found
    }
}

/// Gives a constant of an instance the value of its record. Not for direct use.
public nonisolated func _restoreConstant<Model: PersistentModel, Value>(
    _ model: Model, _ type: any PersistentModel.Type, _ name: StaticString, _ value: Value
) {
    ConstantFields.set(value, name.description, of: model, in: type)
}
