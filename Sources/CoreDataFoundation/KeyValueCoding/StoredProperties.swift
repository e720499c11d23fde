// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads stored properties of objects without key-value coding, by reflection.

/// The stored properties of a class instance, by name.
///
/// On Apple's systems every `NSObject` has key-value coding, so programs use plain classes in predicates and sort
/// descriptors. Reflection finds only stored properties: a computed one requires `KeyValueCoding`.
enum StoredProperties {
    /// - Returns: nil if the class and its superclasses store no such property, or the value is not a class instance.
    ///   The outer optional distinguishes this from a property with the value nil.
    static func value(named key: String, of object: Any) -> Any?? {
        guard type(of: object) is AnyClass else { return nil }
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            for child in level.children {
                if child.label == key { return .some(presentValue(child.value)) }
                // A lazy property has no value before its first use. Reading its storage does not create one.
                if child.label == "$__lazy_storage_$_\(key)" { return .some(presentValue(child.value)) }
            }
            mirror = level.superclassMirror
        }
        return nil
    }
}
