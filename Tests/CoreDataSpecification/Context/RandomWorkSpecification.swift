// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that any mixture of work leaves both ends of all relationships in step, in the context and in the store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Random work") struct RandomWorkSpecification {
    /// Proves: M2, M10, C21, C22
    @Test("changes, deletions, saves, refreshes and rollbacks in any order", arguments: StoreKind.all, 1...6)
    func mixture(store: StoreKind, seed: UInt64) throws {
        let work = try RandomWork(store, seed: seed)
        for step in 0..<150 {
            try work.step()
            try #require(work.findings() == [], "seed \(seed), step \(step): \(work.history)")
        }
        try work.graph.context.save()
        try #require(work.storeFindings() == [], "seed \(seed): \(work.history)")
    }

    /// Proves: M17
    @Test("undo all the way leads back, and redo forth again", arguments: StoreKind.all, 1...6)
    func undo(store: StoreKind, seed: UInt64) throws {
        try undoAndRedo(store, seed) { _, _ in }
    }

    /// Proves: M17
    @Test("so they do with saves in between", arguments: StoreKind.all, 1...6)
    func undoAcrossSaves(store: StoreKind, seed: UInt64) throws {
        try undoAndRedo(store, seed) { step, context in
            if step % 4 == 0 { try context.save() }
        }
    }

    private func undoAndRedo(
        _ store: StoreKind, _ seed: UInt64, between: (Int, NSManagedObjectContext) throws -> Void
    ) throws {
        let work = try RandomWork(store, seed: seed)
        let context = work.graph.context
        for _ in 0..<20 { try work.step() }
        try context.save()
        let before = try work.picture()
        work.startRecording()
        for step in 0..<25 {
            try work.undoableStep()
            try between(step, context)
        }
        let after = try work.picture()
        for step in 0..<25 where context.undoManager?.canUndo == true {
            context.undo()
            try between(step, context)
        }
        try #require(context.undoManager?.canUndo == false)
        try #require(work.findings() == [], "seed \(seed): \(work.history)")
        try #require(try work.picture() == before, "seed \(seed): \(work.history)")
        for step in 0..<25 where context.undoManager?.canRedo == true {
            context.redo()
            try between(step, context)
        }
        try #require(work.findings() == [], "seed \(seed): \(work.history)")
        try #require(try work.picture() == after, "seed \(seed): \(work.history)")
        try context.save()
        try #require(work.storeFindings() == [], "seed \(seed): \(work.history)")
    }
}

/// Works on a graph by chance, the same for the same seed.
private final class RandomWork {
    let graph: Graph
    private(set) var history: [String] = []
    private var random: Generator
    private var made = 0

    init(_ store: StoreKind, seed: UInt64) throws {
        graph = try Graph(in: store)
        random = Generator(state: seed)
        for _ in 0..<6 { insert() }
        try graph.context.save()
    }

    func startRecording() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        graph.context.undoManager = manager
    }

    func undoableStep() throws {
        graph.context.undoManager?.beginUndoGrouping()
        change(Int.random(in: 0..<11, using: &random), try nodes())
        graph.context.processPendingChanges()
        graph.context.undoManager?.endUndoGrouping()
    }

    func step() throws {
        let choice = Int.random(in: 0..<18, using: &random)
        switch choice {
        case 11, 12: try note("save") { try graph.context.save() }
        case 13: try note("rollback") { graph.context.rollback() }
        case 14: try note("refreshAll") { graph.context.refreshAllObjects() }
        case 15: try note("process") { graph.context.processPendingChanges() }
        case 16:
            guard let node = try nodes().randomElement(using: &random) else { return }
            try note("refresh \(node.name ?? "")") { graph.context.refresh(node, mergeChanges: true) }
        case 17:
            try note("reset") {
                try graph.context.save()
                graph.context.reset()
            }
        default: change(choice, try nodes())
        }
    }

    private func change(_ choice: Int, _ nodes: [Node]) {
        guard let one = nodes.randomElement(using: &random), let two = nodes.randomElement(using: &random) else {
            insert()
            return
        }
        // So that there always is something to work on: a deletion may take whole families along.
        let choice = nodes.count < 7 && choice == 10 ? 0 : choice
        history.append("\(choice) \(one.name ?? "") \(two.name ?? "")")
        switch choice {
        case 0:
            insert()
            insert()
        case 1: one.twin = two
        case 2: one.next = two
        case 3: if !isAncestor(one, of: two) { one.parent = two }
        case 4: one.mutableSetValue(forKey: "neighbours").add(two)
        case 5: one.mutableSetValue(forKey: "neighbours").remove(two)
        case 6: one.neighbours = Set(nodes.shuffled(using: &random).prefix(3))
        case 7: one.children = one.children.shuffled(using: &random)
        case 8: one.next = nil
        case 9: one.parent = nil
        default:
            graph.context.delete(one)
            graph.context.processPendingChanges()
        }
    }

    private func insert() {
        made += 1
        _ = graph.nodes("n\(made)")
    }

    private func isAncestor(_ node: Node, of other: Node) -> Bool {
        var current: Node? = other
        while let known = current {
            if known === node { return true }
            current = known.parent
        }
        return false
    }

    private func note(_ text: String, _ body: () throws -> Void) throws {
        history.append(text)
        try body()
    }

    /// In the order of their names: the same for each run.
    private func nodes() throws -> [Node] {
        try graph.context.fetch(Node.request()).sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// Where the two ends of a relationship differ.
    func findings() throws -> [String] { try Self.findings(in: graph.context) }

    private static func findings(in context: NSManagedObjectContext) throws -> [String] {
        let nodes = try context.fetch(Node.request())
        var result: [String] = []
        for node in nodes {
            let name = node.name ?? ""
            if let twin = node.twin, twin.twin !== node { result.append("twin of \(name)") }
            if let next = node.next, next.previous !== node { result.append("next of \(name)") }
            if let previous = node.previous, previous.next !== node { result.append("previous of \(name)") }
            if let parent = node.parent, !parent.children.contains(node) { result.append("parent of \(name)") }
            for child in node.children where child.parent !== node { result.append("child of \(name)") }
            for other in node.neighbours where !other.neighbours.contains(node) {
                result.append("neighbour of \(name)")
            }
            for other in [node.twin, node.next, node.previous, node.parent] + node.children + Array(node.neighbours) {
                if let other, !nodes.contains(other) { result.append("\(name) leads to what is gone") }
            }
        }
        return result
    }

    /// Where the store differs from the context, or within itself.
    func storeFindings() throws -> [String] {
        let other = graph.stack.newContext()
        let (mine, stored) = (try picture(), try Self.picture(of: other))
        var result = try Self.findings(in: other)
        for (name, line) in mine where stored[name] != line {
            result.append("\(name) is \(line) and stored as \(stored[name] ?? "nothing")")
        }
        result += Set(stored.keys).subtracting(mine.keys).map { "\($0) is stored and should be gone" }
        return result
    }

    /// Every node with all its relationships.
    func picture() throws -> [String: String] { try Self.picture(of: graph.context) }

    private static func picture(of context: NSManagedObjectContext) throws -> [String: String] {
        var result: [String: String] = [:]
        for node in try context.fetch(Node.request()) {
            let ones = [node.twin, node.next, node.previous, node.parent].map { $0?.name ?? "-" }
            let neighbours = node.neighbours.compactMap(\.name).sorted()
            result[node.name ?? ""] = "\(ones) \(neighbours) \(node.children.compactMap(\.name))"
        }
        return result
    }
}

/// SplitMix64: small, and the same everywhere.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
