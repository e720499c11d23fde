// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares batch requests with the same changes by objects, over random graphs.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Random batch requests") struct RandomBatchSpecification {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["OCD_BATCH_SEED"].flatMap(UInt64.init)
    private static let runs = environment["OCD_BATCH_RUNS"].flatMap(UInt64.init) ?? 8

    /// Proves: B1, B9, B15, B22, B23, B26, B27
    @Test("a batch request leaves the store as the same change by objects does", arguments: StoreKind.builtIn)
    func batchEqualsSaving(kind: StoreKind) throws {
        let seeds = Self.seed.map { [$0] } ?? Array(1...Self.runs)
        for seed in seeds {
            let run = try RandomBatchRun(kind, seed)
            for step in 0..<25 {
                let action = try run.step()
                let difference = try run.difference()
                #expect(difference == nil, "OCD_BATCH_SEED=\(seed), \(kind), step \(step): \(action)")
                if difference != nil { break }
            }
        }
    }
}

/// Two stores with the same nodes: one is changed by batch requests, the other one by objects.
private final class RandomBatchRun {
    private let batch: Stack
    private let saved: Stack
    private var random: SeededGenerator
    private var last = 0

    init(_ kind: StoreKind, _ seed: UInt64) throws {
        batch = try Stack(kind, GraphModel.make())
        saved = try Stack(kind, GraphModel.make())
        random = SeededGenerator(seed: seed)
        for _ in 0..<3 { _ = try insert() }
    }

    /// - Returns: a description of the step.
    func step() throws -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: try insert()
        case 4...5: try link()
        case 6...7: try update()
        default: try delete()
        }
    }

    // MARK: Steps

    private var names: [String] { get throws { try dump(saved).keys.sorted() } }

    private func some(_ names: [String]) -> [String] { names.filter { _ in random.chance(0.3) } }

    private func insert() throws -> String {
        let known = try last == 0 ? [] : names
        let rows = (0..<Int.random(in: 1...4, using: &random)).map { _ -> [String: String] in
            last += 1
            var row = ["name": "n\(1000 + last)"]
            for key in ["parent", "next", "twin"] where random.chance(0.4) {
                row[key] = known.randomElement(using: &random)
            }
            return row
        }
        let nodes = try nodes(batch.context)
        var dictionaries: [[String: Any]] = []
        for row in rows {
            var dictionary: [String: Any] = [:]
            for (key, value) in row { dictionary[key] = value }
            for key in ["parent", "next", "twin"] {
                if let name = row[key] { dictionary[key] = nodes[name]?.objectID }
            }
            dictionaries.append(dictionary)
        }
        try batch.context.execute(NSBatchInsertRequest(entityName: "Node", objects: dictionaries))
        try change(saved) { nodes, context in
            for row in rows {
                let node = Node(context: context)
                node.name = row["name"]
                // In the order of slots.
                for key in ["next", "parent", "twin"] {
                    if let name = row[key] { node.setValue(nodes[name], forKey: key) }
                }
            }
        }
        return "insert \(rows)"
    }

    /// Changed by objects in both stores: batch requests cannot write many-to-manys.
    private func link() throws -> String {
        let (ones, others) = (some(try names), some(try names).shuffled(using: &random))
        for stack in [batch, saved] {
            try change(stack) { nodes, _ in
                for (one, other) in zip(ones, others) {
                    if let one = nodes[one], let other = nodes[other] { one.neighbours.insert(other) }
                }
            }
        }
        return "link \(ones) \(others)"
    }

    private func update() throws -> String {
        let known = try names
        let chosen = some(known)
        let key = ["parent", "next", "twin"].randomElement(using: &random) ?? "next"
        let target = random.chance(0.3) ? nil : known.randomElement(using: &random)
        let request = NSBatchUpdateRequest(entityName: "Node")
        request.predicate = NSPredicate(format: "name IN %@", chosen)
        let id = try target.flatMap { try nodes(batch.context)[$0]?.objectID }
        if let id { request.propertiesToUpdate = [key: id] } else { request.propertiesToUpdate = [key: NSNull()] }
        try batch.context.execute(request)
        try change(saved) { nodes, _ in
            for name in chosen { nodes[name]?.setValue(target.flatMap { nodes[$0] }, forKey: key) }
        }
        return "\(key) of \(chosen) = \(target ?? "nil")"
    }

    private func delete() throws -> String {
        let chosen = some(try names)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Node")
        fetch.predicate = NSPredicate(format: "name IN %@", chosen)
        try batch.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        try change(saved) { nodes, context in
            for name in chosen { if let node = nodes[name] { context.delete(node) } }
        }
        return "delete \(chosen)"
    }

    // MARK: Stores

    private func nodes(_ context: NSManagedObjectContext) throws -> [String: Node] {
        context.reset()
        return Dictionary(
            try context.fetch(NSFetchRequest<Node>(entityName: "Node")).map { ($0.name ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private func change(_ stack: Stack, _ body: ([String: Node], NSManagedObjectContext) throws -> Void) throws {
        let context = stack.newContext()
        try body(try nodes(context), context)
        try context.save()
    }

    private func dump(_ stack: Stack) throws -> [String: String] {
        let context = stack.newContext()
        return try nodes(context).mapValues { node in
            let ones = [node.twin, node.next, node.previous, node.parent].map { $0?.name ?? "-" }
            return "\(ones) \(node.neighbours.compactMap(\.name).sorted()) \(node.children.compactMap(\.name))"
        }
    }

    func difference() throws -> String? {
        let (one, other) = (try dump(batch), try dump(saved))
        let names = Set(one.keys).union(other.keys).sorted()
        return names.first { one[$0] != other[$0] }.map {
            "\($0): \(one[$0] ?? "none") by batch, \(other[$0] ?? "none") by objects"
        }
    }
}
