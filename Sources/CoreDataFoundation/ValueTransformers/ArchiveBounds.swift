// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses keyed archives that would keep Foundation busy without end, or overflow the stack.

import Foundation

/// Foundation unfolds a binary property list into a tree, and decodes a keyed archive by recursion. Objects may be
/// referred to repeatedly, so that 300 bytes can describe a tree with more values than any memory holds.
struct ArchiveBounds {
    /// The same limit as that of `PropertyListBounds`.
    static func mostValues(_ size: Int) -> Int { 100_000 + max(2 * size, min(64 * size, 2_000_000)) }
    private static let mostLevels = 512
    /// Of the list itself. The objects of an archive are in a table, whatever their depth.
    private static let mostListLevels = 64

    let bytes: [UInt8]
    let offsets: [Int]
    private let referenceSize: Int
    private let top: Int
    private let limit: Int

    /// Whether decoding takes time in proportion to the size of the data, and a bounded depth of calls.
    static func allow(_ data: Data) -> Bool {
        guard data.starts(with: Array("bplist".utf8)) else { return allowText(data) }
        guard let list = ArchiveBounds(data) else { return false }
        var sizes: [Int: Int] = [:]
        guard list.size(of: list.top, 0, &sizes) != nil else { return false }
        return list.hasBoundedDepth && list.hasBoundedCollections && list.hashesNoDecimals && list.isWellFormed
    }

    /// Data that is no binary property list is left to Foundation, which bounds its XML reader itself. Its result is
    /// examined in binary form.
    private static func allowText(_ data: Data) -> Bool {
        guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
            let binary = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        else { return true }
        return allow(binary)
    }

    /// nil for a damaged list.
    private init?(_ data: Data) {
        bytes = Array(data)
        guard bytes.count >= 40 else { return nil }
        let trailer = bytes.count - 32
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.integer(bytes, trailer + 8, 8), let top = Self.integer(bytes, trailer + 16, 8),
            let table = Self.integer(bytes, trailer + 24, 8), count > 0, top < count, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { return nil }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = Self.integer(bytes, table + index * offsetSize, offsetSize), offset < table else {
                return nil
            }
            offsets.append(offset)
        }
        self.offsets = offsets
        self.referenceSize = referenceSize
        self.top = top
        limit = Self.mostValues(bytes.count)
    }

    static func integer(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        guard start >= 0, start + size <= bytes.count else { return nil }
        var value: UInt64 = 0
        for byte in bytes[start..<start + size] { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }

    /// The start of an object's contents, and the number of units; nil for a damaged one.
    func contents(_ index: Int) -> (start: Int, count: Int)? {
        let start = offsets[index] + 1
        let count = Int(bytes[offsets[index]] & 15)
        if count < 15 { return (start, count) }
        guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else { return nil }
        let size = 1 << Int(bytes[start] & 15)
        return Self.integer(bytes, start + 1, size).map { (start + 1 + size, $0) }
    }

    /// The objects that a collection refers to, keys of a dictionary before its values; nil for a damaged one, for a
    /// set, and for keys that are no text. Property lists contain none of these, and Foundation traps on some.
    func members(_ index: Int) -> (kind: UInt8, references: [Int])? {
        let kind = bytes[offsets[index]] >> 4
        guard (0xA...0xD).contains(kind) else { return (kind, []) }
        guard kind == 0xA || kind == 0xD, let contents = contents(index) else { return nil }
        let start = contents.start
        var count = contents.count
        guard count <= bytes.count / referenceSize else { return nil }
        if kind == 0xD { count *= 2 }
        guard start + count * referenceSize <= bytes.count else { return nil }
        var references: [Int] = []
        references.reserveCapacity(count)
        for position in 0..<count {
            guard let reference = Self.integer(bytes, start + position * referenceSize, referenceSize),
                reference < offsets.count
            else { return nil }
            references.append(reference)
        }
        if kind == 0xD {
            let keys = references.prefix(count / 2)
            guard keys.allSatisfy({ [5, 6].contains(bytes[offsets[$0]] >> 4) }) else { return nil }
        }
        return (kind, references)
    }

    /// The number of values in the unfolded tree; nil above the limit, for a cycle, and for damaged collections.
    private func size(of index: Int, _ depth: Int, _ sizes: inout [Int: Int]) -> Int? {
        if let known = sizes[index] { return known < 0 ? nil : known }
        guard depth < Self.mostListLevels, let members = members(index) else { return nil }
        // Marks the object: a reference to itself is a cycle.
        sizes[index] = -1
        var total = 1
        // Foundation copies texts and data for each reference.
        if (4...6).contains(members.kind) { total += min(contents(index)?.count ?? 0, bytes.count) / 32 }
        for member in members.references {
            guard let size = size(of: member, depth + 1, &sizes) else { return nil }
            total += size
            if total > limit { return nil }
        }
        sizes[index] = total
        return total
    }

    // MARK: The archive in the list

    /// Whether decoding each object of an archive once takes a bounded number of levels, and none refers to itself:
    /// Foundation knows an object only when it is decoded, and decodes it again within itself without end.
    private var hasBoundedDepth: Bool {
        guard let objects = value("$objects"), let list = members(objects)?.references, let start = value("$top") else {
            return true
        }
        enum Step { case begin(Int, level: Int), end(Int) }
        var isOpen = Array(repeating: false, count: list.count)
        var isDone = isOpen
        // Depth first, in the order in which Foundation decodes.
        var steps = numbers(in: start).reversed().map { Step.begin($0, level: 1) }
        while let step = steps.popLast() {
            switch step {
            case .end(let number): (isOpen[number], isDone[number]) = (false, true)
            case .begin(let number, let level):
                guard number < list.count, !isDone[number] else { continue }
                if isOpen[number] || level > Self.mostLevels { return false }
                isOpen[number] = true
                steps.append(.end(number))
                steps += numbers(in: list[number]).reversed().map { .begin($0, level: level + 1) }
            }
        }
        return true
    }

    /// Whether collections of collections unfold to a bounded number of values. Foundation converts each member to a
    /// Swift value, which copies a shared collection for each reference to it.
    private var hasBoundedCollections: Bool {
        guard let objects = value("$objects"), let list = members(objects)?.references else { return true }
        var sizes: [Int: Int] = [:]
        return list.indices.allSatisfy { size(ofArchived: $0, in: list, 0, &sizes) != nil }
    }

    /// The number of values of an archived object, unfolded; 1 for an object that is no collection.
    private func size(ofArchived number: Int, in list: [Int], _ depth: Int, _ sizes: inout [Int: Int]) -> Int? {
        guard number < list.count else { return 1 }
        if let known = sizes[number] { return known < 0 ? nil : known }
        guard depth <= Self.mostLevels, let entries = members(list[number]) else { return nil }
        let half = entries.references.count / 2
        let keys = entries.references[..<half]
        guard entries.kind == 0xD, keys.contains(where: { isText($0, "NS.object", isStart: true) }) else {
            sizes[number] = 1
            return 1
        }
        // Marks the collection: a reference to itself is a cycle.
        sizes[number] = -1
        var total = 1
        for member in numbers(in: list[number]) {
            guard let size = size(ofArchived: member, in: list, depth + 1, &sizes) else { return nil }
            total += size
            if total > limit { return nil }
        }
        sizes[number] = total
        return total
    }

    /// Whether no set has a decimal as member, and no dictionary one as key. Foundation on Linux hashes them, and
    /// `NSDecimalNumber.hash` recurses until the stack overflows.
    private var hashesNoDecimals: Bool {
        guard let objects = value("$objects"), let list = members(objects)?.references else { return true }
        var classes: [Int: Set<String>] = [:]
        let isDecimal = list.map { object in
            classNames(object, list, &classes).contains { $0.contains("NSDecimalNumber") }
        }
        return list.allSatisfy { object in
            let names = classNames(object, list, &classes)
            let isHashed = { (number: Int) in number < list.count && isDecimal[number] }
            if numbers(in: object, behind: "NS.key").contains(where: isHashed) { return false }
            return names.isSubset(of: Self.unhashed)
                || !numbers(in: object, behind: "NS.object").contains(where: isHashed)
        }
    }

    /// Classes of collections that hash no members, with their ancestors.
    private static let unhashed: Set<String> = [
        "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSObject",
    ]

    /// The numbers in the values of an archived object's keys that begin with a text.
    private func numbers(in object: Int, behind key: String) -> [Int] {
        guard let entries = members(object), entries.kind == 0xD else { return [] }
        let half = entries.references.count / 2
        return (0..<half).filter { isText(entries.references[$0], key, isStart: true) }
            .flatMap { numbers(in: entries.references[half + $0]) }
    }

    /// The names of the class of an archived object, and of its ancestors.
    ///
    /// - Parameter known: the names of classes found so far, by number: many objects have one class.
    private func classNames(_ object: Int, _ list: [Int], _ known: inout [Int: Set<String>]) -> Set<String> {
        guard let number = value("$class", of: object).flatMap({ numbers(in: $0).first }), number < list.count else {
            return []
        }
        if let names = known[number] { return names }
        let ancestors = value("$classes", of: list[number]).flatMap { members($0)?.references } ?? []
        let texts = Set(ancestors + [value("$classname", of: list[number])].compactMap { $0 })
        let names = Set(texts.compactMap(text))
        known[number] = names
        return names
    }

    func value(_ key: String) -> Int? { value(key, of: top) }

    var hasDistinctKeys: Bool { hasDistinctKeys(top) }

    /// Whether no key of a dictionary is there twice: readers differ in which of them counts.
    func hasDistinctKeys(_ dictionary: Int) -> Bool {
        guard let entries = members(dictionary), entries.kind == 0xD else { return false }
        let half = entries.references.count / 2
        return Set(entries.references[..<half].map(text)).count == half
    }

    /// The value of a key of a dictionary.
    func value(_ key: String, of dictionary: Int) -> Int? {
        guard let entries = members(dictionary), entries.kind == 0xD else { return nil }
        let half = entries.references.count / 2
        return entries.references[..<half].firstIndex { isText($0, key) }.map { entries.references[half + $0] }
    }

    /// nil for an object that is no text.
    func text(_ index: Int) -> String? {
        guard let (start, count) = contents(index), count <= bytes.count else { return nil }
        switch bytes[offsets[index]] >> 4 {
        case 5 where start + count <= bytes.count: return String(decoding: bytes[start..<start + count], as: UTF8.self)
        case 6 where start + 2 * count <= bytes.count:
            let units = stride(from: start, to: start + 2 * count, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return nil
        }
    }

    /// The numbers of the archived objects that a value refers to directly.
    func numbers(in index: Int) -> [Int] {
        var numbers: [Int] = []
        var open = [index]
        while let next = open.popLast() {
            let offset = offsets[next]
            if bytes[offset] >> 4 == 8 {
                if let number = Self.integer(bytes, offset + 1, Int(bytes[offset] & 15) + 1) { numbers.append(number) }
            } else if let members = members(next) {
                open += members.references.reversed()
            }
        }
        return numbers
    }

    /// Whether an object is this text, or begins with it, in bytes or UTF-16 units.
    func isText(_ index: Int, _ text: String, isStart: Bool = false) -> Bool {
        guard let (start, count) = contents(index), isStart ? count >= text.utf8.count : count == text.utf8.count else {
            return false
        }
        switch bytes[offsets[index]] >> 4 {
        case 5: return bytes[start...].starts(with: text.utf8)
        case 6: return bytes[start...].starts(with: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        default: return false
        }
    }
}
