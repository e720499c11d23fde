// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random texts and queries for papers.

public import CoreData

/// Random texts and queries of few words, so that most queries match some papers and not others.
public struct RandomSearches {
    private var random: SeededGenerator

    private static let words = [
        "a", "b", "ab", "É", "abc", "Straße", "don't", "x1", "C", "東京", "東京都", "cab", "e\u{301}", "-", "NEAR",
    ]

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func word() -> String { Self.words[number(0...Self.words.count - 1)] }

    /// Some words; nil now and then.
    public mutating func text(_ most: Int = 6) -> String? {
        if number(0...7) == 0 { return nil }
        return (0..<number(0...most)).map { _ in word() }.joined(separator: " ")
    }

    private mutating func phrase() -> String {
        let text = number(0...3) == 0 ? "\(word()) \(word())" : word()
        return "\"\(text)\"\(number(0...3) == 0 ? "*" : "")"
    }

    /// A query in the language, with any of its forms and without errors.
    public mutating func query(_ depth: Int = 0) -> String {
        switch number(0...(depth > 2 ? 4 : 9)) {
        case 0...2: "\(number(0...5) == 0 ? "^" : "")\(phrase())"
        case 3, 4: "NEAR(\(phrase()) \(phrase()), \(number(0...3)))"
        case 5: "(\(query(depth + 1)) \(query(depth + 1)))"
        case 6: "(\(query(depth + 1)) AND \(query(depth + 1)))"
        case 7: "(\(query(depth + 1)) OR \(query(depth + 1)))"
        case 8: "(\(query(depth + 1)) NOT \(query(depth + 1)))"
        default:
            "\(["title", "{body title}", "{keywords}", "sender", "{sender keywords title}"][number(0...4)]): (\(query(depth + 1)))"
        }
    }

    /// A paper with random texts, a letter now and then.
    @discardableResult
    public mutating func paper(_ number: Int, in papers: Papers) -> NSManagedObject {
        let sender = self.number(0...2) == 0 ? text(2) : nil
        return papers.paper(number, text(3), text(8), keywords: text(2), sender: sender)
    }

    /// Changes a text of a paper.
    public mutating func change(_ paper: NSManagedObject) {
        paper.setValue(text(8), forKey: ["title", "body", "keywords"][number(0...2)])
    }
}
