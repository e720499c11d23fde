// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values by key path, as expansions of other macros read and write them.

import Foundation

extension PersistentModel {
    /// The value of a property.
    public nonisolated func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { self[keyPath: keyPath] }

    /// The value of a property with a transformer.
    public nonisolated func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
        self[keyPath: keyPath]
    }

    /// Sets a property. Traps for a key path that cannot be written.
    public nonisolated func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        guard let path = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
            preconditionFailure("\(keyPath) cannot be written: the property is a constant, or computed.")
        }
        self[keyPath: path] = newValue
    }

    /// Sets a property with a transformer. Traps for a key path that cannot be written.
    public nonisolated func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
        setValue(forKey: keyPath, to: newValue)
    }
}
