// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the cost of a live view of an ordered relationship after its release.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Views of ordered relationships") struct OrderedViewTests {
    @Test("an object is observed as long as a view of it is retained")
    func letGo() throws {
        let graph = try Graph(in: .inMemory)
        let nodes = graph.nodes("root", "a")
        var view: NSMutableOrderedSet? = nodes[0].mutableOrderedSetValue(forKey: "children")
        #expect(nodes[0].flags.contains(.observed))
        view?.add(nodes[1])
        #expect(nodes[1].parent === nodes[0])
        view = nil
        #expect(!nodes[0].flags.contains(.observed))
        #expect(nodes[0].objectExtension?.observers == nil)
    }

    @Test("other observers stay when a view goes")
    func others() throws {
        let graph = try Graph(in: .inMemory)
        let root = graph.nodes("root")[0]
        let log = ValueLog<String?>()
        let observation = root.observe(\.name, options: .new) { log.add($1.newValue ?? nil) }
        root.mutableOrderedSetValue(forKey: "children").removeAllObjects()
        root.name = "top"
        #expect(log.values == ["top"])
        observation.invalidate()
    }

    @Test("a view that went elsewhere ends at the next one")
    func elsewhere() async throws {
        let graph = try Graph(in: .inMemory)
        let context = graph.stack.newContext(.privateQueueConcurrencyType)
        let held = View()
        await context.perform {
            let root = Node(context: context)
            held.root = root
            held.view = root.mutableOrderedSetValue(forKey: "children")
        }
        held.view = nil
        let (left, ended) = await context.perform {
            let left = held.root?.flags.contains(.observed)
            held.root?.mutableOrderedSetValue(forKey: "children").removeAllObjects()
            return (left, held.root?.flags.contains(.observed))
        }
        #expect(left == true)
        #expect(ended == false)
    }

    private final class View: @unchecked Sendable {  // used by one task
        var root: Node?
        var view: NSMutableOrderedSet?
    }
}
