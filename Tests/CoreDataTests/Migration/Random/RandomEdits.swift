// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes random models and changes them from version to version.

import CoreDataTestSupport
import Foundation

@testable import CoreData

struct RandomEdits {
    var generator: SeededGenerator
    private(set) var versions: [RandomVersion] = []
    private var last = 0
    private var version = RandomVersion()
    /// Removed elements, which may come back.
    private var removedAttributes: [(entity: Int, attribute: RandomVersion.Attribute)] = []
    private var removedEntities: [RandomVersion.Entity] = []

    /// - Parameters:
    ///   - count: of versions.
    ///   - edits: the most between two versions.
    init(seed: UInt64, count: Int, edits: Int) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 2...4, using: &generator) { addEntity() }
        for _ in 0..<Int.random(in: 1...4, using: &generator) { addLink() }
        versions = [version]
        for _ in 1..<count {
            for _ in 0..<Int.random(in: 1...edits, using: &generator) { edit() }
            versions.append(version)
        }
    }

    private mutating func newName(_ stem: String) -> (id: Int, name: String) {
        last += 1
        // Names of entities in an order in which new ones come anywhere, so that entities are renumbered.
        return (last, "\(stem)\(["a", "k", "z"][Int.random(in: 0..<3, using: &generator)])\(last)")
    }

    private mutating func place(_ count: Int) -> Int? {
        count == 0 ? nil : Int.random(in: 0..<count, using: &generator)
    }

    private mutating func edit() {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0, 1: addAttribute()
        case 2: removeAttribute()
        case 3: bringBackAttribute()
        case 4, 5: changeAttribute { $0.name = $1 }
        case 6: retypeAttribute()
        case 7: changeAttribute { attribute, _ in attribute.isOptional.toggle() }
        case 8: addEntity()
        case 9: removeEntity()
        case 10: bringBackEntity()
        case 11: renameEntity()
        case 12: addLink()
        case 13: changeLink()
        default: if let place = place(version.links.count) { version.links.remove(at: place) }
        }
    }

    // MARK: Attributes

    private mutating func addAttribute() {
        guard let place = place(version.entities.count) else { return }
        let (id, name) = newName("v")
        let type = RandomVersion.types.randomElement(using: &generator) ?? .stringAttributeType
        let isOptional = generator.chance(0.7)
        version.entities[place].attributes.append(.init(id: id, name: name, type: type, isOptional: isOptional))
    }

    private mutating func removeAttribute() {
        guard let place = place(version.entities.count),
            let index = self.place(version.entities[place].attributes.count)
        else { return }
        let attribute = version.entities[place].attributes.remove(at: index)
        removedAttributes.append((version.entities[place].id, attribute))
    }

    private mutating func bringBackAttribute() {
        guard let index = place(removedAttributes.count) else { return }
        let (entity, attribute) = removedAttributes.remove(at: index)
        guard let place = version.entities.firstIndex(where: { $0.id == entity }) else { return }
        version.entities[place].attributes.append(attribute)
    }

    private mutating func changeAttribute(_ change: (inout RandomVersion.Attribute, String) -> Void) {
        guard let place = place(version.entities.count),
            let index = self.place(version.entities[place].attributes.count)
        else { return }
        let name = newName("v").name
        change(&version.entities[place].attributes[index], name)
    }

    private mutating func retypeAttribute() {
        let isAny = generator.chance(0.2)
        let type = (isAny ? RandomVersion.types : RandomVersion.numbers).randomElement(using: &generator)
        changeAttribute { attribute, _ in
            guard let type, isAny || RandomVersion.numbers.contains(attribute.type) else { return }
            attribute.type = type
        }
    }

    // MARK: Entities

    private mutating func addEntity() {
        let (id, name) = newName("E")
        let parent = generator.chance(0.3) ? version.entities.randomElement(using: &generator)?.id : nil
        version.entities.append(.init(id: id, name: name, parent: parent))
        for _ in 0..<Int.random(in: 0...3, using: &generator) { addAttribute() }
    }

    private mutating func removeEntity() {
        let leaves = version.entities.filter { entity in !version.entities.contains { $0.parent == entity.id } }
        guard version.entities.count > 1, let entity = leaves.randomElement(using: &generator) else { return }
        version.entities.removeAll { $0.id == entity.id }
        version.links.removeAll { $0.owner == entity.id || $0.target == entity.id }
        removedEntities.append(entity)
    }

    private mutating func bringBackEntity() {
        guard let index = place(removedEntities.count) else { return }
        let entity = removedEntities.remove(at: index)
        guard entity.parent.map({ version.entity($0) != nil }) ?? true else { return }
        version.entities.append(entity)
    }

    private mutating func renameEntity() {
        guard let place = place(version.entities.count) else { return }
        let name = newName("E").name
        version.entities[place].name = name
    }

    // MARK: Links

    private static let counts: [RelationshipCount] = [.one, .many, .ordered]

    private mutating func addLink() {
        guard let owner = version.entities.randomElement(using: &generator),
            let target = version.entities.randomElement(using: &generator),
            let count = Self.counts.randomElement(using: &generator)
        else { return }
        let (id, name) = newName("r")
        let inverse = generator.chance(0.8) ? Self.counts.randomElement(using: &generator) : nil
        version.links.append(
            .init(id: id, name: name, owner: owner.id, target: target.id, count: count, inverse: inverse))
    }

    private mutating func changeLink() {
        guard let place = place(version.links.count), let count = Self.counts.randomElement(using: &generator) else {
            return
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: version.links[place].count = count
        case 1: version.links[place].inverse = generator.chance(0.3) ? nil : count
        case 2:
            let name = newName("r").name
            version.links[place].name = name
        default:
            guard let target = version.entities.randomElement(using: &generator) else { return }
            version.links[place].target = target.id
        }
    }
}
