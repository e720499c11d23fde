// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Every store that Apple's framework wrote opens like any other; its objects equal its rows, as plain SQL reads them.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Objects equal the rows of Apple's stores") struct ReadingEveryRowTests {
    @Test("each store opens with the model it keeps, or with its source", .needsStoreFixtures)
    func models() throws {
        var without: Set<String> = []
        for name in StoreFixture.names where try StoreFixture(name).model() == nil { without.insert(name) }
        #expect(without == StoreFixture.withoutModel)
    }

    @Test(
        "as many objects of each entity as rows with its number", .needsStoreFixtures,
        arguments: StoreFixture.usable)
    func counts(name: String) throws {
        let stack = try StoreFixture(name).stack()
        let connection = try Connection(url: stack.url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        #expect(!stack.entities.isEmpty)
        for entity in stack.entities {
            var root = entity
            while let parent = root.superentity { root = parent }
            let plain = try connection.value(
                "SELECT COUNT(*) FROM \"Z\(root.name!.uppercased())\" WHERE Z_ENT = ?",
                [.integer(stack.numbers[entity.name!]!)])
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
            request.includesSubentities = false
            #expect(SQLiteValue.integer(Int64(try stack.context.count(for: request))) == plain, "\(entity.name!)")
        }
    }

    @Test(
        "every attribute of every row reads as it is stored, and both ends of every relationship agree",
        .needsStoreFixtures, arguments: StoreFixture.usable)
    func values(name: String) throws {
        let stack = try StoreFixture(name).stack()
        var comparison = RowComparison(stack, try stack.contents())
        for entity in stack.entities {
            for object in try stack.objects(entity) { comparison.compare(object) }
        }
        expectNone(comparison.differences)
        expectNone(try GraphCheck(stack).disagreements())
    }
}

/// Whether both ends of each relationship agree.
struct GraphCheck {
    private let stack: FixtureStack

    init(_ stack: FixtureStack) { self.stack = stack }

    func disagreements() throws -> [String] {
        var result: [String] = []
        for entity in stack.concreteEntities {
            let relationships = entity.storedRelationships
            for object in try stack.objects(entity) {
                for relationship in relationships {
                    for destination in object.destinations(relationship.name) {
                        guard let inverse = relationship.inverseRelationship else { continue }
                        let isThere =
                            switch destination.value(forKey: inverse.name) {
                            case let other as NSManagedObject: other === object
                            case let set as NSOrderedSet: set.contains(object)
                            case let set as NSSet: set.contains(object)
                            default: false
                            }
                        if !isThere {
                            result.append(
                                "\(object.label).\(relationship.name) leads to \(destination.label), but not back")
                        }
                    }
                }
            }
        }
        return result
    }
}

/// Fails with the first of a list of differences.
func expectNone(_ differences: [String], _ occasion: String = "", at location: SourceLocation = #_sourceLocation) {
    if differences.isEmpty { return }
    let text = differences.prefix(12).joined(separator: "\n")
    Issue.record("\(occasion) \(differences.count) differences:\n\(text)", sourceLocation: location)
}
