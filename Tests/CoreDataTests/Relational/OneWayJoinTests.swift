// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Links of an entity to itself that a file has in one direction only, as other tools may write them.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Links in one direction") struct OneWayJoinTests {
    /// b and c are friends of a. The file has each link once, with a as its owner, or as its member.
    private func stack(keeping condition: String) throws -> Stack {
        let person = NSEntityDescription("Person")
        person.attribute("name", .stringAttributeType)
        person.relate("friends", .many, .cascadeDeleteRule, to: person, inverse: "friends", .many)
        let stack = try Stack(.sqlite, NSManagedObjectModel(person))
        let people = ["a", "b", "c", "d"].map { name in
            let person = stack.insert("Person")
            person.setValue(name, forKey: "name")
            return person
        }
        try stack.context.save()
        people[0].setValue(NSSet(array: [people[1], people[2]]), forKey: "friends")
        try stack.context.save()
        let connection = try Connection(url: stack.url, options: .init(access: .readWrite))
        try connection.run("DELETE FROM Z_1FRIENDS WHERE NOT (\(condition))")
        try connection.close()
        try stack.reopen()
        return stack
    }

    private static let directions = ["Z_1FRIENDS < REFLEXIVE", "Z_1FRIENDS > REFLEXIVE"]

    private func names(_ stack: Stack) throws -> [String] {
        try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Person")) {
            $0.value(forKey: "name") as? String ?? ""
        }.sorted()
    }

    @Test("a batch deletion cascades along them from either end", arguments: directions, ["a", "b"])
    func cascade(direction: String, name: String) throws {
        let stack = try stack(keeping: direction)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        request.predicate = NSPredicate(format: "name == %@", name)
        try stack.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try names(stack) == ["d"])
    }
}
