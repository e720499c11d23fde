// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The protocol for reading and writing an object's properties by key.

/// An object with properties that can be read and written by name.
///
/// Outside of Apple's systems `NSObject` has no key-value coding. Key paths, predicates and sort descriptors read the
/// stored properties of any object by reflection, which is slow. A class conforms to this protocol to be read quickly,
/// to provide computed properties, and to be writable by key. Managed objects conform.
public protocol KeyValueCoding: AnyObject {
    /// The value of a property; nil for null.
    func value(forKey key: String) -> Any?
    /// Sets a property; nil sets null.
    func setValue(_ value: Any?, forKey key: String)
}

/// An internal row that is readable by key: rows of a cache, snapshots, unfinished results.
///
/// Checked before `KeyValueCoding` if a type conforms to both.
package protocol KeyValueReadable {
    /// - Throws: `KeyValueError.unknownKey` if there is no such property.
    func storedValue(forKey key: String) throws -> Any?
}

/// The errors of reading and writing by key.
package enum KeyValueError: Error, Equatable, CustomStringConvertible {
    case unknownKey(String, type: String)
    case notACollection(operation: String, type: String)
    case unknownOperator(String, keyPath: String)
    case emptyKeyPath
    case notWritable(String, type: String)
    case notANumber(operation: String, type: String)

    package var description: String {
        switch self {
        case .unknownKey(let key, let type):
            "a value of type \(type) has no property '\(key)' that can be read by name: only stored properties can, "
                + "unless the class conforms to KeyValueCoding"
        case .notACollection(let operation, let type): "\(operation) needs a collection and got a value of type \(type)"
        case .unknownOperator(let name, let path): "'\(name)' in key path '\(path)' is no collection operator"
        case .emptyKeyPath: "a key path is empty, or has an empty key"
        case .notWritable(let key, let type): "property '\(key)' of a value of type \(type) cannot be set"
        case .notANumber(let operation, let type): "\(operation) needs numbers and got a value of type \(type)"
        }
    }
}
