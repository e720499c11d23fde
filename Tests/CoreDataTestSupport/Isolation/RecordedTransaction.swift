// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The record of one transaction over lists, as its client saw it.

/// A step of a transaction. Each key holds a list of numbers, and each number is appended only once.
public enum ListStep: Equatable, Sendable {
    case read(key: Int, [Int])
    case append(key: Int, Int)
}

/// Everything that one transaction has read and appended, in order (Isolation.md).
public struct RecordedTransaction: Sendable {
    public enum Outcome: String, Sendable {
        case committed
        case failed
        /// The client ended before the result, or the error does not say whether the save took effect.
        case unknown
    }

    public var client: Int
    public var number: Int
    public var steps: [ListStep]
    public var outcome: Outcome
    /// Monotonic nanoseconds of one machine.
    public var begin: UInt64
    /// `.max` for an unknown outcome.
    public var end: UInt64

    public init(
        client: Int, number: Int, steps: [ListStep], outcome: Outcome = .committed, begin: UInt64 = 0,
        end: UInt64 = .max
    ) {
        (self.client, self.number, self.steps, self.outcome) = (client, number, steps, outcome)
        (self.begin, self.end) = (begin, end)
    }

    public var name: String { "T\(client).\(number)" }

    // MARK: Lines

    /// "client number outcome begin end r:key:1,2 a:key:3".
    public var line: String {
        let words = steps.map { step in
            switch step {
            case .read(let key, let list): "r:\(key):\(list.map(String.init).joined(separator: ","))"
            case .append(let key, let value): "a:\(key):\(value)"
            }
        }
        return (["\(client)", "\(number)", outcome.rawValue, "\(begin)", "\(end)"] + words).joined(separator: " ")
    }

    /// - Returns: nil for a line that a killed process did not complete.
    public init?(line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 5, let client = Int(words[0]), let number = Int(words[1]),
            let outcome = Outcome(rawValue: String(words[2])), let begin = UInt64(words[3]), let end = UInt64(words[4])
        else { return nil }
        var steps: [ListStep] = []
        for word in words.dropFirst(5) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, let key = Int(parts[1]) else { return nil }
            let numbers = parts[2].split(separator: ",").compactMap { Int($0) }
            switch parts[0] {
            case "r": steps.append(.read(key: key, numbers))
            case "a" where numbers.count == 1: steps.append(.append(key: key, numbers[0]))
            default: return nil
            }
        }
        self.init(client: client, number: number, steps: steps, outcome: outcome, begin: begin, end: end)
    }
}
