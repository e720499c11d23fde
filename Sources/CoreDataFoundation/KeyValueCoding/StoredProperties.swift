// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads stored properties of objects that have no key-value coding.

/// The stored properties of an instance of a class, by name, as reflection sees them.
///
/// On Apple's systems every `NSObject` has key-value coding, so predicates and sort descriptors of applications ask plain
/// classes. Reflection knows stored properties alone: a computed one needs `KeyValueCoding`.
enum StoredProperties {
    /// - Returns: nil where the class, with its superclasses, stores no such property, and for a value of another type
    ///   than a class; the outer optional tells this from a property that is nil.
    static func value(named key: String, of object: Any) -> Any?? {
        guard type(of: object) is AnyClass else { return nil }
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            for child in level.children {
                if child.label == key { return .some(presentValue(child.value)) }
                // Before its first use a lazy property has no value. Reading the storage does not make one.
                if child.label == "$__lazy_storage_$_\(key)" { return .some(presentValue(child.value)) }
            }
            mirror = level.superclassMirror
        }
        return nil
    }
}
