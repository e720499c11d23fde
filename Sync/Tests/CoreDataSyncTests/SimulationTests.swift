// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Some seeds of the simulation, and each planted fault.
import CoreDataSync
import CoreDataSyncSimulation
import Testing

@Suite("Simulation") struct SimulationTests {
    @Test("ten seeds keep all promises, and so do some that broke one before")
    func seeds() throws {
        for seed in Array(UInt64(1)...10) + [307, 323, 419, 675, 50233, 50767] { try Simulation(seed: seed).run() }
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
