// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Delete rules, applied to a graph of numbers instead of managed objects.

import CoreDataTestSupport
import Testing

@testable import CoreData

/// Proves: Contexts-6, Changes-6
@Suite("Delete rules without a context") struct DeletePropagationTests {
    @Test("a cascade deletes level by level, one wave for each") func cascade() throws {
        let graph = try NumberGraph("children", [1: [2, 3], 2: [4], 3: [5], 5: [6]])
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.waves == [[1], [2, 3], [4, 5], [6]])
        #expect(graph.deleted == [1, 2, 3, 4, 5, 6])
    }

    @Test("a circle of cascades ends") func circle() throws {
        let graph = try NumberGraph("children", [1: [2], 2: [3], 3: [1]])
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.waves == [[1], [2], [3]])
    }

    @Test("an object that two cascades reach is deleted once") func diamond() throws {
        let graph = try NumberGraph("children", [1: [2, 3], 2: [4], 3: [4]])
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.deleted == [1, 2, 3, 4])
    }

    @Test("Nullify ends the relationship and deletes nothing") func nullify() throws {
        let graph = try NumberGraph("friends", [1: [2, 3]])
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.deleted == [1])
        #expect(graph.nullified == [1])
    }

    @Test("Deny and No Action change neither relationship nor destinations", arguments: ["guards", "notes"])
    func untouched(name: String) throws {
        let graph = try NumberGraph(name, [1: [2]])
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.deleted == [1])
        #expect(graph.links == [1: [2]])
        #expect(graph.nullified == [])
    }

    @Test("rules wait for unreadable objects, at the wave that they have reached") func unreadable() throws {
        let graph = try NumberGraph("children", [1: [2], 2: [3]])
        graph.unreadableWave = 1
        DeletePropagation(graph: graph).run(deleting: [1])
        #expect(graph.deleted == [1, 2])
        #expect(graph.propagated == [1])
        graph.unreadableWave = nil
        DeletePropagation(graph: graph).run()
        #expect(graph.deleted == [1, 2, 3])
        #expect(graph.propagated == [1, 2, 3])
    }

    @Test("destinations are read for Cascade, and for Nullify with an inverse")
    func reads() throws {
        let layout = try NumberGraph.layout()
        let needed = layout.relationshipSlots.filter(layout.ruleNeedsDestinations).map { layout.properties[$0].name }
        #expect(Set(needed) == ["children", "friends"])
    }

    @Test("destinations are read also where the inverse is the first property of its entity")
    func firstProperty() throws {
        let entities = OwnersModel.make(.nullifyDeleteRule).entities
        let layout = try #require(ModelLayout(entities: entities).layout(named: "Owner"))
        let slot = try #require(layout.slot("things"))
        #expect(layout[slot].inverse == 0)
        #expect(layout.ruleNeedsDestinations(slot))
    }
}

/// Objects are numbers, and links belong to one relationship.
private final class NumberGraph: DeletionGraph {
    private let layout: EntityLayout
    private let slot: Int
    var links: [Int: [Int]]
    private(set) var deleted: [Int] = []
    private(set) var propagated: [Int] = []
    private(set) var nullified: [Int] = []
    private(set) var waves: [[Int]] = []
    var unreadableWave: Int?

    init(_ relationship: String, _ links: [Int: [Int]]) throws {
        layout = try Self.layout()
        slot = try #require(layout.slot(relationship))
        self.links = links
    }

    /// An entity with a relationship for each delete rule.
    static func layout() throws -> EntityLayout {
        let node = NSEntityDescription("Node")
        node.relationship("children", .many, .cascadeDeleteRule, to: node)
        node.relationship("guards", .many, .denyDeleteRule, to: node)
        node.relationship("notes", .many, .noActionDeleteRule, to: node)
        node.relate("friends", .many, .nullifyDeleteRule, to: node, inverse: "friends", .many)
        return try #require(ModelLayout(entities: NSManagedObjectModel(node).entities).layout(named: "Node"))
    }

    private func unpropagated() -> [Int] { deleted.filter { !propagated.contains($0) } }

    func firstWave() -> [Int] { unpropagated() }

    func nextWave() throws(Never) -> [Int] { unpropagated() }

    func apply(_ wave: [Int], _ body: () -> Void) throws(Never) -> Bool {
        if waves.count == unreadableWave { return false }
        waves.append(wave)
        body()
        return true
    }

    func layout(of object: Int) -> EntityLayout { layout }

    func markPropagated(_ object: Int) { propagated.append(object) }

    func nullify(_ object: Int, _ slot: Int) { if slot == self.slot, links[object] != nil { nullified.append(object) } }

    func cascade(_ object: Int, _ slot: Int) { if slot == self.slot { links[object]?.forEach(delete) } }

    func deny(_ object: Int, _ slot: Int) {}

    func delete(_ object: Int) { if !deleted.contains(object) { deleted.append(object) } }
}

extension DeletePropagation where Graph == NumberGraph {
    fileprivate func run(deleting objects: [Int]) {
        for object in objects { graph.delete(object) }
        run()
    }
}
