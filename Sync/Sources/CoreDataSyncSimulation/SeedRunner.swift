// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs many seeds, and shrinks one that breaks a promise.
import Foundation

/// Prints the findings.
package struct SeedRunner {
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

    /// - Returns: whether all seeds kept all promises.
    package func run() -> Bool {
        var total = SimulationFigures()
        let start = Date()
        var failures = 0
        for seed in from..<from + count {
            if let failure = failure(seed, nil, isLogging, &total) {
                failures += 1
                let events = shrunk(seed)
                print("seed \(seed): \(failure); \(events.count) events are enough")
                for event in events { print("    " + event.text) }
                if failures == 3 { break }
            }
        }
        let seconds = Date().timeIntervalSince(start)
        print(
            "\(count) seeds, \(failures) broke a promise; \(total.edits) transactions, \(total.pushes) pushes, "
                + "\(total.applications) applications, \(total.refused) refused, \(total.superseded) superseded, "
                + "\(total.merged) merged, \(total.whole) sent whole, \(total.crashes) crashes, \(total.restored) restored, "
                + "\(total.together) pushed at once; "
                + String(format: "%.1f s", seconds))
        return failures == 0
    }

    /// - Returns: whether a seed shows the planted fault.
    package func find() -> Bool {
        var total = SimulationFigures()
        for seed in from..<from + count where fault.map({ Simulation.canShow($0, seed) }) ?? true {
            if let failure = failure(seed, nil, isLogging, &total) {
                print("\(fault?.description ?? ""): seed \(seed), \(failure)")
                return true
            }
        }
        print("\(fault?.description ?? ""): not found in \(count) seeds")
        return false
    }

    private func failure(
        _ seed: UInt64, _ events: [SimulationEvent]?, _ isLogging: Bool, _ total: inout SimulationFigures
    ) -> String? {
        do {
            let simulation = try Simulation(seed: seed, fault: fault, events: events, isLogging: isLogging)
            defer { total.add(simulation.figures) }
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

extension SimulationFigures {
    fileprivate mutating func add(_ other: SimulationFigures) {
        edits += other.edits
        pushes += other.pushes
        applications += other.applications
        refused += other.refused
        superseded += other.superseded
        merged += other.merged
        whole += other.whole
        crashes += other.crashes
        restored += other.restored
        together += other.together
    }
}
