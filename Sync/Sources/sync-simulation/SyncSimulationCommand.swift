// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs seeds of the simulation: sync-simulation [--seeds N] [--from SEED] [--fault NAME|all] [--log],
// or measures pushes and pulls: sync-simulation --measure OBJECTS.
import CoreDataSyncSimulation
import Foundation

@main struct SyncSimulationCommand {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func value(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
            return arguments[index + 1]
        }
        let (from, count) = (UInt64(value("--from") ?? "") ?? 1, UInt64(value("--seeds") ?? "") ?? 100)
        if let count = value("--measure").flatMap(Int.init) { measure(count) }
        let isLogging = arguments.contains("--log")
        guard let name = value("--fault") else {
            exit(SeedRunner(from: from, count: count, isLogging: isLogging).run() ? 0 : 1)
        }
        arguments = []
        let faults = name == "all" ? PlantedFault.all : [PlantedFault(name)].compactMap { $0 }
        guard !faults.isEmpty else {
            print("No fault has the name '\(name)': \(PlantedFault.all)")
            exit(2)
        }
        var isFound = true
        for fault in faults {
            let runner = SeedRunner(from: from, count: count, fault: fault, isLogging: isLogging)
            if !runner.find() { isFound = false }
        }
        exit(isFound ? 0 : 1)
    }

    private static func measure(_ count: Int) -> Never {
        do {
            try SyncMeasurement(count: count).run()
            exit(0)
        } catch {
            print("The measurement failed: \(error)")
            exit(1)
        }
    }
}
