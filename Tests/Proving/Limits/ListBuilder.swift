// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds binary property lists that no writer makes: nested, shared and too long ones, and keyed archives of them.

import Foundation

/// The objects of a list, each with its position. References have four bytes.
struct ListBuilder {
    private var bytes = Array("bplist00".utf8)
    private var offsets: [Int] = []

    mutating func add(_ object: [UInt8]) -> Int {
        offsets.append(bytes.count)
        bytes += object
        return offsets.count - 1
    }

    mutating func text(_ text: String) -> Int { add([0x5F, 0x12] + Self.word(text.utf8.count) + Array(text.utf8)) }
    mutating func data(_ data: [UInt8]) -> Int { add([0x4F, 0x12] + Self.word(data.count) + data) }

    /// A reference of an archive to one of its objects.
    mutating func number(_ number: Int) -> Int { add([0x83] + Self.word(number)) }

    mutating func array(_ members: [Int]) -> Int {
        add([0xAF, 0x12] + Self.word(members.count) + members.flatMap(Self.word))
    }

    mutating func dictionary(_ entries: [(key: Int, value: Int)]) -> Int {
        let parts = entries.map(\.key) + entries.map(\.value)
        return add([0xDF, 0x12] + Self.word(entries.count) + parts.flatMap(Self.word))
    }

    /// A collection, text or data that claims more contents than the file has, in eight bytes.
    mutating func claiming(_ kind: UInt8, _ count: UInt64) -> Int {
        add([kind << 4 | 15, 0x13] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    }

    private static func word(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// - Parameter count: the number of objects that the trailer claims; nil for the right one.
    func list(root: Int, count: UInt64? = nil) -> Data {
        var output = bytes
        for offset in offsets { output += Self.word(offset) }
        output += [0, 0, 0, 0, 0, 0, 4, 4]
        for value in [count ?? UInt64(offsets.count), UInt64(root), UInt64(bytes.count)] {
            output += (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return Data(output)
    }

    // MARK: Lists

    /// Arrays within arrays, each of which has the next one as member so many times.
    static func nested(_ levels: Int, times: Int = 1) -> Data {
        var builder = ListBuilder()
        var last = builder.text("x")
        for _ in 0..<levels { last = builder.array(Array(repeating: last, count: times)) }
        return builder.list(root: last)
    }

    /// An array with one long text, or long data, many times.
    static func shared(_ size: Int, times: Int, isText: Bool) -> Data {
        var builder = ListBuilder()
        let long = Array(repeating: UInt8(ascii: "x"), count: size)
        let leaf = isText ? builder.text(String(decoding: long, as: UTF8.self)) : builder.data(long)
        let root = builder.array(Array(repeating: leaf, count: times))
        return builder.list(root: root)
    }

    static func claiming(_ kind: UInt8, _ count: UInt64) -> Data {
        var builder = ListBuilder()
        let root = builder.claiming(kind, count)
        return builder.list(root: root)
    }

    static func trailer(claiming count: UInt64) -> Data {
        var builder = ListBuilder()
        let root = builder.array([])
        return builder.list(root: root, count: count)
    }

    // MARK: Archives

    /// Archived arrays within arrays, each of which refers to the next one so many times.
    static func archive(_ levels: Int, times: Int = 1) -> Data {
        archive(levels, "NSArray") { builder, next in
            [("NS.objects", builder.array(Array(repeating: next, count: times)))]
        }
    }

    /// Archived compound predicates within one another.
    static func predicate(_ levels: Int) -> Data {
        archive(levels, "NSCompoundPredicate") { builder, next in
            [("NSSubpredicates", builder.array([next])), ("NSCompoundPredicateType", builder.add([0x10, 1]))]
        }
    }

    /// An archive of objects of one class, each of which refers to the next one, and the last to a text.
    ///
    /// - Parameter fields: the fields of an object, with the reference to the next one.
    private static func archive(
        _ levels: Int, _ name: String, _ fields: (inout ListBuilder, _ next: Int) -> [(String, Int)]
    ) -> Data {
        var builder = ListBuilder()
        var objects = [builder.text("$null")]
        let (typeKey, type) = (builder.text("$class"), builder.number(levels + 2))
        for level in 0..<levels {
            let next = builder.number(level + 2)
            let entries = fields(&builder, next).map { (key: builder.text($0), value: $1) }
            objects.append(builder.dictionary(entries + [(typeKey, type)]))
        }
        objects.append(builder.text("x"))
        let names = builder.array([builder.text(name), builder.text("NSObject")])
        objects.append(
            builder.dictionary([(builder.text("$classname"), builder.text(name)), (builder.text("$classes"), names)]))
        let entries: [(key: String, value: Int)] = [
            ("$version", builder.add([0x12, 0, 1, 0x86, 0xA0])), ("$archiver", builder.text("NSKeyedArchiver")),
            ("$top", builder.dictionary([(builder.text("root"), builder.number(1))])),
            ("$objects", builder.array(objects)),
        ]
        let root = builder.dictionary(entries.map { (builder.text($0.key), $0.value) })
        return builder.list(root: root)
    }
}
