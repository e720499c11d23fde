// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds Foundation's values and collections to the object table of a keyed archive.

import Foundation

extension KeyedArchiveBuilder {
    /// The node of a value; nil if `ArchivedValue` does not read it back.
    mutating func object(of value: Any, depth: Int) -> PropertyListNode? {
        guard depth < ArchivedValue.maximumDepth else { return nil }
        if let plain = Self.plain(value) { return self.value(plain) }
        switch value {
        case let set as NSOrderedSet:
            guard let members = objects(of: set.array, depth) else { return nil }
            let fields = members.enumerated().map { ("NS.object.\($0.offset)", $0.element) }
            return object("NSOrderedSet", Dictionary(uniqueKeysWithValues: fields))
        case let set as NSSet: return objects(of: set.allObjects, depth).map { array($0, className: "NSSet") }
        case let set as Set<AnyHashable>:
            return objects(of: set.map(\.base), depth).map { array($0, className: "NSSet") }
        case let list as [Any]: return objects(of: list, depth).map { array($0) }
        case let table as NSDictionary: return dictionary(of: table, depth)
        case let table as [AnyHashable: Any]: return dictionary(of: NSDictionary(dictionary: table), depth)
        default: return nil
        }
    }

    private mutating func objects(of members: [Any], _ depth: Int) -> [PropertyListNode]? {
        var nodes: [PropertyListNode] = []
        for member in members {
            guard let node = object(of: member, depth: depth + 1) else { return nil }
            nodes.append(node)
        }
        return nodes
    }

    private mutating func dictionary(of table: NSDictionary, _ depth: Int) -> PropertyListNode? {
        guard let keys = table.allKeys as? [String] else { return nil }
        var entries: [(key: String, value: PropertyListNode)] = []
        for key in keys.sorted() {
            guard let member = table.object(forKey: key), let node = object(of: member, depth: depth + 1) else {
                return nil
            }
            entries.append((key, node))
        }
        return dictionary(entries, className: "NSDictionary")
    }

    /// A value without members; nil for any other.
    private static func plain(_ value: Any) -> PropertyListValue? {
        // A cast converts Foundation's numbers to Swift's, and true to 1.
        if type(of: value) == Bool.self, let flag = value as? Bool { return .boolean(flag) }
        switch value {
        case is NSNull: return .null
        case let text as String: return .string(text)
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        case let uuid as UUID: return .uuid(uuid)
        case let url as URL: return .url(url)
        case let number as NSDecimalNumber: return .decimal(number.decimalValue)
        case let number as Decimal: return .decimal(number)
        case let number as NSNumber: return plain(number)
        default: return nil
        }
    }

    private static func plain(_ number: NSNumber) -> PropertyListValue? {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // "c" is the type code of Booleans outside of Apple's systems.
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): nil
        default: .integer(number.int64Value)
        }
    }
}
