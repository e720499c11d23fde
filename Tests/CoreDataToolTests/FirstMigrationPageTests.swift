// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the plan printed in Documentation/FirstMigration.md with the tool's output for the page's example.

import CoreData
import Foundation
import Testing

@Suite("The page of an app's first migration", .needsPrograms) struct FirstMigrationPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Documentation/FirstMigration.md")

    private static func model(_ package: String, _ further: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Package" representedClassName="NSManagedObject">
                <attribute name="name" optional="YES" attributeType="String"/>
                \(package)
                <relationship name="repository" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Repository" inverseName="packages" inverseEntity="Repository"/>
            </entity>
            <entity name="Repository" representedClassName="NSManagedObject">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="packages" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Package" inverseName="repository" inverseEntity="Package"/>
            </entity>
            \(further)
        </model>
        """
    }

    private static let old = model(
        """
        <attribute name="architecture" optional="YES" attributeType="String"/>
        <attribute name="note" optional="YES" attributeType="String"/>
        """)
    private static let new = model(
        """
        <attribute name="remark" optional="YES" attributeType="String" elementID="note"/>
        <attribute name="priority" attributeType="String" defaultValueString="optional"/>
        """, "<entity name=\"License\" representedClassName=\"NSManagedObject\"/>")

    private func write(_ source: String, _ name: String, in bundle: URL) throws -> URL {
        let folder = bundle.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: folder.appendingPathComponent("contents"))
        return folder
    }

    /// Three packages in one repository, and both versions of the model.
    private func example() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let bundle = folder.url.appendingPathComponent("Packages.xcdatamodeld")
        let first = try write(Self.old, "Packages", in: bundle)
        _ = try write(Self.new, "Packages 2", in: bundle)
        let current = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Packages 2.xcdatamodel</string></dict></plist>
            """
        try Data(current.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: first)))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appendingPathComponent("Packages.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let repository = NSEntityDescription.insertNewObject(forEntityName: "Repository", into: context)
            repository.setValue("main", forKey: "name")
            for (name, architecture) in [("bash", "amd64"), ("dash", "amd64"), ("docs", nil)] {
                let package = NSEntityDescription.insertNewObject(forEntityName: "Package", into: context)
                package.setValue(name, forKey: "name")
                package.setValue(architecture, forKey: "architecture")
                package.setValue(repository, forKey: "repository")
            }
            try context.save()
        }
        try coordinator.remove(store)
        return folder
    }

    /// The lines without numbers of bytes, which differ between builds of SQLite.
    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { String($0).replacing(/[0-9]{4,}/, with: "#").replacing(#/ +/#, with: " ") }
    }

    /// Proves: G91
    @Test("its plan is the output of the tool") func plan() throws {
        let folder = try example()
        let outcome = try ToolProgram.run(
            ["migrate", "plan", "Packages.sqlite", "--model", "Packages.xcdatamodeld"], in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        let output = outcome.output.replacing(folder.url.path + "/", with: "/srv/")
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let block = try #require(page.firstMatch(of: /```text\n((?:.|\n)*?)```/)?.output.1)
        #expect(lines(output) == lines(block), "the output:\n\(output)")
    }
}
