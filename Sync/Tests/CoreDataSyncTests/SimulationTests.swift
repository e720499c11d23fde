// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Some seeds of the simulation, and each planted fault.
import CoreData
import CoreDataSync
import CoreDataSyncSimulation
import Testing

@Suite("Simulation") struct SimulationTests {
    @Test("ten seeds keep all promises, and so do some that broke one before")
    func seeds() throws {
        let mended: [UInt64] = [307, 323, 419, 675, 50233, 50767, 201160]
        for seed in Array(1...10) + mended { try Simulation(seed: seed).run() }
    }

    @Test("a seed runs in the same way each time", arguments: [1, 3, 5, 7, 8, 13, 19, 31, 43, 53] as [UInt64])
    func equalRuns(seed: UInt64) throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            var lines: [String] = []
            try Simulation(seed: seed, log: { lines.append($0) }).run()
            runs.append(lines)
        }
        #expect(runs[0].count > 20)
        #expect(runs[0] == runs[1])
    }

    @Test("nothing of a seed stays in memory")
    func release() throws {
        weak var container: NSPersistentContainer?
        do {
            let simulation = try Simulation(seed: 2)
            try simulation.run()
            container = simulation.serverContainer
        }
        #expect(container == nil)
    }

    @Test("a seed without some of its events runs, too")
    func fewerEvents() throws {
        let events = Simulation.events(seed: 7)
        try Simulation(seed: 7, events: Array(events.prefix(events.count / 2))).run()
    }

    @Test("each planted fault breaks a promise within 200 seeds", arguments: PlantedFault.all)
    func faults(fault: PlantedFault) {
        #expect(SeedRunner(from: 1, count: 200, fault: fault).find())
    }
}
