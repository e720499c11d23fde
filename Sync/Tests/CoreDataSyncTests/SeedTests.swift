// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs of many seeds: their division among processes, and what they report.
import CoreDataSyncSimulation
import Foundation
import Testing

@Suite("Runs of many seeds") struct SeedTests {
    static func program() throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("sync-simulation")
    }

    @Test("each seed of a range belongs to one process", arguments: [(10, 3), (2, 4), (7, 1)])
    func ranges(count: UInt64, processes: Int) throws {
        let run = SeedProcesses(from: 5, count: count, processes: processes, program: URL(fileURLWithPath: "/none"))
        let seeds = run.ranges.flatMap { Array($0.from..<$0.from + $0.count) }
        #expect(seeds == Array(5..<5 + count))
        #expect(run.ranges.count == min(Int(count), processes))
    }

    @Test("two processes run all seeds, and their figures are added up")
    func processes() throws {
        var tally = SeedTally()
        SeedRunner(from: 1, count: 4).run { tally.add($0) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = try Self.program()
        process.arguments = ["--from", "1", "--seeds", "4", "--processes", "2"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.hasPrefix("4 seeds, 0 broke a promise; "))
        #expect(tally.figures.edits > 0)
        #expect(text.contains(" \(tally.figures.edits) transactions, "))
    }

    @Test("a process that ends early is a failure of the seed that it was at")
    func earlyEnd() throws {
        let run = SeedProcesses(from: 1, count: 2, processes: 2, program: URL(fileURLWithPath: "/bin/false"))
        #expect(try !run.run())
    }
}
