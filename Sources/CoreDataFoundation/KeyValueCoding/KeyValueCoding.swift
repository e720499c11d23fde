// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What an object has to answer to be read and written by key.

/// An object whose properties are read and written by name.
///
/// Off Apple's systems `NSObject` has no key-value coding. Key paths, predicates and sort descriptors read the stored
/// properties of any object by reflection, which is slow. A class conforms to this protocol to be read quickly, to give
/// computed properties, and to be written by key. Managed objects conform.
public protocol KeyValueCoding: AnyObject {
    /// The value of a property; nil where it has none.
    func value(forKey key: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
}

/// A row seen by key that is no object of the user's: rows of a cache, snapshots, results in the making.
///
/// Asked before `KeyValueCoding` where a type is both.
package protocol KeyValueReadable {
    /// - Throws: `KeyValueError.unknownKey` where there is no such property.
    func storedValue(forKey key: String) throws -> Any?
}

/// What goes wrong when values are reached by key.
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
