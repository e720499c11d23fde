// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that both ends of every link agree after any merge, in memory and in the store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Two or three contexts change links of the same records and save in turn, drawn from a seed. Some have read
/// everything, some a part, and some are children, which save with their parents. After every save the ends agree in
/// memory and in the store, and the memory equals the store (`Documentation/Internals/Merging.md`).
///
/// A failure prints its seed, its step, and the shortest sequence found that fails. In the environment,
/// `OCD_MERGE_SEED` runs a single seed, `OCD_MERGE_RUNS` that many from it on, `OCD_MERGE_KIND` a single kind of store,
/// and `OCD_TRACE=1` prints each step before it is taken.
///
/// Proves: C23
@Suite("Both ends after any merge") struct RandomMergeSpecification {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["OCD_MERGE_SEED"].flatMap(UInt64.init)
    private static let runs = environment["OCD_MERGE_RUNS"].flatMap(UInt64.init)
    private static let mostFailures = 3
    private static let kinds = StoreKind.all.filter { environment["OCD_MERGE_KIND"] ?? $0.rawValue == $0.rawValue }
    private static let policies: [Winner?] = Winner.allCases + [nil]

    @Test("contexts of one coordinator", arguments: kinds, policies)
    func oneCoordinator(kind: StoreKind, policy: Winner?) { run(kind, policy, isApart: false) }

    @Test("contexts of a coordinator each", arguments: kinds.filter(\.isShared), policies)
    func severalCoordinators(kind: StoreKind, policy: Winner?) { run(kind, policy, isApart: true) }

    /// Proves: C18
    @Test("objects that are refreshed between saves", arguments: kinds, policies)
    func refreshing(kind: StoreKind, policy: Winner?) { run(kind, policy, isApart: false, refreshes: true) }

    private func run(_ kind: StoreKind, _ policy: Winner?, isApart: Bool, refreshes: Bool = false) {
        let first = Self.seed ?? 1
        let count = Self.runs ?? (Self.seed == nil ? Self.count(kind) : 1)
        var failures = 0
        for seed in first..<first + count where failures < Self.mostFailures {
            var run = MergeRun(
                kind: kind, policy: policy, isApart: isApart, refreshes: refreshes, seed: seed, rounds: 4)
            if Self.environment["OCD_TRACE"] != nil {
                run.trace = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
            }
            guard let report = run.report() else { continue }
            Issue.record("\(report)")
            failures += 1
        }
    }

    /// As many runs as take two seconds for all kinds together.
    private static func count(_ kind: StoreKind) -> UInt64 {
        switch kind {
        case .inMemory: 6
        case .sqlite: 2
        default: 1
        }
    }
}
