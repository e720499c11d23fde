// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random work: operations drawn from a seed for the world as it is.

import CoreDataTestSupport

enum Operation: Hashable, Sendable {
    case insertThing(Int, isSpecial: Bool, name: String)
    case insertPiece(Int, of: Int)
    case insertTag(Int)
    case rename(Int, String)
    case setAmount(Int, Double?)
    case setBlob(Int, Blob?)
    case setParent(Int, Int?)
    case setPieces(Int, [Int])
    case setTags(Int, Set<Int>)
    /// Two things and the code that each of them gets.
    case swapCodes(Int, Int, codes: [String])
    case delete(Int)
}

extension World {
    /// - Parameter number: that of the next object, if the operation makes one.
    func draw(_ random: inout SeededGenerator, number: Int? = nil) -> Operation {
        let number = number ?? nextNumber
        let things = things
        guard things.count > 1, let one = things.randomElement(using: &random),
            let other = things.randomElement(using: &random)
        else {
            return .insertThing(number, isSpecial: random.chance(0.3), name: "Name \(number)")
        }
        let chance = Int.random(in: 0..<100, using: &random)
        switch chance {
        case ..<14: return .insertThing(number, isSpecial: random.chance(0.3), name: "Name \(number)")
        case ..<26: return .insertPiece(number, of: one)
        case ..<32: return .insertTag(number)
        case ..<44: return .rename(one, "Name \(Int.random(in: 0..<1000, using: &random))")
        case ..<50: return .setAmount(one, random.chance(0.2) ? nil : Double(Int.random(in: 0..<100, using: &random)))
        case ..<60: return .setBlob(one, blob(&random))
        case ..<68: return .setParent(one, random.chance(0.2) ? nil : other)
        case ..<78:
            let own = records[one]?.pieces ?? []
            let more = pieces.filter { !own.contains($0) }.prefix(1)
            return .setPieces(one, (own + more).shuffled(using: &random))
        case ..<86:
            return .setTags(one, Set(tags.filter { _ in random.chance(0.5) }))
        case ..<92 where one != other:
            return .swapCodes(one, other, codes: [other, one].map { records[$0]?.code ?? "" })
        default:
            let all = records.keys.sorted()
            return all.count > 12 ? .delete(all.randomElement(using: &random) ?? one) : .rename(one, "Kept")
        }
    }

    private func blob(_ random: inout SeededGenerator) -> Blob? {
        let seed = UInt8.random(in: 1...255, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return nil
        case 1: return Blob(seed: seed, count: Int.random(in: 1..<2000, using: &random))
        default: return Blob(seed: seed, count: Int.random(in: 100_001..<130_000, using: &random))
        }
    }

    /// The operations of one save, applied to this world as well.
    mutating func drawSave(_ random: inout SeededGenerator, _ count: ClosedRange<Int> = 2...8) -> [Operation] {
        (0..<Int.random(in: count, using: &random)).map { _ in
            let operation = draw(&random)
            apply(operation)
            return operation
        }
    }
}

/// A sequence of saves derived from a seed, and the world after each of them.
struct Workload: Sendable {
    let saves: [[Operation]]
    /// One more than the saves: the first world is empty.
    let worlds: [World]

    init(seed: UInt64, saves count: Int, operations: ClosedRange<Int> = 2...8) {
        var random = SeededGenerator(seed: seed)
        var world = World()
        var (saves, worlds): ([[Operation]], [World]) = ([], [world])
        for _ in 0..<count {
            saves.append(world.drawSave(&random, operations))
            worlds.append(world)
        }
        (self.saves, self.worlds) = (saves, worlds)
    }
}
