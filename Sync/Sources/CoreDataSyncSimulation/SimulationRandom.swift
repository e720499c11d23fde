// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random numbers of a seed.
package import Foundation

/// SplitMix64: every seed gives a good sequence at once, so each event can have its generator.
package struct SimulationRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    package mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    package mutating func id() -> UUID {
        let (a, b) = (next(), next())
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (index * 8)) }
        return UUID(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6), byte(a, 7),
                byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5), byte(b, 6), byte(b, 7)
            ))
    }
}

/// Random ids of a seed, for closures that are called from several places.
final class IDSource: @unchecked Sendable {  // a simulation runs on one thread
    private var random: SimulationRandom
    init(seed: UInt64) { random = SimulationRandom(seed: seed) }
    func next() -> UUID { random.id() }
}

/// A wall clock that is wrong by an offset.
final class SimulationClock: @unchecked Sendable {  // a simulation runs on one thread
    /// Seconds since the beginning of the simulation.
    var time: Double = 0
    var offset: Double = 0
    /// 2027-01-01.
    private static let beginning = Date(timeIntervalSince1970: 1_798_761_600)
    var now: Date { Self.beginning.addingTimeInterval(time + offset) }
}
