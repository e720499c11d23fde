// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the examples of each --help in a shell, as they are written there.

import CoreData
import FixtureFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The examples of each --help", .needsPrograms) struct HelpExampleTests {
    private static let commands = [
        "describe", "query", "doctor", "stats", "diff", "copy", "export", "import", "recover", "sql", "snapshot",
        "restore", "watch", "history", "history purge", "cloud", "cloud status", "cloud reset", "migrate",
        "migrate check", "migrate plan", "migrate run",
        "migrate verify", "lint", "diagram", "compile", "decompile", "model infer", "generate", "port", "adopt",
        "studio",
        "sync", "mcp",
    ]

    /// Needs a server, or does not end by itself.
    private static func isLeftOut(_ example: String) -> Bool {
        ["postgresql://", " watch ", "--watch", " studio ", "coredata-tool sync "].contains { example.contains($0) }
    }

    @Test("no line is broken, and each runs", arguments: commands) func examples(_ command: String) throws {
        let examples = try Self.examples(of: command)
        #expect(!examples.isEmpty)
        for example in examples where !Self.isLeftOut(example) {
            let shop = try ExampleShop()
            if command == "migrate verify" || example.contains("migrate verify") {
                #expect(try shop.run("coredata-tool migrate run Shop.sqlite --model Shop.xcdatamodeld").status == 0)
            }
            let outcome = try shop.run(example)
            // 2 means that a migration is needed.
            let isCheck = example.contains("migrate check") && outcome.status == 2
            #expect(outcome.status < 2 || isCheck, "\(example)\n\(outcome)")
            let mayFind = ["diff", "recover", "lint"].contains { example.contains("coredata-tool \($0) ") }
            #expect(outcome.status == 0 || mayFind || isCheck, "\(example)\n\(outcome)")
        }
    }

    /// The command lines of a help text, each with the lines that continue it.
    private static func examples(of command: String) throws -> [String] {
        let folder = try TemporaryFolder()
        // Not `--help`, which some commands pass on to the program of another package if that was built here as well.
        let help = try ToolProgram.run(["help"] + command.split(separator: " ").map(String.init), in: folder)
        #expect(help.status == 0)
        var (examples, isOpen): ([String], Bool) = ([], false)
        for line in help.output.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  coredata-tool ") {
                examples.append(String(line))
            } else if isOpen {
                examples[examples.count - 1] += "\n" + line
            } else {
                continue
            }
            let quotes = examples[examples.count - 1].count { $0 == "'" }
            isOpen = line.hasSuffix("\\") || !quotes.isMultiple(of: 2)
        }
        return examples
    }
}

/// A folder with the files that the examples name.
private final class ExampleShop {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let root = folder.url
        let bundle = root.appendingPathComponent("Shop.xcdatamodeld")
        for (name, more) in [("Shop", ""), ("Shop 2", Self.pages), ("Shop 3", Self.pages + Self.shelf)] {
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let source = Self.source.replacing("<!-- more -->", with: more)
            try Data(source.utf8).write(to: version.appendingPathComponent("contents"))
        }
        try Data(Self.currentVersion.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        let sources = root.appendingPathComponent("Sources/Shop")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Data("import CoreData\n".utf8).write(to: sources.appendingPathComponent("Shop.swift"))
        let project = root.appendingPathComponent("Shop.xcodeproj")
        try FileManager.default.createDirectory(at: project, withIntermediateDirectories: true)
        try Data(Self.project.utf8).write(to: project.appendingPathComponent("project.pbxproj"))
        let shop = root.appendingPathComponent("Shop.sqlite")
        try Self.fill(shop, bundle.appendingPathComponent("Shop.xcdatamodel"))
        // Its mirror is empty.
        let connection = try Connection(url: shop)
        for statement in MirroredTables.statements { try connection.execute(statement) }
        try connection.close()
        for name in ["Before", "After", "Released", "Broken", "Shop-monday"] {
            try StoreSnapshot.make(of: shop, at: root.appendingPathComponent("\(name).sqlite"))
        }
        // Of an old framework, which kept no model.
        let old = root.appendingPathComponent("Old.sqlite")
        try StoreSnapshot.make(of: shop, at: old)
        let bare = try Connection(url: old, options: .init(access: .readWrite))
        try StoreTables.prepare(bare)
        try bare.execute("DELETE FROM Z_MODELCACHE")
        try bare.close()
        try Data(#"{"entities": {"Book": {"properties": {"isbn": {"optional": false}}}}}"#.utf8).write(
            to: root.appendingPathComponent("Names.json"))
        for name in ["Data", "Models"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name), withIntermediateDirectories: false)
        }
        let broken = try FileHandle(forWritingTo: root.appendingPathComponent("Broken.sqlite"))
        try broken.seek(toOffset: 4096 * 2)
        try broken.write(contentsOf: Data(repeating: 0x55, count: 4096))
        try broken.close()
        _ = try StoreExport.write(RowStore(shop), to: root.appendingPathComponent("Shop-export"), format: .jsonl)
        for (entity, name, format) in [("Book", "books.csv", ExchangeFormat.csv), (nil, "books.jsonl", .jsonl)] {
            var text = ""
            _ = try StoreExport.write(RowStore(shop), entity: entity, format: format) { text += $0 }
            try Data(text.utf8).write(to: root.appendingPathComponent(name))
        }
    }

    private static func fill(_ url: URL, _ model: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model)))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValuesForKeys(values)
                return object
            }
            let tag = insert("Tag", ["name": "classic"])
            for (number, name) in ["Ada", "Mary", "Max"].enumerated() {
                let author = insert("Author", ["name": name])
                for book in 1...3 {
                    _ = insert(
                        "Book",
                        [
                            "isbn": "978-\(number)-\(book)", "title": "Book \(book) of \(name)",
                            "price": Double(book) * 7.5, "added": Date(), "author": author, "tags": NSSet(object: tag),
                        ])
                }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Runs a command line with a new output file.
    func run(_ line: String) throws -> ToolProgram.Outcome {
        if let output = line.firstMatch(of: /-o ([^ \\]+)/)?.output.1 {
            try? FileManager.default.removeItem(at: folder.url.appendingPathComponent(String(output)))
        }
        let (out, err) = ("\(folder.url.path)/out.txt", "\(folder.url.path)/err.txt")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "exec >'\(out)' 2>'\(err)' </dev/null\n\(line)"]
        process.currentDirectoryURL = folder.url
        let programs = URL(fileURLWithPath: ToolProgram.path("coredata-tool")).deletingLastPathComponent().path
        process.environment = ProcessInfo.processInfo.environment.merging(["PATH": "\(programs):/usr/bin:/bin"]) { $1 }
        try ToolProgram.start(process)
        ToolProgram.waitForEnd(of: process)
        return ToolProgram.Outcome(
            status: process.terminationStatus, output: try String(contentsOfFile: out, encoding: .utf8),
            errors: try String(contentsOfFile: err, encoding: .utf8))
    }

    private static let pages = #"<attribute name="pages" optional="YES" attributeType="Integer 32"/>"#
    private static let shelf = #"<attribute name="shelf" optional="YES" attributeType="String"/>"#

    private static let currentVersion = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Shop 2.xcdatamodel</string></dict></plist>
        """

    private static let project = """
        {objects = {
            R = {isa = PBXProject; mainGroup = G; targets = (T);};
            G = {isa = PBXGroup; children = (F); sourceTree = "<group>";};
            F = {isa = PBXFileReference; path = Sources/Shop/Shop.swift; sourceTree = "<group>";};
            T = {isa = PBXNativeTarget; name = Shop; buildPhases = (P); productType = "com.apple.product-type.application";};
            P = {isa = PBXSourcesBuildPhase; files = (B);};
            B = {isa = PBXBuildFile; fileRef = F;};
        }; rootObject = R;}
        """

    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Author" representedClassName="NSManagedObject">
                <attribute name="name" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
            <entity name="Book" representedClassName="NSManagedObject">
                <attribute name="added" optional="YES" attributeType="Date"/>
                <attribute name="isbn" attributeType="String"/>
                <attribute name="price" optional="YES" attributeType="Double"/>
                <attribute name="title" attributeType="String" spotlightIndexingEnabled="YES"/>
                <!-- more -->
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/>
            </entity>
            <entity name="Tag" representedClassName="NSManagedObject">
                <attribute name="name" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="tags" inverseEntity="Book"/>
            </entity>
        </model>
        """
}
