// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs many seeds, and shrinks one that breaks a promise.
import Foundation

/// Seeds in a row, all with the same planted fault or without one.
package struct SeedRunner {
    /// A run ends after this many seeds that broke a promise.
    private static let mostFailures = 3
    let from: UInt64
    let count: UInt64
    let fault: PlantedFault?
    let isLogging: Bool

    package init(from: UInt64, count: UInt64, fault: PlantedFault? = nil, isLogging: Bool = false) {
        self.from = from
        self.count = count
        self.fault = fault
        self.isLogging = isLogging
    }

    /// Runs the seeds, and gives the result of each to a block.
    package func run(_ report: (SeedResult) -> Void) {
        var failures = 0
        for seed in from..<from + count {
            let result = result(of: seed)
            if result.failure != nil { failures += 1 }
            report(result)
            if failures == Self.mostFailures { break }
        }
    }

    /// - Returns: whether a seed shows the planted fault.
    package func find() -> Bool {
        var figures = SimulationFigures()
        for seed in from..<from + count where fault.map({ Simulation.canShow($0, seed) }) ?? true {
            if let failure = failure(seed, nil, isLogging, &figures) {
                print("\(fault?.description ?? ""): seed \(seed), \(failure)")
                return true
            }
        }
        print("\(fault?.description ?? ""): not found in \(count) seeds")
        return false
    }

    private func result(of seed: UInt64) -> SeedResult {
        var result = SeedResult(seed: seed)
        result.failure = failure(seed, nil, isLogging, &result.figures)
        if result.failure != nil { result.events = shrunk(seed).map(\.text) }
        return result
    }

    private func failure(
        _ seed: UInt64, _ events: [SimulationEvent]?, _ isLogging: Bool, _ figures: inout SimulationFigures
    ) -> String? {
        do {
            let log: ((String) -> Void)? = isLogging ? { print($0) } : nil
            let simulation = try Simulation(seed: seed, fault: fault, events: events, log: log)
            defer { figures += simulation.figures }
            try simulation.run()
            return nil
        } catch { return "\(error)" }
    }

    /// The events of a failing seed without those that it fails without: halves first, then single ones.
    private func shrunk(_ seed: UInt64) -> [SimulationEvent] {
        var events = Simulation.events(seed: seed)
        var ignored = SimulationFigures()
        var size = max(1, events.count / 2)
        while true {
            var start = 0
            while start < events.count {
                var fewer = events
                fewer.removeSubrange(start..<min(start + size, events.count))
                if failure(seed, fewer, false, &ignored) != nil { events = fewer } else { start += size }
            }
            if size == 1 { return events }
            size /= 2
        }
    }
}
