// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws the next step of random work that makes sense in its current state.

import CoreDataTestSupport

/// The settings of a run.
struct Settings: Sendable, CustomStringConvertible {
    var hasUndo = false
    var propagatesLate = false

    var description: String { "undo \(hasUndo ? "on" : "off"), delete rules \(propagatesLate ? "late" : "at once")" }
}

struct OperationChoice {
    private var random: SeededGenerator
    private var made = 0
    private static let texts: [Value?] = [.text("plain"), .text("red"), .text("blue"), nil]
    private static let fewest = 4
    private static let most = 12

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func settings() -> Settings {
        Settings(hasUndo: random.chance(0.5), propagatesLate: random.chance(0.15))
    }

    /// Short runs find most defects; only long ones find some.
    mutating func length() -> Int { random.chance(0.05) ? 60 : Int.random(in: 6...18, using: &random) }

    /// - Parameter levels: the working context, after its parents.
    mutating func next(_ levels: [ReferenceContext], held: [String]) -> Operation {
        guard let context = levels.last else { return .look }
        let live = context.live
        if live.count < Self.fewest { return insertion() }
        if levels.count > 1, random.chance(0.06) { return .end }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<46: return change(context, live)
        case 46..<50: return .process
        case 50..<54: return context.history.isRecording ? .closeGroup : .look
        case 54..<59: return context.history.isRecording ? .undo : change(context, live)
        case 59..<62: return context.history.isRecording ? .redo : change(context, live)
        case 62..<70: return .save
        case 70..<72: return context.violations > 0 || random.chance(0.5) ? .rollback : .save
        case 72..<74: return .permanentIDs(Array(live.shuffled(using: &random).prefix(2)))
        case 74..<77: return .refresh(pick(live), merge: random.chance(0.5))
        case 77..<79: return .refreshAll
        case 79: return .reset
        case 80..<83: return .hold(pick(live))
        case 83: return held.isEmpty ? .hold(pick(live)) : .drop(pick(held))
        case 84: return .dropAll
        case 85..<88: return levels.count == 1 ? rival(context) : .save
        case 88: return .begin(undo: random.chance(0.3))
        case 89..<95: return .ask(query(live, context))
        default: return .look
        }
    }

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: list.indices, using: &random)] }

    // MARK: Changes

    private mutating func insertion() -> Operation {
        made += 1
        return .insert("n\(made)", entity: pick(["Item", "Item", "Item", "Special", "Box", "Label"]))
    }

    private mutating func change(_ context: ReferenceContext, _ live: [String]) -> Operation {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2 where live.count < Self.most: return insertion()
        case 2..<4: return deletion(live)
        case 4..<8: return setting(context, live)
        default: return linking(context, live)
        }
    }

    /// So that objects always remain: a deletion may remove whole families.
    private mutating func deletion(_ live: [String]) -> Operation {
        live.count > Self.fewest + 2 ? .delete(pick(live)) : insertion()
    }

    private mutating func setting(_ context: ReferenceContext, _ live: [String]) -> Operation {
        let name = pick(live)
        switch pick(World.attributes(of: context.records[name]?.entity ?? "").filter { $0 != "name" }) {
        case "number":
            // Occasionally breaks a rule, so that a save fails.
            let isTooGreat = random.chance(0.07)
            return .set(name, "number", .number(isTooGreat ? 200 : Int.random(in: 0...9, using: &random)))
        case "rank":
            return .set(name, "rank", random.chance(0.3) ? nil : .number(Int.random(in: 0...3, using: &random)))
        case let attribute: return .set(name, attribute, pick(Self.texts))
        }
    }

    private mutating func linking(_ context: ReferenceContext, _ live: [String]) -> Operation {
        let name = pick(live)
        let link = pick(World.links(of: context.records[name]?.entity ?? ""))
        let others = live.filter { World.root(context.records[$0]?.entity ?? "") == link.destination }
        let members = context.records[name]?.members(link.name).filter { context.isLive($0) } ?? []
        guard !others.isEmpty else { return insertion() }
        guard link.isToMany else { return .link(name, link.name, random.chance(0.25) ? nil : pick(others)) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let position =
                link.isOrdered && random.chance(0.5) ? Int.random(in: 0...members.count, using: &random) : nil
            return .add(name, link.name, pick(others), at: position)
        case 5..<7 where !members.isEmpty: return .remove(name, link.name, pick(members))
        case 7 where members.count > 1: return .replace(name, link.name, members.shuffled(using: &random))
        default: return .replace(name, link.name, Array(others.shuffled(using: &random).prefix(3)))
        }
    }

    private mutating func rival(_ context: ReferenceContext) -> Operation {
        var theirs = ReferenceContext(sharing: context.committed)
        var work: [Operation] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let live = theirs.live
            guard live.count >= Self.fewest else { break }
            let step = change(theirs, live)
            guard theirs.allows(step) else { continue }
            theirs.change(step)
            work.append(step)
        }
        return .rival(work, byIDs: random.chance(0.5))
    }

    // MARK: Questions

    private mutating func query(_ live: [String], _ context: ReferenceContext) -> Query {
        var query = Query()
        query.entity = pick(["Item", "Item", "Item", "Special", "Box", "Label"])
        query.filter = filter(live, context, isItem: World.root(query.entity) == "Item", depth: 2)
        query.sortsByNumber = random.chance(0.4)
        query.isAscending = random.chance(0.6)
        if random.chance(0.3) { query.limit = Int.random(in: 1...3, using: &random) }
        if random.chance(0.2) { query.offset = Int.random(in: 0...2, using: &random) }
        query.includesPending = random.chance(0.85)
        query.includesSubentities = random.chance(0.8)
        return query
    }

    private mutating func filter(
        _ live: [String], _ context: ReferenceContext, isItem: Bool, depth: Int
    ) -> Query.Filter {
        let number = Int.random(in: 0...9, using: &random)
        let items = live.filter { World.root(context.records[$0]?.entity ?? "") == "Item" }
        let labels = live.filter { context.records[$0]?.entity == "Label" }
        switch Int.random(in: 0..<(isItem ? 14 : 7), using: &random) {
        case 0: return .all
        case 1: return .numberAbove(number)
        case 2: return .text(pick(Self.texts))
        case 3: return .named(Array(live.shuffled(using: &random).prefix(4)))
        case 4: return .among(Array(live.shuffled(using: &random).prefix(4)))
        case 5, 6:
            guard depth > 0 else { return .all }
            let one = filter(live, context, isItem: isItem, depth: depth - 1)
            let two = filter(live, context, isItem: isItem, depth: depth - 1)
            return random.chance(0.5) ? .both(one, two) : .either(one, two)
        case 7: return .parent(items.isEmpty || random.chance(0.3) ? nil : pick(items))
        case 8: return .parentAbove(number)
        case 9: return .nextText("red")
        case 10, 11: return .neighbours(atLeast: Int.random(in: 1...2, using: &random))
        case 12 where !labels.isEmpty: return .hasLabel(pick(labels))
        default: return .anyNeighbourAbove(number)
        }
    }
}
