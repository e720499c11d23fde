// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes the keyed archives of transformable attributes, as Foundation collections.

package import Foundation

/// Reads and writes keyed archives of property list values, sets, UUIDs, URLs and decimals. Looks up no other classes,
/// and instantiates none.
package enum ArchivedValue {
    static let maximumDepth = 64

    /// The archived value; nil for an archived nil.
    ///
    /// - Throws: `ModelFileError` if the data is not a keyed archive, or contains an object of any other class.
    package static func decode(_ data: Data) throws -> Any? {
        let archive = try KeyedArchive(data)
        guard let root = try archive.rootNode() else { return nil }
        return try value(root, archive, 0)
    }

    /// The class name of the root object, for display; nil if the data is not a keyed archive.
    package static func className(_ data: Data) -> String? { try? KeyedArchive(data).root().className }

    /// The keyed archive of a value. Each number is a separate object, so 1, 1.0 and true keep their types;
    /// Foundation's archiver makes one object of them.
    ///
    /// - Returns: nil if `decode` would not read the value: for an object of another class, keys that are no texts, a
    ///   number beyond 64 bits, and collections that are nested too deeply.
    package static func encode(_ value: Any) -> Data? {
        var builder = KeyedArchiveBuilder()
        guard let root = builder.object(of: value, depth: 0) else { return nil }
        return builder.data(root: root)
    }

    private static func value(_ node: PropertyListNode, _ archive: KeyedArchive, _ depth: Int) throws -> Any? {
        guard depth < maximumDepth else { throw KeyedArchive.damaged("its values are nested without end") }
        let resolved = try archive.resolve(node)
        guard case .dictionary = resolved, let object = try archive.object(node) else {
            return try archive.value(node)?.foundationValue
        }
        func members() throws -> [Any] {
            try archive.members(of: object).map { try value($0, archive, depth + 1) ?? NSNull() }
        }
        switch object.className {
        case "NSArray", "NSMutableArray": return NSArray(array: try members())
        case "NSSet", "NSMutableSet": return NSSet(array: HashableDecimal.members(try members()))
        case "NSOrderedSet", "NSMutableOrderedSet": return NSOrderedSet(array: HashableDecimal.members(try members()))
        case "NSDictionary", "NSMutableDictionary":
            let result = NSMutableDictionary()
            for (key, member) in try archive.entries(of: object) {
                result.setObject(try value(member, archive, depth + 1) ?? NSNull(), forKey: key as NSString)
            }
            return result.copy()
        default:
            guard let plain = try archive.value(node) else {
                throw ModelFileError(
                    .malformedArchive,
                    "The archive holds an object of the class '\(object.className)', which is not decoded.")
            }
            return plain.foundationValue
        }
    }
}

extension PropertyListValue {
    /// The value as a Foundation object: numbers as `NSNumber`, null as nil.
    package var foundationValue: Any? {
        switch self {
        case .string(let value): value
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .boolean(let value): NSNumber(value: value)
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .array(let values): values.map { $0.foundationValue ?? NSNull() }
        case .dictionary(let values): values.mapValues { $0.foundationValue ?? NSNull() }
        case .null: nil
        }
    }
}
