// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that checks, plans, runs and verifies migrations: exit statuses, output, and untouched files.

import CoreData
import CoreDataModelFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

/// A garage and its model, which has versions that the store can and cannot be migrated to.
private struct VersionedGarage {
    let garage: Garage

    static let seats =
        "<attribute name=\"seats\" optional=\"YES\" attributeType=\"Integer 64\" usesScalarValueType=\"YES\"/>"

    init() throws {
        garage = try Garage()
        let seats = Self.seats
        let name = "<entity name=\"Person\" representedClassName=\"NSManagedObject\">"
        let source = Garage.source
        try add("One", source)
        try add(
            "Two",
            source.replacing(seats, with: "<attribute name=\"color\" optional=\"YES\" attributeType=\"String\"/>")
                .replacing(
                    "\(name)\n        <attribute name=\"name\"",
                    with: "\(name)\n        <attribute name=\"fullName\" elementID=\"name\""))
        try add("Retyped", source.replacing(seats, with: seats.replacing("Integer 64", with: "Date")))
        try add(
            "Mandatory", source.replacing(seats, with: "\(seats)\n<attribute name=\"plate\" attributeType=\"String\"/>")
        )
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Two.xcdatamodel</string></dict></plist>
            """
        try Data(plist.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
    }

    var bundle: URL { garage.folder.url.appendingPathComponent("Versions.xcdatamodeld") }

    /// A further version, which an alphabet puts between "One" and "Retyped": the cars have no seats.
    func addBare() throws { try add("Plain", Garage.source.replacing(Self.seats, with: "")) }

    /// A model next to the bundle.
    func addModel(_ name: String, _ source: String) throws {
        try write(source, to: garage.folder.url.appendingPathComponent("\(name).xcdatamodel"))
    }

    private func add(_ version: String, _ source: String) throws {
        try write(source, to: bundle.appendingPathComponent("\(version).xcdatamodel"))
    }

    private func write(_ source: String, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: folder.appendingPathComponent("contents"))
    }

    func migrate(_ command: String, to version: String? = nil, _ further: String...) throws -> ToolProgram.Outcome {
        let model = ["--model", "Versions.xcdatamodeld"] + (version.map { ["--model-version", $0] } ?? [])
        return try ToolProgram.run(["migrate", command, "Garage.sqlite"] + model + further, in: garage.folder)
    }

    /// The bytes of the store's files by name.
    func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: garage.folder.url.path)
        let own = names.filter { $0.hasPrefix("Garage.sqlite") }
        return try Dictionary(
            uniqueKeysWithValues: own.map {
                ($0, try Data(contentsOf: garage.folder.url.appendingPathComponent($0)))
            })
    }

    /// - Parameter name: a file in the store's folder; nil for the store.
    func execute(_ sql: String, in name: String? = nil) throws {
        let url = name.map(garage.folder.url.appendingPathComponent) ?? garage.url
        let connection = try Connection(url: url, options: .init(access: .readWrite))
        try connection.execute(sql)
        try connection.close()
    }
}

@Suite("The migrate command", .needsPrograms) struct MigrateCommandTests {
    /// Proves: G73, G91, G92
    @Test("a model in between leads where no mapping can be inferred directly") func through() throws {
        let scene = try VersionedGarage()
        try scene.addModel("Bare", Garage.source.replacing(VersionedGarage.seats, with: ""))
        let alone = try scene.migrate("plan", to: "Retyped")
        #expect(alone.status == 3, "\(alone)")
        let plan = try scene.migrate("plan", to: "Retyped", "--through", "Bare.xcdatamodel")
        #expect(plan.status == 0 && plan.output.contains("Step 2 of 2, by statements"), "\(plan)")
        let run = try scene.migrate("run", to: "Retyped", "--through", "Bare.xcdatamodel")
        #expect(run.status == 0 && run.output.contains("Migrated in 2 steps"), "\(run)")
        #expect(try scene.migrate("check", to: "Retyped").status == 0)
    }

    /// Proves: G73, G91, G92
    @Test("no way leads through a version because of its name") func names() throws {
        let scene = try VersionedGarage()
        try scene.addBare()
        let before = try scene.files()
        for command in ["check", "plan", "run"] {
            let outcome = try scene.migrate(command, to: "Retyped")
            #expect(outcome.status == 3, "\(outcome)")
        }
        #expect(try scene.files() == before)
        let plan = try scene.migrate("plan", to: "Retyped", "--through", "Versions.xcdatamodeld/Plain.xcdatamodel")
        #expect(plan.status == 0 && plan.output.contains("Car.seats: 5 rows lose"), "\(plan)")
    }

    /// Proves: G63, G92
    @Test("run says each loss that plan says", arguments: ["Two", "Retyped"]) func losses(version: String) throws {
        let scene = try VersionedGarage()
        try scene.addBare()
        let way = version == "Two" ? [] : ["--through", "Versions.xcdatamodeld/Plain.xcdatamodel"]
        func warnings(_ command: String) throws -> String {
            let arguments = ["migrate", command, "Garage.sqlite", "--model", "Versions.xcdatamodeld"]
            let outcome = try ToolProgram.run(
                arguments + ["--model-version", version] + way, in: scene.garage.folder)
            let start = try #require(outcome.output.range(of: "\nWarnings\n"), "\(outcome)")
            return String(outcome.output[start.lowerBound...])
        }
        let planned = try warnings("plan")
        #expect(planned.contains("dataLoss") && planned.contains("Car.seats: 5 rows lose"))
        #expect(try warnings("run") == planned)
    }

    /// Proves: G7, G73, G92
    @Test("a way through the version of a mapping model that loses more than a direct step has to be allowed")
    func allowed() throws {
        let scene = try VersionedGarage()
        try scene.addBare()
        let versions = try ["Plain", "Retyped"].map { name in
            let place = scene.bundle.appendingPathComponent("\(name).xcdatamodel")
            return try #require(NSManagedObjectModel(contentsOf: place))
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: versions[0], destinationModel: versions[1])
        let file = scene.garage.folder.url.appendingPathComponent("Own.cdm")
        try mapping.document().data().write(to: file)
        let refused = try scene.migrate("run", to: "Retyped", "--mapping", "Own.cdm")
        #expect(refused.status == 3 && refused.errors.contains("would lose Car.seats"), "\(refused)")
        let run = try scene.migrate("run", to: "Retyped", "--mapping", "Own.cdm", "--allow-loss", "--format", "json")
        #expect(run.status == 0, "\(run)")
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let warnings = object?["warnings"] as? [[String: Any]]
        #expect(warnings?.map { $0["property"] as? String } == ["seats"])
    }

    /// Proves: G7, G91, G92
    @Test("a mapping model is given as a file") func mapping() throws {
        let scene = try VersionedGarage()
        let versions = try ["One", "Retyped"].map { name in
            let place = scene.bundle.appendingPathComponent("\(name).xcdatamodel")
            return try #require(NSManagedObjectModel(contentsOf: place))
        }
        let inferable = try #require(versions[1].copy() as? NSManagedObjectModel)
        for entity in inferable.entities { entity.properties.removeAll { $0.name == "seats" } }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: versions[0], destinationModel: inferable)
        for entity in mapping.entityMappings {
            let hashes = (versions[0].entityVersionHashesByName, versions[1].entityVersionHashesByName)
            entity.mappingType = .customEntityMappingType
            entity.sourceEntityVersionHash = entity.sourceEntityName.flatMap { hashes.0[$0] }
            entity.destinationEntityVersionHash = entity.destinationEntityName.flatMap { hashes.1[$0] }
        }
        let file = scene.garage.folder.url.appendingPathComponent("Own.cdm")
        try mapping.document().data().write(to: file)
        let run = try scene.migrate("run", to: "Retyped", "--mapping", "Own.cdm")
        #expect(run.status == 0 && run.output.contains("by objects"), "\(run)")
        #expect(try scene.migrate("check", to: "Retyped").status == 0)
        let wrong = try scene.migrate("check", to: "Two", "--mapping", "Garage.sqlite")
        #expect(wrong.status == 1 && wrong.errors.contains("is no compiled mapping model"), "\(wrong)")
    }

    /// Proves: G90
    @Test("check ends with 0, 2, 3 or 1, says why, and changes nothing") func check() throws {
        let scene = try VersionedGarage()
        let before = try scene.files()
        let fits = try scene.migrate("check", to: "One")
        #expect(fits.status == 0 && fits.output.contains("The store has this version."), "\(fits)")
        let needed = try scene.migrate("check")
        #expect(needed.status == 2, "\(needed)")
        #expect(needed.output.contains("Version  One  ") && needed.output.contains("Model    Two  "))
        #expect(needed.output.contains("Changed: Car, Person."))
        let retyped = try scene.migrate("check", to: "Retyped")
        #expect(retyped.status == 3 && retyped.output.contains("Car.seats"), "\(retyped)")
        let mandatory = try scene.migrate("check", to: "Mandatory", "--format", "json")
        #expect(mandatory.status == 3, "\(mandatory)")
        let object = try JSONSerialization.jsonObject(with: Data(mandatory.output.utf8)) as? [String: Any]
        #expect(object?["verdict"] as? String == "impossible")
        #expect((object?["reasons"] as? [String])?.first?.contains("Car.plate") == true)
        let missing = try ToolProgram.run(
            ["migrate", "check", "None.sqlite", "--model", "Versions.xcdatamodeld"], in: scene.garage.folder)
        #expect(missing.status == 1 && missing.errors.hasPrefix("coredata-tool: There is no file "))
        #expect(try scene.migrate("check", to: "None").status == 1)
        #expect(try ToolProgram.run(["migrate", "check", "Garage.sqlite"], in: scene.garage.folder).status == 1)
        #expect(try scene.files() == before)
    }

    /// Proves: G91
    @Test("plan prints statements and warnings, ends with 0, 3 or 1, and changes nothing") func plan() throws {
        let scene = try VersionedGarage()
        let before = try scene.files()
        let table = try scene.migrate("plan")
        #expect(table.status == 0, "\(table)")
        #expect(table.output.contains("ALTER TABLE ZPERSON RENAME COLUMN ZNAME TO ZFULLNAME;"))
        #expect(table.output.contains("dataLoss"))
        let json = try scene.migrate("plan", to: "Two", "--format", "json", "--rebuild")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        let step = try #require((object?["steps"] as? [[String: Any]])?.first)
        #expect(step["way"] as? String == "statements")
        let costs = try #require(object?["costs"] as? [[String: Any]])
        #expect(costs.contains { $0["table"] as? String == "ZCAR" && $0["isRebuilt"] as? Bool == true })
        let warning = try #require((object?["warnings"] as? [[String: Any]])?.first)
        #expect(warning["property"] as? String == "seats" && warning["rows"] as? Int == 5)
        #expect(try scene.migrate("plan", to: "One").status == 0)
        #expect(try scene.migrate("plan", to: "Mandatory").status == 3)
        #expect(try scene.migrate("plan", to: "None").status == 1)
        #expect(try scene.files() == before)
    }

    /// Proves: G72, G92
    @Test("run migrates and ends with 0, 3 or 1; verify compares every value with the original") func run() throws {
        let scene = try VersionedGarage()
        let before = try scene.files()
        let refused = try scene.migrate("run", to: "Mandatory")
        #expect(refused.status == 3 && refused.errors.contains("Car.plate"), "\(refused)")
        #expect(try scene.files() == before)
        let original = scene.garage.folder.url.appendingPathComponent("Before.sqlite")
        try FileManager.default.copyItem(at: scene.garage.url, to: original)
        let migrated = try scene.migrate("run")
        #expect(migrated.status == 0 && migrated.output.hasPrefix("Migrated in 1 step, by statements"), "\(migrated)")
        #expect(try scene.migrate("run").output == "The store has this version already.\n")
        let whole = try scene.migrate("verify", to: nil, "--against", "Before.sqlite")
        #expect(whole.status == 0 && whole.output.contains("7 objects"), "\(whole)")
        #expect(whole.output.contains("Without a counterpart: Car.seats."))
        try scene.execute("UPDATE ZPERSON SET ZFULLNAME = 'Eve' WHERE Z_PK = 2; DELETE FROM ZCAR WHERE Z_PK = 5")
        let changed = try scene.migrate("verify", to: nil, "--against", "Before.sqlite")
        #expect(changed.status == 1, "\(changed)")
        #expect(
            changed.output.contains("Person.fullName differs from the original: 1 object, first Person/2, Bob before"))
        #expect(changed.output.contains("Car lacks objects of the original: 1 object, first Car/5."))
        try Data("SQLite format 3\0 and no more".utf8).write(to: scene.garage.url)
        #expect(try scene.migrate("run").status == 1)
    }

    /// Proves: G70, G92
    @Test("run puts rows that cannot be migrated into a separate store on request") func quarantine() throws {
        let scene = try VersionedGarage()
        try FileManager.default.copyItem(
            at: scene.garage.url, to: scene.garage.folder.url.appendingPathComponent("Before.sqlite"))
        let plan = try scene.migrate("plan", to: "Mandatory", "--quarantine")
        #expect(plan.status == 0 && plan.output.contains("missingValue"), "\(plan)")
        let run = try scene.migrate("run", to: "Mandatory", "--quarantine")
        #expect(run.status == 0, "\(run)")
        let found = try #require(
            run.output.firstMatch(of: /5 rows stayed behind, in (Garage\.quarantine-.*):/), "\(run)")
        #expect(run.output.contains("5 of Car, 1570, plate: Validation error missing"))
        let left = try ToolProgram.run(
            ["migrate", "check", String(found.output.1), "--model", "Versions.xcdatamodeld", "--model-version", "One"],
            in: scene.garage.folder)
        #expect(left.status == 0, "\(left)")
        #expect(try scene.migrate("check", to: "Mandatory").status == 0)
        let lacking = try scene.migrate("verify", to: "Mandatory", "--against", "Before.sqlite")
        #expect(lacking.status == 1 && lacking.output.contains("Car lacks objects of the original: 5 objects"))
        let against = ["--against", "Before.sqlite", "--quarantine", String(found.output.1)]
        let whole = try scene.migrate("verify", to: "Mandatory", against[0], against[1], against[2], against[3])
        #expect(whole.status == 0 && whole.output.contains("In the quarantine: 5 objects."), "\(whole)")
        try scene.execute("UPDATE ZCAR SET ZSEATS = ZSEATS + 1 WHERE Z_PK = 1", in: String(found.output.1))
        let changed = try scene.migrate("verify", to: "Mandatory", against[0], against[1], against[2], against[3])
        #expect(changed.status == 1 && changed.output.contains("Car.seats in the quarantine differs"), "\(changed)")
    }

    /// Proves: G92
    @Test("verify ends with 1 for a reference to no object, and with 2 for a store of another version") func verify()
        throws
    {
        let scene = try VersionedGarage()
        #expect(try scene.migrate("verify", to: "One").output == "The store is whole.\n")
        #expect(try scene.migrate("verify", to: "Two").status == 2)
        try scene.execute("UPDATE ZCAR SET ZOWNER = 77 WHERE Z_PK = 1")
        let outcome = try scene.migrate("verify", to: "One")
        #expect(outcome.status == 1)
        #expect(outcome.output == "reference: Car.owner: 1 row with a reference to no object.\n")
        let kept = try ToolProgram.run(
            ["migrate", "verify", "Garage.sqlite", "--format", "json"], in: scene.garage.folder)
        let object = try JSONSerialization.jsonObject(with: Data(kept.output.utf8)) as? [String: Any]
        #expect(kept.status == 1 && object?["isWhole"] as? Bool == false)
    }

    /// Proves: G61, G91, G92
    @Test("plan and run take an XML store, by objects, and run keeps the original if asked") func xml() throws {
        let scene = try VersionedGarage()
        let url = scene.garage.folder.url.appendingPathComponent("Garage.xml")
        let model = try #require(NSManagedObjectModel(contentsOf: scene.garage.model))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: scene.garage.url)
        try coordinator.remove(try coordinator.migratePersistentStore(store, to: url, type: .xml))
        let before = try Data(contentsOf: url)
        let arguments = ["Garage.xml", "--model", "Versions.xcdatamodeld"]
        let check = try ToolProgram.run(["migrate", "check"] + arguments, in: scene.garage.folder)
        #expect(check.status == 2, "\(check)")
        let plan = try ToolProgram.run(["migrate", "plan"] + arguments, in: scene.garage.folder)
        #expect(plan.status == 0 && plan.output.contains("Step 1 of 1, by objects\n"), "\(plan)")
        #expect(plan.output.contains("Objects to make\n") && plan.output.contains("Car.seats: 5 rows lose"))
        #expect(try Data(contentsOf: url) == before)
        let run = try ToolProgram.run(["migrate", "run", "--keep-original"] + arguments, in: scene.garage.folder)
        #expect(run.status == 0 && run.output.hasPrefix("Migrated in 1 step, by objects"), "\(run)")
        let name = try #require(run.output.firstMatch(of: /The original is (.*)\.\n/)?.output.1)
        #expect(try Data(contentsOf: scene.garage.folder.url.appendingPathComponent(String(name))) == before)
        let again = try ToolProgram.run(["migrate", "check"] + arguments, in: scene.garage.folder)
        #expect(again.status == 0, "\(again)")
    }

    /// Proves: G83
    @Test("check and plan name drift, and run mends it") func drift() throws {
        let scene = try VersionedGarage()
        try scene.execute("DROP INDEX ZCAR_ZOWNER_INDEX")
        let check = try scene.migrate("check", to: "One")
        #expect(check.status == 0 && check.output.contains("the index ZCAR_ZOWNER_INDEX is missing"), "\(check)")
        #expect(try scene.migrate("plan", to: "One").output.contains("CREATE INDEX ZCAR_ZOWNER_INDEX"))
        #expect(try scene.migrate("verify", to: "One").status == 1)
        let repaired = try scene.migrate("run", to: "One")
        #expect(repaired.status == 0 && repaired.output.contains("Mended: the index ZCAR_ZOWNER_INDEX is missing."))
        #expect(try scene.migrate("verify", to: "One").status == 0)
    }
}
