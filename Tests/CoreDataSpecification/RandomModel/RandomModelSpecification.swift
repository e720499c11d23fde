// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that after any sequence of work a context, its objects and its store equal a plain model.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Hundreds of sequences of changes, undo, saves, refreshes, merges and fetches, each drawn from a seed.
///
/// A failure prints its seed and the shortest sequence found that fails. In the environment, `OCD_SEED` runs a single
/// seed, `OCD_RUNS` that many from it on, `OCD_STEPS` sets how long they are, and `OCD_TRACE=1` prints each step before
/// it is taken.
///
/// Proves: M2, M7, M10, M11, M15, M17, M20, M22, L2, L4, L8, C1, C4, C5, C6, C7, C9, C14, C16, C18, C20, C21, C22, C26
@Suite("A context agrees with a plain model of it") struct RandomModelSpecification {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["OCD_SEED"].flatMap(UInt64.init)
    private static let runs = environment["OCD_RUNS"].flatMap(UInt64.init)
    private static let steps = environment["OCD_STEPS"].flatMap(Int.init)

    @Test("after every step of any sequence", arguments: StoreKind.all)
    func sequences(kind: StoreKind) throws {
        let first = Self.seed ?? 1
        let count = Self.runs ?? (Self.seed == nil ? Self.count(kind) : 1)
        var failures = 0
        for seed in first..<first + count where failures < (Self.runs == nil ? 3 : 12) {
            guard let report = try run(kind, seed).report() else { continue }
            Issue.record("\(report)")
            failures += 1
        }
    }

    /// The number of runs that take a few seconds for each kind.
    private static func count(_ kind: StoreKind) -> UInt64 {
        switch kind {
        case .inMemory: 500
        case .sqlite: 100
        // Uses the same code as the store in memory; each save writes the file.
        case .xml, .binary: 50
        // Each record is a file, and is read again for each request.
        default: 10
        }
    }

    private func run(_ kind: StoreKind, _ seed: UInt64) -> RandomRun {
        var run = RandomRun(kind: kind, seed: seed, length: Self.steps)
        guard Self.environment["OCD_TRACE"] != nil else { return run }
        run.trace = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        return run
    }
}
