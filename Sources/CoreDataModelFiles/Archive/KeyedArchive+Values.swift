// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the plain values of a keyed archive: text, numbers, dates, data and collections of them.

import Foundation

extension KeyedArchive {
    private static let maximumDepth = 64

    /// A plain value; nil for an object of any other class.
    func value(_ node: PropertyListNode?) throws -> PropertyListValue? {
        try value(node, depth: 0)
    }

    private func value(_ node: PropertyListNode?, depth: Int) throws -> PropertyListValue? {
        guard depth < Self.maximumDepth else { throw KeyedArchive.damaged("its values are nested without end") }
        switch try resolve(node) {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let data): return .data(data)
        case .string(let text): return .string(text)
        case .reference: throw KeyedArchive.damaged("a reference leads to a reference")
        case .array(let members):
            return .array(try members.compactMap { try value($0, depth: depth + 1) })
        case .dictionary:
            guard case .reference? = node, let object = try object(node) else {
                throw KeyedArchive.damaged("a dictionary without class stands where a value belongs")
            }
            return try value(of: object, depth: depth)
        }
    }

    private func value(of object: Object, depth: Int) throws -> PropertyListValue? {
        switch object.className {
        case "NSString", "NSMutableString", "NSLocalizableString": return .string(try text(of: object))
        case "NSData", "NSMutableData": return try bytes(object, "NS.data").map(PropertyListValue.data)
        case "NSDate":
            guard let seconds = try number(object, "NS.time") else { throw wrong(object, "NS.time", "a number") }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case "NSUUID":
            guard let bytes = try bytes(object, "NS.uuidbytes"), bytes.count == 16 else {
                throw wrong(object, "NS.uuidbytes", "16 bytes")
            }
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case "NSURL": return try url(of: object, depth: depth)
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return .decimal(try decimal(of: object))
        case "NSNull": return .null
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            return .array(try members(of: object).compactMap { try value($0, depth: depth + 1) })
        case "NSDictionary", "NSMutableDictionary", "NSKnownKeysDictionary1", "NSKnownKeysDictionary2":
            var dictionary: [String: PropertyListValue] = [:]
            for (key, member) in try entries(of: object) { dictionary[key] = try value(member, depth: depth + 1) }
            return .dictionary(dictionary)
        default: return nil
        }
    }

    func text(of object: Object) throws -> String {
        if case .string(let text)? = object.fields["NS.string"] { return text }
        if let bytes = try bytes(object, "NS.bytes") { return String(decoding: bytes, as: UTF8.self) }
        throw wrong(object, "NS.string", "text")
    }

    private func bytes(_ object: Object, _ key: String) throws -> Data? {
        switch try resolve(object.fields[key]) {
        case .null: return nil
        case .data(let data): return data
        default: throw wrong(object, key, "bytes")
        }
    }

    private func number(_ object: Object, _ key: String) throws -> Double? {
        switch try resolve(object.fields[key]) {
        case .real(let number), .date(let number): return number
        case .integer(let number): return Double(number)
        default: return nil
        }
    }

    private func url(of object: Object, depth: Int) throws -> PropertyListValue? {
        guard let relative = try text(object.fields["NS.relative"]) else {
            throw wrong(object, "NS.relative", "text")
        }
        var base: URL?
        if case .url(let url)? = try value(object.fields["NS.base"], depth: depth + 1) { base = url }
        guard let url = URL(string: relative, relativeTo: base) else {
            throw wrong(object, "NS.relative", "an address")
        }
        return .url(url.absoluteURL)
    }

    /// Up to eight digits in base 65536, in the byte order of the archive (1 little-endian, 2 big-endian).
    private func decimal(of object: Object) throws -> Decimal {
        let length = try integer(object, "NS.length") ?? 0
        let exponent = try integer(object, "NS.exponent") ?? 0
        let mantissa = [UInt8](try bytes(object, "NS.mantissa") ?? Data())
        let isNegative = try flag(object, "NS.negative")
        guard (0...8).contains(length), mantissa.count >= length * 2, (-128...127).contains(exponent) else {
            throw wrong(object, "NS.mantissa", "a decimal number")
        }
        if length == 0 { return isNegative ? .nan : 0 }
        let isBigEndian = try integer(object, "NS.mantissa.bo") == 2
        var significand = Decimal(0)
        for position in stride(from: length - 1, through: 0, by: -1) {
            let (first, second) = (UInt16(mantissa[position * 2]), UInt16(mantissa[position * 2 + 1]))
            let digit = isBigEndian ? first << 8 | second : second << 8 | first
            significand = significand * 65536 + Decimal(Int(digit))
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }
}
