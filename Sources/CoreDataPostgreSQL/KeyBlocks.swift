// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gets permanent keys from the server's sequences, in blocks.

import CoreData
import Foundation
import PostgreSQLDriver
import Synchronization

/// The blocks that this store has reserved and not used up. Thread-safe.
///
/// A sequence advances by its increment, so each of its values is the first key of a block that no other client gets.
final class KeyBlocks: Sendable {
    struct Sequence: Sendable {
        /// The name as written in a statement.
        let name: String
        let increment: Int64
    }

    private let sequences: [Int: Sequence]
    /// The tables of entities without a key sequence.
    private let tablesWithout: [Int: String]
    private let free = Mutex<[Int: [Range<Int64>]]>([:])

    init(_ sequences: [Int: Sequence], without tablesWithout: [Int: String] = [:]) {
        self.sequences = sequences
        self.tablesWithout = tablesWithout
    }

    private func sequence(_ root: Int) throws -> Sequence {
        if let sequence = sequences[root] { return sequence }
        if let table = tablesWithout[root] {
            throw CoreDataError.unsupportedRequest(
                "inserting rows into \(table), which has no sequence of keys", store: nil,
                advice: " Name one under postgresql.sequence, or make the key an identity column.")
        }
        throw CoreDataError.storeOperation("The store does not hold the entity.")
    }

    /// - Parameter root: the index of the root entity.
    func take(_ count: Int, root: Int, _ sessions: Sessions) throws -> [Int64] {
        let sequence = try sequence(root)
        var result: [Int64] = []
        result.reserveCapacity(count)
        takeFree(count, root, &result)
        while result.count < count {
            let missing = Int64(count - result.count)
            let blocks = try blocks((missing + sequence.increment - 1) / sequence.increment, sequence, sessions)
            free.withLock { $0[root, default: []] += blocks }
            takeFree(count, root, &result)
        }
        return result
    }

    /// The first of consecutive keys.
    func takeRow(_ count: Int, root: Int, _ sessions: Sessions) throws -> Int64 {
        let sequence = try sequence(root)
        let found = free.withLock { free -> Int64? in
            guard let place = free[root]?.firstIndex(where: { $0.count >= count }), let range = free[root]?[place]
            else {
                return nil
            }
            free[root]?[place] = (range.lowerBound + Int64(count))..<range.upperBound
            return range.lowerBound
        }
        if let found { return found }
        let wanted = (Int64(count) + sequence.increment - 1) / sequence.increment
        for _ in 0..<50 {
            let blocks = try blocks(wanted, sequence, sessions)
            guard let first = blocks.first?.lowerBound, let last = blocks.last?.upperBound else { continue }
            // Other clients may have reserved a block in between.
            if last - first == wanted * sequence.increment {
                free.withLock { $0[root, default: []].append((first + Int64(count))..<last) }
                return first
            }
            free.withLock { $0[root, default: []] += blocks }
        }
        throw CoreDataError.storeOperation("\(count) keys in a row could not be had: others take some all the time.")
    }

    private func takeFree(_ count: Int, _ root: Int, _ result: inout [Int64]) {
        result += free.withLock { [missing = count - result.count] free in
            var taken: [Int64] = []
            while taken.count < missing, let range = free[root]?.first {
                let part = range.prefix(missing - taken.count)
                taken += part
                if part.count == range.count {
                    free[root]?.removeFirst()
                } else {
                    free[root]?[0] = part.endIndex..<range.upperBound
                }
            }
            return taken
        }
    }

    private func blocks(_ count: Int64, _ sequence: Sequence, _ sessions: Sessions) throws -> [Range<Int64>] {
        try sessions.with(repeats: true) { connection in
            let answer = try connection.run(
                Statement(
                    "SELECT nextval($1::regclass) FROM generate_series(1, $2)", [.text(sequence.name), .int64(count)]),
                sessions.deadline)
            var result: [Range<Int64>] = []
            answer.forEachRow { row in
                if let first = row[0].integer { result.append(first..<(first + sequence.increment)) }
            }
            return result
        }
    }
}
