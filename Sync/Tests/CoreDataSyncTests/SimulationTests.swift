// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Some seeds of the simulation, and each planted fault.
import CoreDataSync
import CoreDataSyncSimulation
import Testing

@Suite("Simulation") struct SimulationTests {
    @Test("twenty seeds keep all promises")
    func seeds() throws {
        for seed in UInt64(1)...20 { try Simulation(seed: seed).run() }
    }

    @Test("a seed without some of its events runs, too")
    func fewerEvents() throws {
        let events = Simulation.events(seed: 7)
        try Simulation(seed: 7, events: Array(events.prefix(events.count / 2))).run()
    }

    /// Not `keepsIdentity`, for which no seed is known (`Sync/Documentation/Design.md`, "The simulation").
    static let provedFaults: [PlantedFault] = PlantedFault.all.filter { $0 != .client(.keepsIdentity) }

    @Test("each planted fault breaks a promise within 1,000 seeds", arguments: provedFaults)
    func faults(fault: PlantedFault) {
        #expect(SeedRunner(from: 1, count: 1_000, fault: fault).find())
    }
}
