// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests uniqueness constraints with a to-one relationship, as Apple's framework allows them.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Uniqueness constraints with a to-one relationship") struct UniqueLinkTests {
    private func model(isUnique: Bool) -> NSManagedObjectModel {
        version { model in
            let message = model.entity("Message")
            let reaction = model.entity("Reaction") {
                $0.attribute("sign", .stringAttributeType)
                if isUnique { $0.uniquenessConstraints = [["sign", "message"]] }
            }
            message.relate("reactions", .many, to: reaction, inverse: "message", .one)
        }
    }

    /// Proves: G29
    @Test("two objects with the same value and the same target conflict", arguments: StoreKind.builtIn)
    func conflict(kind: StoreKind) throws {
        let store = try MigratingStore(kind)
        let context = try store.open(model(isUnique: true), options: nil)
        let messages = (0..<2).map { _ in context.make("Message") }
        for message in messages { context.make("Reaction", ["sign": "+", "message": message]) }
        context.make("Reaction", ["sign": "+"])
        context.make("Reaction", ["sign": "+"])
        try context.save()
        let double = context.make("Reaction", ["sign": "+", "message": messages[0]])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        double.setValue("-", forKey: "sign")
        try context.save()
        // Two objects exchange their targets.
        let pair = try context.all("Reaction").filter { $0.value(forKey: "message") != nil }.prefix(2)
        let targets = pair.map { $0.value(forKey: "message") }
        for (reaction, target) in zip(pair, targets.reversed()) { reaction.setValue(target, forKey: "message") }
        try context.save()
        #expect(try context.all("Reaction").count == 5)
        try store.close(context)
    }

    /// Proves: G29
    @Test("a migration makes such a constraint where it holds, and refuses it where it does not", arguments: [1, 2])
    func migration(reactions: Int) throws {
        let store = try MigratingStore(model(isUnique: false)) { context in
            let message = context.make("Message")
            for _ in 0..<reactions { context.make("Reaction", ["sign": "+", "message": message]) }
        }
        if reactions == 1 {
            try store.close(try store.migrate(to: model(isUnique: true)))
        } else {
            let error = try store.failure(model(isUnique: true))
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.code == NSMigrationConstraintViolationError)
        }
        #expect(try store.column("SELECT COUNT(*) FROM ZREACTION") == [.integer(Int64(reactions))])
    }
}
