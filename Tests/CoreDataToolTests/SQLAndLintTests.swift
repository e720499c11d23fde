// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL with the names of entities, the linter of models, snapshots, sizes, and purges of the history.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("SQL with the names of entities") struct NamedViewsTests {
    private func rows(_ views: NamedViews, _ sql: String) throws -> [[String]] {
        let collector = QueryResult.Collector()
        try views.run(sql, into: collector)
        return collector.result.rows.map { $0.cells.map(\.tableText) }
    }

    @Test("entities, attributes, references and links have their names") func names() throws {
        let clinic = try Clinic()
        let views = try NamedViews(clinic.url)
        #expect(
            try rows(
                views,
                "SELECT p.name, d.name FROM Patient p JOIN Physician d ON d.objectID = p.physician ORDER BY p.objectID LIMIT 1"
            )
                == [["patient 1", "physician"]])
        #expect(
            try rows(views, "SELECT entity, COUNT(*) FROM Being GROUP BY entity") == [
                ["Patient", "6"], ["Physician", "1"],
            ])
        #expect(
            try rows(views, "SELECT name, physician.name FROM Patient WHERE objectID = 1") == [
                ["patient 1", "physician"]
            ])
        #expect(try rows(views, "SELECT COUNT(*) FROM Patient_wards") == [["6"]])
        #expect(try rows(views, "SELECT COUNT(Patient), COUNT(wards) FROM Patient_wards") == [["6", "6"]])
        #expect(try rows(views, "SELECT COUNT(*) FROM ZWARD") == [["2"]])
        #expect(try rows(views, "SELECT COUNT(*) > 1 FROM sqlite_master") == [["1"]])
        #expect(try !rows(views, "EXPLAIN QUERY PLAN SELECT name FROM Ward").isEmpty)
        #expect(try rows(views, "SELECT born FROM Patient WHERE objectID = 1") == [["2001-01-01T00:00:01.000000Z"]])
        #expect(try rows(views, "SELECT LENGTH(key) FROM Patient WHERE objectID = 1") == [["36"]])
        #expect(views.completions(of: "phys").contains("physician") && views.completions(of: "sel") == ["SELECT"])
    }

    @Test("nothing is written, and a wrong statement is a sentence") func readOnly() throws {
        let clinic = try Clinic()
        let views = try NamedViews(clinic.url)
        for sql in ["DELETE FROM ZWARD", "UPDATE Ward SET name = ''", "SELECT nothing FROM Ward", "ATTACH 'x' AS y"] {
            let message = OpeningTests.message { _ = try rows(views, sql) }
            #expect(!message.isEmpty, "\(sql)")
        }
        #expect(try clinic.value("SELECT COUNT(*) FROM ZWARD") == 2)
    }

    @Test("the command answers queries, and statements on standard input", .needsPrograms) func command() throws {
        let clinic = try Clinic()
        let outcome = try ToolProgram.run(
            ["sql", "Clinic.sqlite", "--format", "csv", "--query", "SELECT name FROM Ward ORDER BY objectID"],
            in: clinic.folder)
        #expect(outcome.status == 0 && outcome.output == "name\r\nward 1\r\nward 2\r\n", "\(outcome)")
        let wrong = try ToolProgram.run(["sql", "Clinic.sqlite", "--query", "SELEC"], in: clinic.folder)
        #expect(wrong.status == 2 && wrong.errors.contains("not a SELECT"), "\(wrong)")
    }
}

@Suite("The linter of models") struct ModelLintTests {
    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Order" representedClassName="NSManagedObject">
                <attribute name="default" optional="YES" attributeType="String"/>
                <attribute name="note" optional="YES" attributeType="Transformable"/>
                <attribute name="scan" optional="YES" attributeType="Binary"/>
                <relationship name="lines" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Line" inverseName="order" inverseEntity="Line"/>
                <relationship name="loose" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Line"/>
            </entity>
            <entity name="Line" representedClassName="NSManagedObject">
                <attribute name="price" optional="YES" attributeType="Double"/>
                <relationship name="order" maxCount="1" deletionRule="Cascade" destinationEntity="Order" inverseName="lines" inverseEntity="Order"/>
            </entity>
            <fetchRequest name="byPrice" entity="Line" predicateString="price &gt; 1"/>
        </model>
        """

    @Test("the model that a store keeps is examined, and a store without one is refused") func stores() throws {
        let garage = try Garage()
        let ofModel = try ModelLint.findings(garage.model).map(\.text)
        #expect(try ModelLint.findings(garage.url).map(\.text) == ofModel && !ofModel.isEmpty)
        #expect(OpeningTests.message { try ModelLint.findings(garage.url, version: "2") }.contains("keeps one version"))
        let connection = try Connection(url: garage.url, options: .init(access: .readWrite))
        try connection.execute("DROP TABLE Z_MODELCACHE")
        try connection.close()
        #expect(OpeningTests.message { try ModelLint.findings(garage.url) }.contains("keeps no model"))
    }

    private func write(_ text: String, _ name: String, in folder: URL) throws -> URL {
        let model = folder.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
        return model
    }

    @Test("trouble in a model is found, with its line") func findings() throws {
        let folder = try TemporaryFolder()
        let found = try ModelLint.findings(try write(Self.source, "Orders", in: folder.url))
        let texts = found.map { "\($0.rule) \($0.entity ?? "").\($0.property ?? "")" }
        #expect(
            Set(texts) == [
                "inverse.missing Order.loose", "delete.mandatory Order.lines", "name.sql Order.", "name.sql Line.order",
                "name.sql Order.default", "name.swift Order.default", "transformable.insecure Order.note",
                "data.inline Order.scan",
            ], "\(texts)")
        #expect(found.first { $0.rule == "data.inline" }?.line == 6)
        let clinic = try Clinic()
        #expect(try ModelLint.findings(clinic.model).allSatisfy { $0.severity == .note })
    }

    @Test("cascades in a loop, and renaming identifiers that name nothing") func versions() throws {
        let folder = try TemporaryFolder()
        let bundle = folder.url.appendingPathComponent("Orders.xcdatamodeld")
        _ = try write(Self.source, "Orders", in: bundle)
        let next = Self.source.replacing(
            "toMany=\"YES\" deletionRule=\"Nullify\"", with: "toMany=\"YES\" deletionRule=\"Cascade\""
        )
        .replacing("<attribute name=\"price\"", with: "<attribute name=\"cost\" elementID=\"prize\"")
        _ = try write(next, "Orders 2", in: bundle)
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Orders 2.xcdatamodel</string></dict></plist>
            """
        try Data(plist.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        let rules = Set(try ModelLint.findings(bundle).map(\.rule))
        #expect(rules.isSuperset(of: ["delete.loop", "renaming.nowhere"]) && !rules.contains("version.current"))
    }

    @Test("a request that sorts by an attribute is found, unless an index or a constraint begins with it")
    func sorts() throws {
        let folder = try TemporaryFolder()
        var item = ModelDocument.Entity(name: "Item")
        item.attributes = ["code", "first", "second", "third"].map { .init(name: $0, type: 700) }
        var index = ModelDocument.FetchIndex(name: "both")
        index.elements = ["first", "second"].map { .init(property: $0) }
        item.indexes = [index]
        item.uniquenessConstraints = [["code", "third"]]
        var document = ModelDocument()
        document.entities = [item]
        document.fetchRequests = item.attributes.map { attribute in
            var request = ModelDocument.FetchRequest(name: "by \(attribute.traits.name)", entityName: "Item")
            request.sortDescriptors = [.init(key: attribute.traits.name, isAscending: true)]
            return request
        }
        let file = folder.url.appendingPathComponent("Items.mom")
        try KeyedModelWriter.data(for: document).write(to: file)
        let found = try ModelLint.findings(file).filter { $0.rule == "index.sort" }
        #expect(found.compactMap(\.property) == ["second", "third"])
    }

    @Test("a loop of cascades is found once, and data that may leave its row is no trouble") func once() throws {
        let folder = try TemporaryFolder()
        let next = Self.source
            .replacing("toMany=\"YES\" deletionRule=\"Nullify\"", with: "toMany=\"YES\" deletionRule=\"Cascade\"")
            .replacing("Type=\"Binary\"", with: "Type=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"")
        let found = try ModelLint.findings(try write(next, "Orders", in: folder.url)).map(\.rule)
        #expect(found.filter { $0 == "delete.loop" }.count == 1)
        #expect(!found.contains("data.inline"))
    }

    @Test("SARIF has a result with file and line for each finding", .needsPrograms) func sarif() throws {
        let folder = try TemporaryFolder()
        _ = try write(Self.source, "Orders", in: folder.url)
        let outcome = try ToolProgram.run(["lint", "Orders.xcdatamodel", "--format", "sarif"], in: folder)
        #expect(outcome.status == 1, "\(outcome)")
        let log = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let run = try #require((log?["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(log?["version"] as? String == "2.1.0" && results.count == 8)
        #expect(outcome.output.contains("\"uri\": \"Orders.xcdatamodel/contents\""))
    }
}

@Suite("Snapshots, sizes and purges", .needsPrograms) struct UpkeepCommandTests {
    @Test("a snapshot of a store in use is restored with its large data") func snapshot() throws {
        let clinic = try Clinic()
        let made = try ToolProgram.run(["snapshot", "Clinic.sqlite", "-o", "Monday.sqlite"], in: clinic.folder)
        #expect(made.status == 0, "\(made)")
        try clinic.execute("DELETE FROM ZWARD")
        let refused = try ToolProgram.run(["restore", "Monday.sqlite", "--to", "Clinic.sqlite"], in: clinic.folder)
        #expect(refused.status == 2 && refused.errors.contains("--yes"))
        let restored = try ToolProgram.run(
            ["restore", "Monday.sqlite", "--to", "Clinic.sqlite", "--yes"], in: clinic.folder)
        #expect(restored.status == 0 && restored.output.contains("The store from before: "), "\(restored)")
        #expect(try clinic.value("SELECT COUNT(*) FROM ZWARD") == 2)
        #expect(try Doctor(clinic.url).examine() == [])
    }

    @Test("sizes add up to the tables, and name the largest") func stats() throws {
        let garage = try Garage(cars: 300)
        let statistics = try StoreStatistics(of: garage.url)
        let car = try #require(statistics.entities.first)
        #expect(car.name == "Car" && car.objects == 300 && (car.tableBytes ?? 0) > car.valueBytes)
        let names = try #require(statistics.attributes.first { $0.name == "name" && $0.entity == "Car" })
        let lengths = (1...300).reduce(0) { $0 + "car \($1)".utf8.count }
        #expect(names.values == 300 && names.bytes == lengths)
        #expect(statistics.indexes.contains { $0.name == "ZCAR_ZOWNER_INDEX" && $0.bytes > 0 })
        let clinic = try Clinic()
        #expect(try StoreStatistics(of: clinic.url).largeDataBytes == 300_000)
        let printed = try ToolProgram.run(["stats", "Garage.sqlite", "--format", "csv"], in: garage.folder)
        #expect(printed.status == 0 && printed.output.contains("entity,Car,300,"), "\(printed)")
    }

    @Test("a purge says how many transactions go, and needs --yes") func purge() throws {
        let clinic = try Clinic()
        func run(_ further: String...) throws -> ToolProgram.Outcome {
            try ToolProgram.run(
                ["history", "purge", "Clinic.sqlite", "--before", "2100-01-01T00:00:00.250Z"] + further,
                in: clinic.folder)
        }
        let dry = try run("--dry-run")
        #expect(dry.status == 0 && dry.output.contains("transactions before 2100-01-01T00:00:00.250Z."), "\(dry)")
        #expect(try run().status == 2)
        #expect(try clinic.value("SELECT COUNT(*) FROM ATRANSACTION") != 0)
        let purged = try run("--yes", "--no-backup")
        #expect(purged.status == 0 && purged.output.contains(" deleted."), "\(purged)")
        #expect(try clinic.value("SELECT COUNT(*) FROM ATRANSACTION") == 0)
    }

    @Test("every command has help with an example, and completion scripts name it") func help() throws {
        let folder = try TemporaryFolder()
        let commands = [
            "describe", "query", "doctor", "stats", "diff", "export", "import", "recover", "sql", "snapshot", "restore",
            "watch", "history", "migrate", "lint", "diagram", "compile", "decompile", "generate", "port",
        ]
        for command in commands {
            let help = try ToolProgram.run([command, "--help"], in: folder)
            #expect(help.status == 0 && help.output.contains("coredata-tool \(command) "), "\(command)")
            #expect(help.output.contains("Example"), "\(command)")
        }
        for shell in ["bash", "zsh", "fish"] {
            let script = try ToolProgram.run(["--generate-completion-script", shell], in: folder)
            #expect(script.status == 0)
            for command in commands { #expect(script.output.contains(command), "\(shell) \(command)") }
        }
    }
}
