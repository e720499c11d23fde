// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The events of a seed, and the kinds of runs that seeds are.
import CoreDataSync
import CoreDataSyncServer
import Foundation

/// An event without a cause in the simulation. Each event has its seed, so that a run without some of the
/// events is like the run with them otherwise.
package struct SimulationEvent: Sendable {
    enum Kind: Sendable {
        case edit, sync, serverEdit, clockJump, partition, crash, backup, restore, shapes, diskError, resend
        case compact, tag, retag, untag, damage, cover, moveCover
    }

    let time: Double
    let device: Int
    let kind: Kind
    let seed: UInt64

    /// One line for people.
    package var text: String { String(format: "%7.2f ", time) + "\(kind) on \(device)" }
}

extension Simulation {
    /// Whether the devices have files: only these can be restored from backups.
    static func hasFiles(_ seed: UInt64) -> Bool { seed % 16 == 3 }

    /// Whether users have different shapes, which change.
    static func hasShapes(_ seed: UInt64) -> Bool { seed % 3 == 1 }

    /// Whether some devices have an earlier version of the model.
    static func isMixed(_ seed: UInt64) -> Bool { seed % 5 == 2 }

    /// Whether the events of a seed can bring a fault to light at all.
    static func canShow(_ fault: PlantedFault, _ seed: UInt64) -> Bool {
        switch fault {
        case .client(.keepsIdentity), .client(.namesAtRandom): hasFiles(seed)
        case .server(.forgetsNumbers), .server(.ignoresStamps), .server(.takesMissing), .server(.settlesUnseen),
            .server(.stampsLinksLate):
            seed % 2 == 0
        case .server(.revealsForeign), .server(.keepsLeft), .server(.givesForeign): hasShapes(seed)
        case .server(.forgetsNames): isMixed(seed) && seed % 2 == 0
        case .server(.writesForeign): hasShapes(seed) && seed % 2 == 0
        default: true
        }
    }

    /// The events of a seed.
    package static func events(seed: UInt64) -> [SimulationEvent] {
        var random = SimulationRandom(seed: seed &+ 77)
        let isFast = random.chance(0.5)
        let length = isFast ? 60.0 : 600.0
        let usual = (0..<Int.random(in: 30...80, using: &random)).map { _ in
            let isRestoration = hasFiles(seed) && random.chance(0.15)
            let isShapes = hasShapes(seed) && random.chance(0.06)
            let isDamage = seed % 7 == 3 && random.chance(0.05)
            let kind: SimulationEvent.Kind =
                if isDamage { .damage } else if isShapes { .shapes } else if isRestoration {
                    random.chance(0.5) ? .backup : .restore
                } else {
                    switch Int.random(in: 0..<100, using: &random) {
                    case 0..<45: .edit
                    case 45..<86: .sync
                    case 86..<88: .compact
                    case 88..<92: .serverEdit
                    case 92..<94: .clockJump
                    case 94..<96: .partition
                    case 96..<98: .crash
                    case 98: .diskError
                    default: .resend
                    }
                }
            return SimulationEvent(
                time: Double.random(in: 0..<length, using: &random),
                device: Int.random(in: 0..<8, using: &random), kind: kind, seed: random.next())
        }
        let aimed =
            switch seed % 4 {
            case 0: tagEvents(length, &random)
            case 2: coverEvents(length, &random)
            default: [SimulationEvent]()
            }
        return (usual + aimed).sorted { $0.time < $1.time }
    }

    /// One device adds a member, and adds it again after another one has it, which has not seen that and removes it.
    private static func tagEvents(_ length: Double, _ random: inout SimulationRandom) -> [SimulationEvent] {
        rounds(length, &random) { first in
            [
                (0, first, .tag), (1, first, .sync), (4, first + 1, .sync), (7, first, .retag), (8, first, .sync),
                (12, 0, .compact), (13, first + 1, .untag), (14, first + 1, .sync),
            ]
        }
    }

    /// One device gives a note another cover, and then edits something else. In between another device, which has not
    /// seen that, moves the former cover.
    private static func coverEvents(_ length: Double, _ random: inout SimulationRandom) -> [SimulationEvent] {
        rounds(length, &random) { first in
            [
                (0, first, .cover), (1, first, .sync), (4, first + 1, .sync), (7, first, .cover),
                (9, first + 1, .moveCover), (11, first, .edit), (12, first, .sync), (14, first + 1, .sync),
            ]
        }
    }

    /// Three rounds at random times, each with another first device.
    private static func rounds(
        _ length: Double, _ random: inout SimulationRandom,
        _ steps: (_ first: Int) -> [(Double, Int, SimulationEvent.Kind)]
    ) -> [SimulationEvent] {
        (0..<3).flatMap { _ in
            let (start, first) = (Double.random(in: length / 4..<length, using: &random), Int(random.next() % 8))
            return steps(first).map { time, device, kind in
                SimulationEvent(time: start + time, device: device, kind: kind, seed: random.next())
            }
        }
    }
}
