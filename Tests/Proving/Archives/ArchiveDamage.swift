// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damages the objects of a binary property list, and writes the list anew around them.

import CoreDataTestSupport

/// Damaged bytes rarely pass the checks of the list's frame. Here the frame fits the objects again, so that most inputs
/// reach the reader of the archive in the list.
struct ArchiveDamage {
    private enum Item {
        /// The marker and all that follows it.
        case leaf([UInt8])
        /// The upper half of the marker, and the positions of the members; keys of a dictionary before its values.
        case collection(UInt8, [Int])
    }

    private var items: [Item] = []
    private var top: Int
    /// The positions of texts, references and numbers among the items.
    private var texts: [Int] = []
    private var references: [Int] = []
    private var numbers: [Int] = []

    /// Splits a good list into its objects. Checks nothing, so damaged bytes end the process.
    init(trusting bytes: [UInt8]) {
        func integer(_ start: Int, _ size: Int) -> Int { bytes[start..<start + size].reduce(0) { $0 << 8 | Int($1) } }
        let trailer = bytes.count - 32
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        let (count, table) = (integer(trailer + 8, 8), integer(trailer + 24, 8))
        top = integer(trailer + 16, 8)
        for number in 0..<count {
            let offset = integer(table + number * offsetSize, offsetSize)
            let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
            var (size, start) = (low, offset + 1)
            if low == 15, kind >= 4, kind != 8 {
                let width = 1 << Int(bytes[offset + 1] & 15)
                (size, start) = (integer(offset + 2, width), offset + 2 + width)
            }
            switch kind {
            case 0xA...0xD:
                let members = kind == 0xD ? size * 2 : size
                let places = (0..<members).map { integer(start + $0 * referenceSize, referenceSize) }
                items.append(.collection(kind, places))
                continue
            case 0: size = 0
            case 1, 2: size = 1 << low
            case 3: size = 8
            case 6: size *= 2
            case 8: size = low + 1
            default: break
            }
            if kind == 5 || kind == 6 { texts.append(number) }
            if kind == 8 { references.append(number) }
            if kind == 1 { numbers.append(number) }
            items.append(.leaf(Array(bytes[offset..<start + size])))
        }
    }

    /// A list after one to four changes of its objects.
    func damaged(_ random: inout SeededGenerator) -> [UInt8] {
        var copy = self
        for _ in 0..<Int.random(in: 1...4, using: &random) { copy.change(&random) }
        return copy.bytes
    }

    private mutating func change(_ random: inout SeededGenerator) {
        func any() -> Int { Int.random(in: 0..<items.count, using: &random) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: changeCollection(any(), &random)
        // A reference of the archive to another object of it, or to none.
        case 3...5:
            guard let place = references.randomElement(using: &random) else { return }
            let odd = [0, 1, items.count, 0xFFFF_FFFF, Int.max]
            let number = random.chance(0.1) ? odd.randomElement(using: &random) ?? 0 : any()
            let size = number < 0x100 ? 1 : number < 0x1_0000 ? 2 : 8
            items[place] = .leaf([0x80 | UInt8(size - 1)] + Self.bigEndian(number, size))
        case 6:
            guard let place = numbers.randomElement(using: &random) else { return }
            let odd = [0, 1, -1, 4, 7, 50, 255, 300, 1_000, Int.max, Int.min, 1 << 31, -(1 << 31)]
            items[place] = .leaf([0x13] + Self.bigEndian(odd.randomElement(using: &random) ?? 0, 8))
        // A text in the place of another: a class, a key, a selector.
        case 7...8:
            guard let place = texts.randomElement(using: &random), let other = texts.randomElement(using: &random)
            else { return }
            items[place] = items[other]
        case 9:
            guard let place = texts.randomElement(using: &random), case .leaf(let good) = items[place] else { return }
            let content = ByteDamage.of(Array(good.dropFirst()), &random)
            items[place] = .leaf(Array(good.prefix(1)) + content.prefix(good.count - 1))
        case 10: items[any()] = items[any()]
        default:
            let values: [[UInt8]] = [
                [0], [8], [9], [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [0x40],
                [0x50], [0x52, 0xC3, 0x28], [0x61, 0xD8, 0], [0x10, 1],
            ]
            items[any()] = .leaf(values.randomElement(using: &random) ?? [0])
        }
    }

    private mutating func changeCollection(_ start: Int, _ random: inout SeededGenerator) {
        // Most objects are leaves: takes the next collection.
        let next = items.indices[start...].first(where: isCollection)
        guard let place = next ?? items.indices.first(where: isCollection),
            case .collection(var kind, var members) = items[place]
        else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1 where !members.isEmpty:
            members[Int.random(in: 0..<members.count, using: &random)] = Int.random(in: 0..<items.count, using: &random)
        case 2 where !members.isEmpty:
            let (one, other) = (
                Int.random(in: 0..<members.count, using: &random), Int.random(in: 0..<members.count, using: &random)
            )
            members.swapAt(one, other)
        case 3 where !members.isEmpty: members.remove(at: Int.random(in: 0..<members.count, using: &random))
        case 4: members.append(random.chance(0.5) ? place : Int.random(in: 0..<items.count, using: &random))
        default: kind = [0xA, 0xB, 0xC, 0xD].randomElement(using: &random) ?? 0xA
        }
        // A dictionary has as many keys as values.
        if kind == 0xD, members.count % 2 == 1 { members.removeLast() }
        items[place] = .collection(kind, members)
    }

    private func isCollection(_ place: Int) -> Bool {
        if case .collection = items[place] { return true }
        return false
    }

    // MARK: Writing

    private var bytes: [UInt8] {
        var output = Array("bplist00".utf8)
        let referenceSize = items.count < 0x100 ? 1 : items.count < 0x1_0000 ? 2 : 4
        var offsets: [Int] = []
        for item in items {
            offsets.append(output.count)
            switch item {
            case .leaf(let bytes): output += bytes
            case .collection(let kind, let members):
                let count = kind == 0xD ? members.count / 2 : members.count
                output.append(kind << 4 | UInt8(min(count, 15)))
                if count >= 15 {
                    output.append(0x12)
                    Self.add(count, 4, to: &output)
                }
                for member in members { Self.add(member, referenceSize, to: &output) }
            }
        }
        let table = output.count
        for offset in offsets { Self.add(offset, 4, to: &output) }
        output += [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
        for number in [items.count, top, table] { Self.add(number, 8, to: &output) }
        return output
    }

    /// The lowest bytes of a number, the highest of them first.
    private static func add(_ number: Int, _ size: Int, to bytes: inout [UInt8]) {
        for position in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (position * 8))) }
    }

    private static func bigEndian(_ number: Int, _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        add(number, size, to: &bytes)
        return bytes
    }
}
