// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs seeds of the simulation: sync-simulation [--seeds N] [--from SEED] [--processes N] [--fault NAME|all] [--log],
// or measures pushes and pulls: sync-simulation --measure OBJECTS, or the memory of a first pull: --memory OBJECTS.
import CoreDataSyncSimulation
import Foundation

@main struct SyncSimulationCommand {
    private static let arguments = Array(CommandLine.arguments.dropFirst())

    private static func value(_ name: String) -> String? {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        return arguments[index + 1]
    }

    static func main() throws {
        if let count = value("--measure").flatMap(Int.init) { return try SyncMeasurement(count: count).run() }
        if let count = value("--memory").flatMap(Int.init) { return try MemoryMeasurement(count: count).run() }
        exit(try run() ? 0 : 1)
    }

    /// - Returns: whether all seeds kept all promises, or showed all planted faults.
    private static func run() throws -> Bool {
        let (from, count) = (UInt64(value("--from") ?? "") ?? 1, UInt64(value("--seeds") ?? "") ?? 100)
        let isLogging = arguments.contains("--log")
        if let name = value("--fault") { return find(name, from, count, isLogging) }
        if arguments.contains("--results") {
            SeedRunner(from: from, count: count).run(write)
            return true
        }
        let processes = isLogging ? 1 : value("--processes").flatMap(Int.init) ?? 1
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return try SeedProcesses(
            from: from, count: count, processes: processes, program: program, isLogging: isLogging
        ).run()
    }

    private static func find(_ name: String, _ from: UInt64, _ count: UInt64, _ isLogging: Bool) -> Bool {
        let faults = name == "all" ? PlantedFault.all : [PlantedFault(name)].compactMap { $0 }
        guard !faults.isEmpty else {
            print("No fault has the name '\(name)': \(PlantedFault.all)")
            return false
        }
        // Each fault is looked for, also after one that was not found.
        return faults.map { SeedRunner(from: from, count: count, fault: $0, isLogging: isLogging).find() }
            .allSatisfy { $0 }
    }

    /// Writes a result as a line for the process that collects them.
    private static func write(_ result: SeedResult) {
        guard let line = try? JSONEncoder().encode(result) else { return }
        FileHandle.standardOutput.write(line + Data("\n".utf8))
    }
}
