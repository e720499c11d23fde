// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Returns the key path string for a typed key path.

/// A class with named key paths. Without Objective-C a key path does not know the names of its properties.
package protocol KeyPathRoot {
    /// - Parameter path: a key path from this class.
    /// - Returns: a string such as "department.name"; nil for a key path without a name. Thread-safe.
    static func keyPathName(_ path: AnyKeyPath) -> String?
}

package enum KeyPathNames {
    package static func name(of keyPath: AnyKeyPath) -> String? {
        (type(of: keyPath).rootType as? any KeyPathRoot.Type)?.keyPathName(keyPath)
    }
}

/// A typed key path that is read by its names if they are known.
///
/// The getter of a property declared as non-optional traps if the value is missing. Reading by name returns nil.
struct NamedPath {
    let path: AnyKeyPath

    func value(of object: Any) -> Any? {
        guard let name = KeyPathNames.name(of: path), let value = try? value(atKeyPath: name, of: object) else {
            return presentValue(object[keyPath: path])
        }
        return value
    }

    private func value(atKeyPath name: String, of object: Any) throws -> Any?? {
        .some(try CoreDataFoundation.value(atKeyPath: name, of: object))
    }
}
