// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What happened in a run, as numbers.
import Foundation

/// Figures of one run, or of several.
package struct SimulationFigures: Codable, Equatable, Sendable {
    /// Events, requests that the server took, and replies that devices took.
    package var operations = 0
    package var edits = 0, pushes = 0, applications = 0, refused = 0, superseded = 0, merged = 0, whole = 0, crashes = 0
    package var restored = 0
    /// Pushes that arrived at once with others.
    package var together = 0

    package init() {}

    package static func += (sum: inout SimulationFigures, other: SimulationFigures) {
        sum.operations += other.operations
        sum.edits += other.edits
        sum.pushes += other.pushes
        sum.applications += other.applications
        sum.refused += other.refused
        sum.superseded += other.superseded
        sum.merged += other.merged
        sum.whole += other.whole
        sum.crashes += other.crashes
        sum.restored += other.restored
        sum.together += other.together
    }

    /// All figures, for people.
    package var text: String {
        "\(operations) operations, \(edits) transactions, \(pushes) pushes, \(applications) applications, "
            + "\(refused) refused, \(superseded) superseded, \(merged) merged, \(whole) sent whole, "
            + "\(crashes) crashes, \(restored) restored, \(together) pushed at once"
    }
}

/// The outcome of one seed.
package struct SeedResult: Codable, Equatable, Sendable {
    package var seed: UInt64
    package var figures = SimulationFigures()
    /// The promise that did not hold; nil if all did.
    package var failure: String?
    /// The events of a failing seed that are enough for a failure.
    package var events: [String] = []

    package init(seed: UInt64) { self.seed = seed }
}

/// The outcomes of the seeds so far.
package struct SeedTally: Sendable {
    private let start = ContinuousClock.now
    package private(set) var seeds = 0
    package private(set) var failures = 0
    package private(set) var figures = SimulationFigures()

    package init() {}

    package mutating func add(_ result: SeedResult) {
        seeds += 1
        figures += result.figures
        if result.failure != nil { failures += 1 }
    }

    /// - Parameter count: the number of seeds of the whole run.
    package func progress(of count: UInt64) -> String {
        String(
            format: "%d of %llu seeds, %d operations, %.1f seeds a second, %d broke a promise", seeds, count,
            figures.operations, Double(seeds) / max(seconds, 0.001), failures)
    }

    package var text: String {
        "\(seeds) seeds, \(failures) broke a promise; \(figures.text); " + String(format: "%.1f s", seconds)
    }

    private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
}
