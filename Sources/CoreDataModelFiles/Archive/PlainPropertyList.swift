// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the small property lists next to models, binary or XML.

import Foundation

enum PlainPropertyList {
    /// - Throws: `malformedPropertyList` if the data is not a property list with a dictionary at its root.
    static func dictionary(from data: Data) throws -> [String: PropertyListNode] {
        let node: PropertyListNode?
        if BinaryPropertyListReader.isBinary(data) {
            node = try BinaryPropertyListReader.read(data)
        } else {
            let value = try? PropertyListBounds.values(of: data)
            node = value.flatMap { convert($0, depth: 0) }
        }
        guard case .dictionary(let fields)? = node else {
            throw ModelFileError(.malformedPropertyList, "The file is not a property list with a dictionary.")
        }
        return fields
    }

    /// Converts the values used in these property lists; nil for others.
    private static func convert(_ value: Any, depth: Int) -> PropertyListNode? {
        guard depth < 32 else { return nil }
        switch value {
        case let text as String: return .string(text)
        case let data as Data: return .data(data)
        case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
        case let members as [Any]: return .array(members.compactMap { convert($0, depth: depth + 1) })
        case let fields as [String: Any]:
            return .dictionary(fields.compactMapValues { convert($0, depth: depth + 1) })
        case let number as NSNumber: return .real(number.doubleValue)
        default: return nil
        }
    }
}
