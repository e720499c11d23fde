// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The oracle: all contents of a store, in plain dictionaries.

import Foundation

/// Data whose missing or foreign parts can be detected.
struct Blob: Hashable, Sendable {
    var seed: UInt8
    var count: Int

    var data: Data { Data(repeating: seed, count: count) }
    /// Whether a SQLite store keeps it in an external file.
    var isLarge: Bool { count > 100_000 }
    var text: String { "\(count)/\(seed)" }

    static func text(of data: Data?) -> String {
        guard let data else { return "-" }
        guard let first = data.first else { return "0/0" }
        return data == Data(repeating: first, count: data.count) ? "\(data.count)/\(first)" : "torn data"
    }
}

struct Record: Hashable, Sendable {
    enum Kind: String, Sendable {
        case thing = "Thing"
        case special = "Special"
        case piece = "Piece"
        case tag = "Tag"
    }

    var kind: Kind
    var name = ""
    var amount: Double?
    var code = ""
    var blob: Blob?
    var parent: Int?
    var pieces: [Int] = []
    var tags: Set<Int> = []

    var isThing: Bool { kind == .thing || kind == .special }
}

/// The objects by their numbers, which are never used twice.
struct World: Hashable, Sendable {
    private(set) var records: [Int: Record] = [:]
    private(set) var nextNumber = 1

    func numbers(where condition: (Record) -> Bool) -> [Int] {
        records.filter { condition($0.value) }.keys.sorted()
    }

    var things: [Int] { numbers { $0.isThing } }
    var tags: [Int] { numbers { $0.kind == .tag } }
    var pieces: [Int] { numbers { $0.kind == .piece } }
    var largeCount: Int { records.values.count { $0.blob?.isLarge == true } }

    /// One line for each object, by its number.
    var lines: [Int: String] {
        let owners = owners
        return Dictionary(
            uniqueKeysWithValues: records.map { number, record in (number, line(number, record, owners[number])) })
    }

    private func line(_ number: Int, _ record: Record, _ owner: Int?) -> String {
        switch record.kind {
        case .piece: Line.piece(whole: owner)
        case .tag: Line.tag(code: record.code)
        case .thing, .special:
            Line.thing(
                kind: record.kind.rawValue, name: record.name, folded: record.name.lowercased(),
                amount: record.amount, code: record.code, blob: record.blob?.text ?? "-", parent: record.parent,
                pieces: record.pieces, count: record.pieces.count, tags: record.tags.sorted())
        }
    }

    mutating func apply(_ operation: Operation) {
        switch operation {
        case .insertThing(let number, let isSpecial, let name):
            records[number] = Record(kind: isSpecial ? .special : .thing, name: name, code: "c\(number)")
            nextNumber = number + 1
        case .insertPiece(let number, let whole):
            records[number] = Record(kind: .piece)
            records[whole]?.pieces.append(number)
            nextNumber = number + 1
        case .insertTag(let number):
            records[number] = Record(kind: .tag, code: "t\(number)")
            nextNumber = number + 1
        case .rename(let number, let name): records[number]?.name = name
        case .setAmount(let number, let amount): records[number]?.amount = amount
        case .setBlob(let number, let blob): records[number]?.blob = blob
        case .setParent(let number, let parent): records[number]?.parent = parent
        case .setPieces(let number, let pieces):
            // A piece has one whole, so it leaves the other one.
            for (other, record) in records where other != number && !record.pieces.isEmpty {
                records[other]?.pieces.removeAll { pieces.contains($0) }
            }
            records[number]?.pieces = pieces
        case .setTags(let number, let tags): records[number]?.tags = tags
        case .swapCodes(let one, let other, let codes):
            records[one]?.code = codes[0]
            records[other]?.code = codes[1]
        case .delete(let number): delete(number)
        }
    }

    /// The number of the thing to which each piece belongs.
    private var owners: [Int: Int] {
        records.reduce(into: [:]) { owners, entry in for piece in entry.value.pieces { owners[piece] = entry.key } }
    }

    /// Applies the values that differ between two states of another world, and its new and missing objects.
    mutating func take(from base: World, to world: World) {
        let before = self
        // Without the objects that delete rules would find here: the other world has applied them.
        for number in base.records.keys.sorted() where world.records[number] == nil { remove(number) }
        for (number, record) in world.records {
            guard let old = base.records[number] else {
                records[number] = record
                records[number]?.pieces = []
                continue
            }
            if record.name != old.name { records[number]?.name = record.name }
            if record.amount != old.amount { records[number]?.amount = record.amount }
            if record.code != old.code { records[number]?.code = record.code }
            if record.blob != old.blob { records[number]?.blob = record.blob }
            if record.parent != old.parent { records[number]?.parent = record.parent }
            if record.tags != old.tags { records[number]?.tags = record.tags }
        }
        takePieces(from: base, to: world, before)
        nextNumber = max(nextNumber, world.nextNumber)
    }

    /// A piece belongs to one thing: it moves from its thing here to its new thing there.
    private mutating func takePieces(from base: World, to world: World, _ before: World) {
        let (old, new) = (base.owners, world.owners)
        for piece in world.records.keys.sorted() where old[piece] != new[piece] {
            for (number, record) in records where record.pieces.contains(piece) {
                records[number]?.pieces.removeAll { $0 == piece }
            }
            if let owner = new[piece] { records[owner]?.pieces.append(piece) }
        }
        for (number, record) in world.records where record.pieces != base.records[number]?.pieces ?? [] {
            // The order is that of the other world, unless there are others' changes, too.
            let others = before.records[number]?.pieces ?? []
            if others == base.records[number]?.pieces ?? [] { records[number]?.pieces = record.pieces }
        }
    }

    private mutating func remove(_ number: Int) {
        records[number] = nil
        for (other, left) in records {
            if left.parent == number { records[other]?.parent = nil }
            if left.tags.contains(number) { records[other]?.tags.remove(number) }
            if left.pieces.contains(number) { records[other]?.pieces.removeAll { $0 == number } }
        }
    }

    private mutating func delete(_ number: Int) {
        guard let record = records[number] else { return }
        for piece in record.pieces { records[piece] = nil }
        remove(number)
    }
}

/// How an object is written for a comparison, on both sides of it.
enum Line {
    static func thing(
        kind: String, name: String, folded: String, amount: Double?, code: String, blob: String, parent: Int?,
        pieces: [Int], count: Int, tags: [Int]
    ) -> String {
        let amount = amount.map { "\($0)" } ?? "-"
        let parent = parent.map(String.init) ?? "-"
        return "\(kind) \(name)/\(folded) \(amount) \(code) data \(blob) parent \(parent) pieces \(pieces) (\(count))"
            + " tags \(tags)"
    }

    static func piece(whole: Int?) -> String { "Piece of \(whole.map(String.init) ?? "-")" }
    static func tag(code: String) -> String { "Tag \(code)" }

    /// The first differences; empty for equal contents.
    static func differences(_ found: [Int: String], _ expected: [Int: String]) -> [String] {
        Set(found.keys).union(expected.keys).sorted().compactMap { number in
            let (one, other) = (found[number] ?? "nothing", expected[number] ?? "nothing")
            return one == other ? nil : "\(number): found \(one), expected \(other)"
        }
    }
}
