// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One step of random work on several contexts, and the choice of the next ones.

import CoreDataTestSupport

/// A step does nothing if its things are missing or deleted, so any part of a sequence can run without the rest.
enum MergeStep: Sendable, CustomStringConvertible {
    /// Refreshes everything, and reads all values.
    case sync(Int)
    /// Refreshes everything, and reads only these things; the others are faults.
    case part(Int, [String])
    case insert(Int, String)
    case delete(Int, String)
    case note(Int, String, String)
    case point(Int, String, String, to: String?)
    case add(Int, String, String, String)
    case remove(Int, String, String, position: Int)
    /// Moves the last member to the front.
    case rotate(Int, String, String)
    case empty(Int, String, String)
    case process(Int)
    /// Refreshes one thing, and keeps its changes.
    case refresh(Int, String)
    case save(Int)

    var side: Int {
        switch self {
        case .sync(let side), .part(let side, _), .insert(let side, _), .delete(let side, _), .note(let side, _, _),
            .point(let side, _, _, _), .add(let side, _, _, _), .remove(let side, _, _, _), .rotate(let side, _, _),
            .empty(let side, _, _), .process(let side), .refresh(let side, _), .save(let side):
            side
        }
    }

    var description: String {
        switch self {
        case .sync(let side): "\(side): refresh and read everything"
        case .part(let side, let names): "\(side): refresh everything, read \(names.joined(separator: ", "))"
        case .insert(let side, let name): "\(side): insert \(name)"
        case .delete(let side, let name): "\(side): delete \(name)"
        case .note(let side, let name, let text): "\(side): \(name).note = '\(text)'"
        case .point(let side, let name, let key, let other): "\(side): \(name).\(key) = \(other ?? "nil")"
        case .add(let side, let name, let key, let other): "\(side): add \(other) to \(name).\(key)"
        case .remove(let side, let name, let key, let position): "\(side): remove number \(position) of \(name).\(key)"
        case .rotate(let side, let name, let key): "\(side): rotate \(name).\(key)"
        case .empty(let side, let name, let key): "\(side): \(name).\(key) = []"
        case .process(let side): "\(side): process pending changes"
        case .refresh(let side, let name): "\(side): refresh \(name) below its changes"
        case .save(let side): "\(side): save"
        }
    }
}

/// The part of the store that a side of random merges has read.
enum MergeView: CaseIterable, CustomStringConvertible {
    case whole
    /// Some objects are read, the others are faults when the changes begin.
    case part
    /// A child context: saved with its parent.
    case nested
    case nestedPart

    var isNested: Bool { self == .nested || self == .nestedPart }
    var isWhole: Bool { self == .whole || self == .nested }

    var description: String {
        switch self {
        case .whole: "reads everything"
        case .part: "reads a part"
        case .nested: "is a child"
        case .nestedPart: "is a child that reads a part"
        }
    }
}

/// Draws whole rounds: every context reads everything or a part, all of them make changes, then each saves in turn.
struct MergeChoice {
    private var random: SeededGenerator
    private var names = ["a", "b", "c", "d", "e"]
    private var insertions = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Two or three sides. The first one, which inserts the first things, is no child.
    mutating func views() -> [MergeView] {
        let count = Int.random(in: 2...3, using: &random)
        return [random.chance(0.5) ? .whole : .part]
            + (1..<count).map { _ in MergeView.allCases.randomElement(using: &random) ?? .whole }
    }

    mutating func beginning() -> [MergeStep] {
        var steps = names.map { MergeStep.insert(0, $0) }
        for _ in 0..<6 { steps.append(link(0)) }
        return steps + [.save(0)]
    }

    /// - Parameter refreshes: whether things are refreshed and changed again between the saves of the sides.
    mutating func round(_ views: [MergeView], refreshes: Bool) -> [MergeStep] {
        let sides = views.indices
        var steps = sides.map { views[$0].isWhole ? MergeStep.sync($0) : .part($0, someNames()) }
        for side in sides {
            for _ in 0..<Int.random(in: 1...4, using: &random) { steps.append(change(side)) }
            if random.chance(0.3) { steps.append(.process(side)) }
        }
        for side in sides.shuffled(using: &random) {
            if refreshes { steps += refresh(side) }
            steps.append(.save(side))
        }
        return steps
    }

    private mutating func refresh(_ side: Int) -> [MergeStep] {
        let steps = someNames().map { MergeStep.refresh(side, $0) }
        return random.chance(0.5) ? steps : steps + [change(side)]
    }

    private mutating func change(_ side: Int) -> MergeStep {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .delete(side, name())
        case 1:
            insertions += 1
            names.append("i\(insertions)")
            return .insert(side, "i\(insertions)")
        case 2: return .note(side, name(), "\(Int.random(in: 0..<100, using: &random))")
        case 3: return .process(side)
        default: return link(side)
        }
    }

    private mutating func link(_ side: Int) -> MergeStep {
        if Bool.random(using: &random) {
            return .point(side, name(), key(LinkedThings.toOnes), to: random.chance(0.25) ? nil : name())
        }
        let (name, key) = (name(), key(LinkedThings.toManys))
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return .remove(side, name, key, position: Int.random(in: 0..<3, using: &random))
        case 2: return .rotate(side, name, key)
        case 3: return .empty(side, name, key)
        default: return .add(side, name, key, self.name())
        }
    }

    private mutating func someNames() -> [String] {
        var some: [String] = []
        for name in names where random.chance(0.3) { some.append(name) }
        return some
    }

    private mutating func name() -> String { names.randomElement(using: &random) ?? "a" }

    private mutating func key(_ keys: [String]) -> String { keys.randomElement(using: &random) ?? "twin" }
}
