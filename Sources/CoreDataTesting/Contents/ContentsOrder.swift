// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts objects into an order that follows from their contents alone.

/// The order of a graph's objects by their texts, and by the objects that they reach where texts are equal.
///
/// # Rules
/// (1) Each object has a colour, a hash of its text. A round mixes the colours of its members into it: in order for
/// ordered relationships, sorted for others. Rounds end when they divide no class of equal colours further.
/// (2) While several objects have one colour, one of them gets a new colour, and (1) is repeated. For objects
/// that can be exchanged with one another any choice gives the same text.
/// (3) The order is by text, then by colour.
struct ContentsOrder {
    struct Members {
        var indexes: [Int]
        var isOrdered: Bool
    }

    /// Indexes of the objects.
    let order: [Int]

    init(_ texts: [String], links: [[Members]]) {
        var colours = texts.map { Fingerprint.of($0) }
        Self.refine(&colours, links)
        var classes = Set(colours).count
        while classes < texts.count {
            var seen: [UInt64: Int] = [:]
            for colour in colours { seen[colour, default: 0] += 1 }
            // (2): of the class with the least colour.
            guard let repeated = seen.filter({ $0.value > 1 }).keys.min(),
                let index = colours.firstIndex(of: repeated)
            else { break }
            colours[index] = Fingerprint.mix(repeated, 1)
            Self.refine(&colours, links)
            classes = Set(colours).count
        }
        order = texts.indices.sorted { (texts[$0], colours[$0]) < (texts[$1], colours[$1]) }
    }

    private static func refine(_ colours: inout [UInt64], _ links: [[Members]]) {
        var classes = Set(colours).count
        while classes < colours.count {
            let old = colours
            for index in colours.indices {
                for (place, members) in links[index].enumerated() {
                    var reached = members.indexes.map { old[$0] }
                    if !members.isOrdered { reached.sort() }
                    colours[index] = Fingerprint.mix(colours[index], UInt64(place) << 32 | UInt64(reached.count))
                    for colour in reached { colours[index] = Fingerprint.mix(colours[index], colour) }
                }
            }
            let count = Set(colours).count
            if count == classes { return }
            classes = count
        }
    }
}

/// FNV-1a with 64 bits: the same in each process and on each platform. For recognition, not against forgery.
enum Fingerprint {
    private static let prime: UInt64 = 0x100_0000_01b3

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* prime }
        return hash
    }

    static func of(_ text: String) -> UInt64 { of(text.utf8) }

    static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
        var hash = hash
        for shift in stride(from: 0, to: 64, by: 8) { hash = (hash ^ (value >> UInt64(shift) & 255)) &* prime }
        return hash
    }

    static func text(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
