// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Each command that reads a store takes the inferred model of a store that keeps none, and corrections of it.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Commands on stores without a model") struct InferredCommandTests {
    /// A garage without its model, and a file of corrections.
    private struct BareGarage {
        let garage: Garage

        init(overlay: String = InferredCommandTests.corrections) throws {
            garage = try Garage()
            try garage.execute("DELETE FROM Z_MODELCACHE")
            try Data(overlay.utf8).write(to: self.overlay)
        }

        var overlay: URL { garage.folder.url.appendingPathComponent("Names.json") }
        var inference: ModelInference { ModelInference(overlay: overlay) }

        func run(_ arguments: [String]) throws -> ToolProgram.Outcome {
            try ToolProgram.run(arguments + ["--overlay", "Names.json"], in: garage.folder)
        }

        /// The bytes of all files in the folder, without the output of the program; nil for a folder.
        func files() throws -> [String: Data?] {
            try FileManager.default.subpathsOfDirectory(atPath: garage.folder.url.path)
                .filter { !["out", "err"].contains($0) }
                .reduce(into: [:]) { files, path in
                    files[path] = .some(try? Data(contentsOf: garage.folder.url.appendingPathComponent(path)))
                }
        }
    }

    private static let corrections = """
        {"entities": {"Car": {"properties": {"owner": {"destination": "Person", "inverse": "cars"}}}}}
        """
    private static let wrong = """
        {"entities": {"Car": {"properties": {"owner": {"destination": "../Person\\"; DROP TABLE ZCAR; --"}}}}}
        """

    private static let commands = [
        "describe Garage.sqlite", "query Garage.sqlite Car", "doctor Garage.sqlite",
        "doctor Garage.sqlite --fix reference.dangling --yes", "stats Garage.sqlite",
        "diff Garage.sqlite Garage.sqlite", "copy Garage.sqlite Copy.sqlite", "export Garage.sqlite -o Export",
        "sql Garage.sqlite --query SELECT(1)", "recover Garage.sqlite -o Recovered.sqlite",
        "decompile Garage.sqlite -o Kept.xcdatamodel", "generate Garage.sqlite -o Classes", "lint Garage.sqlite",
        "diagram Garage.sqlite", "model infer Garage.sqlite -o Inferred.xcdatamodel",
        "migrate check Garage.sqlite --model Other.xcdatamodel",
        "migrate plan Garage.sqlite --model Other.xcdatamodel",
        "migrate run Garage.sqlite --model Other.xcdatamodel --keep-original",
        "migrate verify Garage.sqlite",
    ]

    /// Another version than that of the store: cars have a color.
    private func addOther(_ bare: BareGarage) throws {
        let folder = bare.garage.folder.url.appendingPathComponent("Other.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let seats = "<attribute name=\"seats\""
        let color = "<attribute name=\"color\" optional=\"YES\" attributeType=\"String\"/>"
        try Data(Garage.source.replacing(seats, with: color + seats).utf8)
            .write(to: folder.appendingPathComponent("contents"))
    }

    @Test("each takes an overlay", .needsPrograms, arguments: commands) func overlay(_ command: String) throws {
        let bare = try BareGarage()
        try addOther(bare)
        let outcome = try bare.run(command.split(separator: " ").map(String.init))
        // 1: findings of the doctor, of lint, or losses; 2: a migration is needed.
        let mayFind = ["doctor", "lint", "recover"].contains { command.hasPrefix($0) }
        let allowed: [Int32] = command.hasPrefix("migrate check") ? [2] : mayFind ? [0, 1] : [0]
        #expect(allowed.contains(outcome.status), "\(outcome)")
    }

    @Test("a hostile overlay is refused by each, and no file is made or changed", .needsPrograms, arguments: commands)
    func hostile(_ command: String) throws {
        let bare = try BareGarage(overlay: Self.wrong)
        try addOther(bare)
        let before = try bare.files()
        let outcome = try bare.run(command.split(separator: " ").map(String.init))
        let isMigration = ["migrate check", "migrate plan", "migrate run"].contains { command.hasPrefix($0) }
        #expect(outcome.status == (isMigration ? 1 : 2), "\(outcome)")
        let place = "Names.json: entities.Car.properties.owner.destination: the tables have no entity '../Person\""
        #expect(outcome.errors.contains(place) && outcome.output.isEmpty, "\(outcome)")
        #expect(try bare.files() == before)
    }

    @Test("every command with a store takes both options, but for those that need no model", .needsPrograms)
    func options() throws {
        let folder = try TemporaryFolder()
        let known = Set(Self.commands.map { $0.components(separatedBy: " Garage")[0] })
        let needingNone = [
            // Copies of pages, tables of CloudKit's mirror, and histories, which stores without a model do not have.
            "snapshot", "restore", "cloud status", "cloud reset", "history list", "history purge", "watch",
            // Writes into stores, or reads sources. `studio` and `sync` pass their arguments on.
            "import", "compile", "model from", "port", "adopt", "studio", "sync", "mcp",
        ]
        func subcommands(_ command: [String]) throws -> [[String]] {
            let help = try ToolProgram.run(["help"] + command, in: folder).output
            guard let list = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first else { return [command] }
            // An empty line ends the list; the advice after it is indented, too.
            let names = list.components(separatedBy: "\n\n")[0].split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            return try names.filter { $0 != "help" }.flatMap { try subcommands(command + [$0]) }
        }
        for command in try subcommands([]) {
            let name = command.joined(separator: " ")
            guard !needingNone.contains(name) else { continue }
            #expect(known.contains(name), "\(name)")
            let help = try ToolProgram.run(["help"] + command, in: folder).output
            let isOverlaid = help.contains("--overlay <overlay>")
            #expect(isOverlaid && (help.contains("--infer") || name == "model infer"), "\(name)")
        }
    }

    // MARK: The doctor

    @Test("a repair rests on the part of an overlay that states it") func repairs() throws {
        let clinic = try Clinic()
        try clinic.execute(
            "DELETE FROM Z_MODELCACHE", "UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1",
            "UPDATE ZBEING SET ZALIVE = 7 WHERE Z_PK = 2")
        let rules = ["reference.dangling", "value.boolean"]
        let guessed = try RepairPlan(clinic.url, rules: rules)
        #expect(guessed.steps.isEmpty && guessed.unrepaired == ["reference.dangling"])
        let overlay = clinic.folder.url.appendingPathComponent("Names.json")
        let inference = ModelInference(overlay: overlay)
        // A corrected name states neither a destination nor a type.
        try Data(
            """
            {"entities": {"Bed": {"properties": {"ward": {"name": "wArd"}}},
                          "Being": {"properties": {"alive": {"name": "aLive"}}}}}
            """.utf8
        ).write(to: overlay)
        #expect(try RepairPlan(clinic.url, rules: rules, inference: inference).steps.isEmpty)
        try Data(
            """
            {"entities": {"Bed": {"properties": {"ward": {"destination": "Ward", "inverse": "beds"}}},
                          "Being": {"properties": {"alive": {"type": "Boolean"}}}}}
            """.utf8
        ).write(to: overlay)
        let plan = try RepairPlan(clinic.url, rules: rules, inference: inference)
        #expect(plan.steps.map(\.rule) == rules && plan.unrepaired.isEmpty)
        try plan.run(backup: nil)
        #expect(try clinic.value("SELECT ZWARD FROM ZBED WHERE Z_PK = 1") == .null)
        #expect(try clinic.value("SELECT ZALIVE FROM ZBEING WHERE Z_PK = 2") == .integer(1))
        #expect(try Doctor(clinic.url, inference: inference).examine().map(\.rule) == ["model.missing"])
    }

    // MARK: Sizes and recovery

    @Test("sizes are those that the true model gives") func sizes() throws {
        let garage = try Garage(photo: Data(repeating: 1, count: 200_000))
        let whole = try StoreStatistics(of: garage.url)
        try garage.execute("DELETE FROM Z_MODELCACHE")
        #expect(throws: ToolError.self) { try StoreStatistics(of: garage.url) }
        let inferred = try StoreStatistics(of: garage.url, inference: ModelInference())
        #expect(inferred.entities == whole.entities)
        // Two owners are too few to distinguish a relationship from a number.
        #expect(inferred.attributes.filter { $0.name != "owner" } == whole.attributes)
        #expect(inferred.largeDataBytes == 1_000_000)
    }

    @Test("a store that never kept a model is recovered with all objects", .needsFixtures, arguments: bareStores)
    func recovery(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = try folder.store(name)
        // Pages are read from the file, so the log moves into it first.
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        _ = try connection.checkpoint(.truncate)
        try connection.close()
        let new = folder.url.appendingPathComponent("Recovered.sqlite")
        #expect(throws: ToolError.self) { try StoreRecovery.run(url, to: new) }
        _ = try StoreRecovery.run(url, to: new, inference: ModelInference())
        let counts = try DataDiff(RowStore(url, inference: ModelInference()), RowStore(new)).run { _ in }
        #expect(counts.added == 0 && counts.removed == 0 && counts.changed == 0, "\(counts)")
    }

    private static let bareStores = FixtureStores.names.filter { !FixtureStores.withModel.contains($0) }

    @Test("a damaged file with tables that SQLite cannot read is refused with the way out") func unreadable() throws {
        let garage = try Garage()
        try garage.execute("DELETE FROM Z_MODELCACHE", "PRAGMA wal_checkpoint(TRUNCATE)")
        let handle = try FileHandle(forUpdating: garage.url)
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 400))
        try handle.close()
        let new = garage.folder.url.appendingPathComponent("New.sqlite")
        let refusal = #expect(throws: ToolError.self) {
            try StoreRecovery.run(garage.url, to: new, inference: ModelInference())
        }
        #expect(refusal.map(ToolError.text(of:))?.contains("--model") == true)
        #expect(!FileManager.default.fileExists(atPath: new.path))
    }

    // MARK: Migrations

    @Test("a store migrates from the model that its tables imply, and keeps every value and the original")
    func migration() throws {
        let bare = try BareGarage()
        try addOther(bare)
        let model = bare.garage.folder.url.appendingPathComponent("Other.xcdatamodel")
        let refused = try MigrationCheck(MigrationTask(bare.garage.url, model: model))
        #expect(refused.verdict == .impossible)
        let check = try MigrationCheck(MigrationTask(bare.garage.url, model: model, inference: bare.inference))
        #expect(check.verdict == .needed)
        let text = check.text(isJSON: false, isPlan: true)
        #expect(text.contains("inferred from the tables") && text.contains("Guessed"), "\(text)")
        let before = try Data(contentsOf: bare.garage.url)
        #expect(throws: ToolError.self) {
            try MigrationTask(bare.garage.url, model: model, inference: bare.inference, isWritten: true)
        }
        #expect(try Data(contentsOf: bare.garage.url) == before)
        let task = try MigrationTask(
            bare.garage.url, model: model, keepsOriginal: true, inference: bare.inference, isWritten: true)
        guard case .migrated(let report, _) = try MigrationCheck(task).run() else {
            Issue.record("The store was not migrated.")
            return
        }
        let original = try #require(report.originalURL)
        let verified = try StoreVerification(
            bare.garage.url, model: nil, original: original, inference: bare.inference)
        #expect(verified.isWhole && verified.comparedObjects == 7, "\(verified.text(isJSON: false))")
        #expect(verified.unmatched == [], "\(verified.text(isJSON: false))")
        #expect(try bare.garage.cars("owner.name == 'Ada' AND color == nil") == ["car 1", "car 2", "car 3"])
        #expect(throws: ToolError.self) { try StoreVerification(bare.garage.url, model: nil, original: original) }
    }

    @Test("a verification of a store without a model finds the damage in its tables") func verification() throws {
        let bare = try BareGarage()
        #expect(throws: ToolError.self) { try StoreVerification(bare.garage.url, model: nil) }
        #expect(try StoreVerification(bare.garage.url, model: nil, inference: bare.inference).isWhole)
        try bare.garage.execute("UPDATE ZCAR SET ZOWNER = 77 WHERE Z_PK = 1")
        let broken = try StoreVerification(bare.garage.url, model: nil, inference: bare.inference)
        #expect(broken.defects.map(\.kind) == [.reference])
    }
}
