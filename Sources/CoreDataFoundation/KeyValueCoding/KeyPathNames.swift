// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives the key string that a typed key path stands for.

/// A class whose typed key paths have names. Without Objective-C a key path itself does not know its properties' names.
package protocol KeyPathRoot {
    /// - Parameter path: a key path from this class.
    /// - Returns: a string such as "department.name"; nil for a key path without a name. Any thread may ask.
    static func keyPathName(_ path: AnyKeyPath) -> String?
}

package enum KeyPathNames {
    package static func name(of keyPath: AnyKeyPath) -> String? {
        (type(of: keyPath).rootType as? any KeyPathRoot.Type)?.keyPathName(keyPath)
    }
}

/// A typed key path that is followed by its names where these are known.
///
/// A getter of a property that is declared as never nil traps where the value is missing. Reading by name gives nil.
struct NamedPath: Hashable {
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

extension KeyValueCoding {
    /// Makes a key path of a `NamedPath`, for sort descriptors of Foundation's, which read nothing else.
    subscript(named path: NamedPath) -> Any? { path.value(of: self) }
}
