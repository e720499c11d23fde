// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The programs themselves: their output, its streams, and exit codes.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@Suite("The programs") struct CommandTests {
    private typealias Outcome = ToolProgram.Outcome

    private static let areMissing = ToolProgram.isMissing

    private func run(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
        try ToolProgram.run(program, arguments, in: folder)
    }

    @Test("a failure is one line on standard error and exit code 1", .disabled(if: areMissing, "needs the programs"))
    func failure() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("coredata-tool", ["describe", "missing.sqlite"], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("coredata-tool: There is no file "))
        #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "a query says how many rows it passed over, on standard error, and still shows as many as it may",
        .needsFixtures, .disabled(if: areMissing, "needs the programs"))
    func skippedRows() throws {
        let folder = try TemporaryFolder()
        let store = "objcio_core-data__Moody.moody"
        let connection = try Connection(url: try folder.store(store))
        try connection.execute(
            "UPDATE ZMOOD SET Z_ENT = 99 WHERE Z_PK IN (SELECT Z_PK FROM ZMOOD ORDER BY Z_PK LIMIT 2)")
        _ = try connection.checkpoint(.truncate)
        try connection.close()
        // Two of four objects are left.
        let arguments = ["query", store, "Mood", "--select", "date", "--limit", "2", "--format", "csv"]
        let damaged = try run("coredata-tool", arguments, in: folder)
        #expect(damaged.status == 0)
        #expect(damaged.output.split(whereSeparator: \.isNewline).count == 3)
        #expect(damaged.errors.contains("coredata-tool: 2 rows in the table of Mood passed over"), "\(damaged.errors)")
        let sound = try run("coredata-tool", ["query", store, "Country", "--limit", "3"], in: folder)
        #expect(sound.status == 0 && !sound.errors.contains("passed over"))
    }

    @Test("describe, query and diagram print", .needsFixtures, .disabled(if: areMissing, "needs the programs"))
    func commands() throws {
        let folder = try TemporaryFolder()
        _ = try folder.store("objcio_core-data__Moody.moody")
        let store = "objcio_core-data__Moody.moody"
        let described = try run("coredata-tool", ["describe", store, "--format", "json"], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(described.output.utf8)) as? [String: Any]
        #expect(described.status == 0 && (object?["entities"] as? [Any])?.count == 4)
        let queried = try run(
            "coredata-tool",
            ["query", store, "Mood", "--sort", "-date", "--select", "date,country", "--format", "csv"],
            in: folder)
        #expect(queried.output.hasPrefix("objectID,date,country\r\n"))
        let wrong = try run("coredata-tool", ["query", store, "Mood", "--where", "dte > 1"], in: folder)
        #expect(wrong.status == 2 && wrong.errors.contains("\n    dte > 1\n    ^\nIts keys: "))
        let drawn = try run("coredata-tool", ["diagram", store, "-o", "moody.svg"], in: folder)
        #expect(drawn.status == 0 && drawn.output.isEmpty)
        let svg = try String(contentsOf: folder.url.appendingPathComponent("moody.svg"), encoding: .utf8)
        #expect(svg.hasSuffix("</svg>\n"))
    }

    @Test(
        "XML and binary stores are described and asked with a model", .disabled(if: areMissing, "needs the programs"),
        arguments: [NSXMLStoreType, NSBinaryStoreType])
    func atomicStores(type: String) throws {
        let folder = try TemporaryFolder()
        let source = folder.url.appendingPathComponent("Zoo.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(Self.zoo.utf8).write(to: source.appendingPathComponent("contents"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: source)))
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.url.appendingPathComponent("Zoo.store"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let keeper = NSEntityDescription.insertNewObject(forEntityName: "Keeper", into: context)
            keeper.setValue("Ada", forKey: "fullName")
            for legs in [2, 4] {
                let animal = NSEntityDescription.insertNewObject(forEntityName: "Animal", into: context)
                animal.setValue(legs, forKey: "legCount")
                animal.setValue(keeper, forKey: "keeper")
            }
            try context.save()
        }
        try coordinator.remove(store)

        let described = try run(
            "coredata-tool", ["describe", "Zoo.store", "--model", "Zoo.xcdatamodel", "--format", "json"], in: folder)
        #expect(described.status == 0, "\(described.errors)")
        #expect(described.output.contains("legCount") && described.output.contains("Keeper"))
        let queried = try run(
            "coredata-tool",
            [
                "query", "Zoo.store", "Animal", "--model", "Zoo.xcdatamodel", "--where",
                "legCount > 3 AND keeper.fullName BEGINSWITH 'A'", "--select", "legCount,keeper.fullName", "--format",
                "csv",
            ], in: folder)
        #expect(queried.status == 0, "\(queried.errors)")
        #expect(queried.output.split(whereSeparator: \.isNewline).dropFirst().map { $0.hasSuffix(",4,Ada") } == [true])
        let counted = try run(
            "coredata-tool",
            [
                "query", "Zoo.store", "Keeper", "--model", "Zoo.xcdatamodel", "--where", "animals.@count == 2",
                "--format", "json",
            ],
            in: folder)
        let keepers = try JSONSerialization.jsonObject(with: Data(counted.output.utf8)) as? [[String: Any]]
        #expect(keepers?.first?["fullName"] as? String == "Ada", "\(counted.output)\(counted.errors)")
    }

    private static let zoo = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <entity name="Animal" representedClassName="NSManagedObject">
                <attribute name="legCount" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
                <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="animals" inverseEntity="Keeper"/>
            </entity>
            <entity name="Keeper" representedClassName="NSManagedObject">
                <attribute name="fullName" optional="YES" attributeType="String"/>
                <relationship name="animals" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Animal" inverseName="keeper" inverseEntity="Animal"/>
            </entity>
        </model>
        """

    @Test("the demonstration runs to its end", .disabled(if: areMissing, "needs the programs"))
    func demonstration() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("coredata-demo", [], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\nDone in "))
        #expect(outcome.output.contains("Package: "))
        let store = folder.url.appendingPathComponent("demo-output/Packages.sqlite")
        let described = try run("coredata-tool", ["describe", store.path], in: folder)
        #expect(described.output.contains("Package"))
    }
}
