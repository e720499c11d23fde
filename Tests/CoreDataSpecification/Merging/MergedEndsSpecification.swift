// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that both ends of relationships agree in memory after a merge.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Both ends after a merge") struct MergedEndsSpecification {
    /// Proves: C23
    @Test(
        "each side adds a child to another parent, and makes parent and child neighbours of a third node",
        arguments: StoreKind.all, Winner.allCases)
    func newChildren(store: StoreKind, winner: Winner) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("one", "two", "three")
        try graph.context.save()
        let sides = Sides(graph.stack)
        for node in nodes { #expect(node.children.isEmpty && node.neighbours.isEmpty) }
        change(nodes[0], with: nodes[2], "mine", in: sides.mine)
        change(try sides.their(nodes[1]), with: try sides.their(nodes[2]), "theirs", in: sides.theirs)
        #expect(try sides.save(winner) == nil)
        // In memory, without a refresh, and with all members read.
        let objects = try sides.mine.fetch(Node.request())
        let found = Set(objects.map(Text.init))
        let broken = sides.mine.innerFindings
        #expect(broken.isEmpty)
        #expect(!sides.mine.hasChanges)
        let stored = try Set(sides.stack.stored(Node.request(), Text.init))
        #expect(found == stored)
        #expect(objects.count == 5)
    }

    private func change(_ parent: Node, with neighbour: Node, _ name: String, in context: NSManagedObjectContext) {
        let child = Node(context: context)
        child.name = name
        parent.children = [child]
        parent.neighbours = [neighbour]
        child.neighbours = [neighbour]
    }

    /// The relationships of a node, by the names of their destinations.
    private struct Text: Hashable, CustomStringConvertible {
        let description: String

        init(_ node: Node) {
            description =
                "\(node.name ?? "") has the parent \(node.parent?.name ?? "none"), the children \(node.children.names("name")), "
                + "the neighbours \(node.neighbours.names("name"))"
        }
    }
}
