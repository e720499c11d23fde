// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares batch requests with the same changes by objects: unique values, large data, derived attributes.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Random values of batch requests") struct RandomBatchValueSpecification {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["OCD_BATCH_SEED"].flatMap(UInt64.init)
    private static let runs = environment["OCD_BATCH_RUNS"].flatMap(UInt64.init) ?? 5

    /// Proves: B1, B9, B14, B17, B21, B24, B27
    @Test("values are those of the same change by objects, and both fail alike", arguments: StoreKind.builtIn)
    func batchEqualsSaving(kind: StoreKind) throws {
        let seeds = Self.seed.map { [$0] } ?? Array(1...Self.runs)
        for seed in seeds {
            let run = try RandomValueRun(kind, seed)
            for step in 0..<25 {
                let action = try run.step()
                let difference = try run.difference()
                #expect(difference == nil, "OCD_BATCH_SEED=\(seed), \(kind), step \(step): \(action)")
                if difference != nil { break }
            }
            #expect(run.failures < 25)
        }
    }
}

/// Two stores with the same things: one is changed by batch requests, the other one by objects.
private final class RandomValueRun {
    private let batch: Stack
    private let saved: Stack
    private var random: SeededGenerator
    private var last = 0
    private var mismatch: String?
    private(set) var failures = 0

    init(_ kind: StoreKind, _ seed: UInt64) throws {
        batch = try Stack(kind, Self.model())
        saved = try Stack(kind, Self.model())
        random = SeededGenerator(seed: seed)
        for _ in 0..<3 { _ = try insert() }
    }

    /// A thing has a unique code, data in an external file, a parent, and attributes derived from its own title and
    /// from its children.
    private static func model() -> NSManagedObjectModel {
        let thing = NSEntityDescription("Thing", class: NSManagedObject.self)
        thing.attribute("name", .stringAttributeType)
        thing.attribute("title", .stringAttributeType)
        thing.attribute("code", .integer32AttributeType)
        thing.attribute("load", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        thing.derived("folded", .stringAttributeType, "canonical:(title)")
        thing.derived("size", .integer64AttributeType, "children.@count")
        thing.uniquenessConstraints = [["code"]]
        thing.relate("children", .many, to: thing, inverse: "parent", .one)
        return NSManagedObjectModel(thing)
    }

    /// - Returns: a description of the step.
    func step() throws -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: try insert()
        case 4...7: try update()
        default: try delete()
        }
    }

    // MARK: Steps

    private var names: [String] { get throws { try dump(saved).keys.sorted() } }

    private func some(_ names: [String]) -> [String] { names.filter { _ in random.chance(0.3) } }

    /// Values of some attributes; large data is in external files.
    private func values() -> [String: Any] {
        var values: [String: Any] = ["code": Int.random(in: 0..<60, using: &random)]
        if random.chance(0.5) { values["title"] = ["Été", "ZÜRICH", "plain"].randomElement(using: &random) }
        if random.chance(0.4) {
            let count = [10, 150_000].randomElement(using: &random) ?? 10
            values["load"] = Data(repeating: UInt8.random(in: 0...255, using: &random), count: count)
        }
        return values
    }

    private func insert() throws -> String {
        let known = try last == 0 ? [] : names
        let rows = (0..<Int.random(in: 1...4, using: &random)).map { _ -> (values: [String: Any], parent: String?) in
            last += 1
            var row = values()
            row["name"] = "n\(1000 + last)"
            return (row, random.chance(0.4) ? known.randomElement(using: &random) : nil)
        }
        let things = try things(batch.context)
        let dictionaries = rows.map { row in
            var dictionary = row.values
            if let parent = row.parent { dictionary["parent"] = things[parent]?.objectID }
            return dictionary
        }
        try compare {
            try batch.context.execute(NSBatchInsertRequest(entityName: "Thing", objects: dictionaries))
        } with: { things, context in
            for row in rows {
                let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                for (key, value) in row.values { thing.setValue(value, forKey: key) }
                if let parent = row.parent { thing.setValue(things[parent], forKey: "parent") }
            }
        }
        return "insert \(rows.map { "\($0.values["name"] ?? "") \($0.values["code"] ?? "") \($0.parent ?? "-")" })"
    }

    private func update() throws -> String {
        let known = try names
        let chosen = random.chance(0.4) ? [known.randomElement(using: &random)].compactMap { $0 } : some(known)
        let (key, value) = values().sorted { $0.key < $1.key }.randomElement(using: &random) ?? ("title", "plain")
        let new: Any? = key != "code" && random.chance(0.2) ? nil : value
        let parent: String?? = random.chance(0.3) ? .some(known.randomElement(using: &random)) : .none
        let request = NSBatchUpdateRequest("Thing", [key: new ?? NSNull()])
        request.predicate = NSPredicate(format: "name IN %@", chosen)
        if let parent {
            let id = try parent.flatMap { try things(batch.context)[$0]?.objectID }
            request.propertiesToUpdate?["parent"] = id.map { $0 as Any } ?? NSNull()
        }
        try compare {
            try batch.context.execute(request)
        } with: { things, _ in
            for name in chosen {
                things[name]?.setValue(new, forKey: key)
                if let parent { things[name]?.setValue(parent.flatMap { things[$0] }, forKey: "parent") }
            }
        }
        return "\(key) of \(chosen), parent \(parent.map { $0 ?? "nil" } ?? "as it is")"
    }

    private func delete() throws -> String {
        let chosen = some(try names)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Thing")
        fetch.predicate = NSPredicate(format: "name IN %@", chosen)
        try compare {
            try batch.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        } with: { things, context in
            for name in chosen { if let thing = things[name] { context.delete(thing) } }
        }
        return "delete \(chosen)"
    }

    // MARK: Stores

    /// Makes a change in both ways. Both must succeed, or fail with the same code.
    private func compare(
        _ request: () throws -> Void, with body: ([String: NSManagedObject], NSManagedObjectContext) throws -> Void
    ) throws {
        let context = saved.newContext()
        let things = try things(context)
        let (one, other) = (
            code(of: request),
            code {
                try body(things, context)
                try context.save()
            }
        )
        if one != nil { failures += 1 }
        if one != other { mismatch = "the batch request fails with \(one ?? 0), the save with \(other ?? 0)" }
    }

    private func things(_ context: NSManagedObjectContext) throws -> [String: NSManagedObject] {
        context.reset()
        return Dictionary(
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")).map {
                ($0.value(forKey: "name") as? String ?? "", $0)
            }, uniquingKeysWith: { first, _ in first })
    }

    private func dump(_ stack: Stack) throws -> [String: String] {
        let context = stack.newContext()
        return try things(context).mapValues { thing in
            let load = thing.value(forKey: "load") as? Data
            let texts = ["title", "code", "folded", "size"].map { "\(thing.value(forKey: $0) ?? "-")" }
            let parent = (thing.value(forKey: "parent") as? NSManagedObject)?.value(forKey: "name") ?? "-"
            return "\(texts) \(parent) \(load.map { "\($0.count) of \($0.first ?? 0)" } ?? "-")"
        }
    }

    func difference() throws -> String? {
        if let mismatch { return mismatch }
        let (one, other) = (try dump(batch), try dump(saved))
        let names = Set(one.keys).union(other.keys).sorted()
        return names.first { one[$0] != other[$0] }.map {
            "\($0): \(one[$0] ?? "none") by batch, \(other[$0] ?? "none") by objects"
        }
    }
}
