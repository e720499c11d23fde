// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parts of a model do not retain the entities that they refer to.

import Foundation
import Testing

@testable import CoreData

/// Proves: Objects-C5
@Suite("Parts of a model do not retain the entities they refer to")
struct EntityLinkTests {
    @Test("a destination, a superentity and an owner are nil once the entity is gone") func gone() {
        let relationship = NSRelationshipDescription()
        let child = NSEntityDescription()
        let index = NSFetchIndexDescription(name: "byName", elements: [])
        do {
            let entity = NSEntityDescription()
            entity.subentities = [child]
            entity.indexes = [index]
            relationship.destinationEntity = entity
            #expect(relationship.destinationEntity === entity)
            #expect(child.superentity === entity)
            #expect(index.entity === entity)
        }
        #expect(relationship.destinationEntity == nil)
        #expect(child.superentity == nil)
        #expect(index.entity == nil)
    }

    @Test("following a link while the entity dies gives the entity or nil") func threads() {
        for _ in 0..<500 {
            let box = Box()
            let link = box.begin()
            let reading = DispatchGroup()
            for _ in 0..<2 {
                DispatchQueue.global().async(group: reading) { for _ in 0..<50 { box.note(link.entity?.name) } }
            }
            box.end()
            reading.wait()
            #expect(link.entity == nil)
        }
    }

    private final class Box: @unchecked Sendable {  // `entity` is one thread's, `note` writes nothing
        private var entity: NSEntityDescription?

        func begin() -> EntityLink {
            let entity = NSEntityDescription()
            entity.name = "Book"
            self.entity = entity
            return entity.link
        }

        func end() { entity = nil }

        func note(_ name: String?) { if let name, name != "Book" { Issue.record("another entity") } }
    }
}
