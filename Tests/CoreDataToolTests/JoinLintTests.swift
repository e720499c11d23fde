// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The doctor and the lint on join tables within one entity with a guessed name.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Names of join tables within one entity, in the tool") struct JoinLintTests {
    @Test("lint says that the name of a join table within one entity is a guess") func lint() throws {
        let folder = try TemporaryFolder()
        let source = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="User" representedClassName="NSManagedObject">
                    <relationship name="blocked" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="User" inverseName="blockedBy" inverseEntity="User"/>
                    <relationship name="blockedBy" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="User" inverseName="blocked" inverseEntity="User"/>
                    <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="User" inverseName="friends" inverseEntity="User"/>
                </entity>
            </model>
            """
        let model = folder.url.appendingPathComponent("Chat.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
        let found = try ModelLint.findings(model).filter { $0.rule == "join.name" }
        #expect(found.map(\.property) == ["blocked"] && found.first?.severity == .note)
    }

    @Test("the doctor accepts the name of either relationship, and never removes its index") func doctor() throws {
        let folder = try TemporaryFolder()
        let user = NSEntityDescription()
        user.name = "User"
        user.managedObjectClassName = "NSManagedObject"
        let ends = ["blocking", "blockingBy"].map { name in
            let end = NSRelationshipDescription()
            (end.name, end.destinationEntity, end.isOptional) = (name, user, true)
            return end
        }
        (ends[0].inverseRelationship, ends[1].inverseRelationship) = (ends[1], ends[0])
        user.properties = ends
        let model = NSManagedObjectModel()
        model.entities = [user]
        let url = folder.url.appendingPathComponent("Chat.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
        let connection = try Connection(url: url)
        for statement in [
            "ALTER TABLE Z_1BLOCKING RENAME TO Z_1BLOCKINGBY", "DROP INDEX Z_1BLOCKING_Z_1BLOCKING_INDEX",
            "CREATE INDEX Z_1BLOCKING_Z_1BLOCKING_INDEX ON Z_1BLOCKINGBY (Z_1BLOCKING, Z_1BLOCKINGBY)",
        ] { try connection.execute(statement) }
        try connection.close()
        #expect(try Doctor(url).examine().filter { $0.severity != .note || $0.rule.hasPrefix("index") } == [])
        #expect(try RepairPlan(url, rules: ["index.leftover", "table.leftover", "index.missing"]).steps.isEmpty)
    }
}
