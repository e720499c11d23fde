// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The doctor finds planted damage of every kind, repairs it where a rule can, and reports nothing for sound stores.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The doctor") struct DoctorTests {
    @Test("a new store is sound") func sound() throws {
        let clinic = try Clinic()
        #expect(try clinic.findings() == [])
        #expect(try clinic.findings(withModel: true) == [])
    }

    @Test("there are at least thirty kinds of planted damage, for most of the rules") func kinds() {
        let planted = Set(Damage.all.map(\.rule))
        #expect(Damage.all.count >= 50 && planted.count >= 45)
        let rest = Set(DoctorRule.all.map(\.id)).subtracting(planted)
        // Rules of size need a large store, and those of types and refusals follow from others.
        #expect(
            rest == [
                "space.free", "space.log", "space.journal", "history.size", "column.type", "index.redundant",
                "trigger.changed", "store.refused",
            ])
        #expect(Set(DoctorRule.all.map(\.id)).count == DoctorRule.all.count)
    }

    @Test("planted damage is found, and nothing else", arguments: Damage.all)
    func planted(_ damage: Damage) throws {
        let clinic = try Clinic()
        try damage.plant(clinic)
        let findings = try clinic.findings(withModel: damage.needsModel)
        let found = try #require(findings.first { $0.rule == damage.rule }, "\(findings.map(\.text))")
        let further = Set(findings.map(\.rule)).subtracting(damage.others).subtracting([damage.rule])
        #expect(further.isEmpty, "\(findings.map { "\($0.rule): \($0.text)" })")
        #expect(found.count > 0 && !found.consequence.isEmpty)
        #expect((found.command?.contains("--fix \(damage.rule)") == true) || !damage.isRepaired)
    }

    @Test(
        "damage of rules with a repair is repaired, so that the next run is clean",
        arguments: Damage.all.filter(\.isRepaired)
    )
    func repaired(_ damage: Damage) throws {
        let clinic = try Clinic()
        try damage.plant(clinic)
        let model = damage.needsModel ? clinic.model : nil
        let backup = clinic.folder.url.appendingPathComponent("Backups")
        var rules = [damage.rule]
        // A repair may show a fault that the damage hid.
        for _ in 0..<3 where !rules.isEmpty {
            let plan = try RepairPlan(clinic.url, rules: rules, model: model)
            #expect(!plan.steps.isEmpty)
            let (copy, _) = try plan.run(backup: backup)
            #expect(try FileKind(of: try #require(copy)) == .sqlite)
            rules = try clinic.findings(withModel: damage.needsModel)
                .filter { $0.repair != nil && damage.others.contains($0.rule) }.map(\.rule)
        }
        // A row without its reference may lack the members that a rule requires: a person has to repair that.
        let rest = try clinic.findings(withModel: damage.needsModel).filter { $0.rule != "value.count" }
        #expect(rest == [], "\(rest.map { "\($0.rule): \($0.text)" })")
    }

    @Test("findings name objects, effects and commands") func contents() throws {
        let clinic = try Clinic()
        try clinic.execute("UPDATE ZBED SET ZWARD = 99")
        let found = try #require(try clinic.findings(.init(rules: ["reference.dangling"])).first)
        let uuid = try #require(try clinic.value("SELECT Z_UUID FROM Z_METADATA")?.textValue)
        #expect(found.entity == "Bed" && found.property == "ward" && found.count == 2)
        #expect(found.objects == ["x-coredata://\(uuid)/Bed/p1", "x-coredata://\(uuid)/Bed/p2"])
        #expect(found.severity == .error && found.text == "2 rows of Bed refer to no object in 'ward'.")
        #expect(try clinic.findings(.init(rules: ["reference.dangling"], examples: 1)).first?.objects.count == 1)
        #expect(try clinic.findings(.init(rules: ["key.low"])) == [])
    }

    @Test(
        "stores of Apple's framework have no findings but listed facts", .needsFixtures, arguments: FixtureStores.names)
    func fixtures(_ name: String) throws {
        let folder = try TemporaryFolder()
        let findings = try Doctor(try folder.store(name)).examine()
        let counts = Dictionary(grouping: findings, by: \.rule).mapValues(\.count)
        #expect(counts == AppleStoreFact.expected(name), "\(findings.map { "\($0.rule): \($0.text)" })")
        // Findings about another program's changes.
        let known = AppleStoreFact.damaged[name] ?? [:]
        #expect(findings.allSatisfy { $0.severity == .note || known[$0.rule] != nil })
        // Repairs must not remove anything that the framework made.
        let repaired = findings.filter { $0.repair != nil && $0.rule != "index.leftover" && known[$0.rule] == nil }
        #expect(repaired == [], "\(repaired.map(\.text))")
    }

    @Test("a young file of large data may belong to a save that has not ended, and is no finding")
    func youngFile() throws {
        let clinic = try Clinic()
        try Data("young".utf8).write(to: clinic.largeData.appendingPathComponent(UUID().uuidString))
        #expect(try clinic.findings() == [])
    }

    @Test("examining a store changes no file") func untouched() throws {
        let clinic = try Clinic()
        let before = try clinic.folder.contents
        _ = try clinic.findings()
        #expect(try clinic.folder.contents == before)
    }
}

@Suite("The doctor's command", .needsPrograms) struct DoctorCommandTests {
    private func run(_ clinic: Clinic, _ arguments: String...) throws -> ToolProgram.Outcome {
        try ToolProgram.run(["doctor"] + arguments, in: clinic.folder)
    }

    @Test("ends with 0 for a sound store, 1 for a finding, 2 where it cannot run") func statuses() throws {
        let clinic = try Clinic()
        let sound = try run(clinic, "Clinic.sqlite")
        #expect(sound.status == 0 && sound.output == "The store is sound.\n", "\(sound)")
        try clinic.execute("UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1")
        let found = try run(clinic, "Clinic.sqlite")
        #expect(found.status == 1 && found.output.contains("error reference.dangling  Bed.ward\n"), "\(found)")
        #expect(!found.output.contains("\u{1B}"))
        #expect(try run(clinic, "None.sqlite").status == 2)
        #expect(try run(clinic, "Clinic.sqlite", "--rule", "reference.danglin").errors.contains("Did you mean"))
        #expect(try run(clinic, "Clinic.sqlite", "--rule", "key.low").status == 0)
        #expect(try run(clinic, "--list", "--format", "csv").output.contains("\r\nreference.dangling,error,"))
    }

    @Test("mends only with --yes, keeps a copy, and changes nothing in a dry run") func repairs() throws {
        let clinic = try Clinic()
        try clinic.execute("UPDATE ZBED SET ZWARD = 99 WHERE Z_PK = 1")
        let before = try Data(contentsOf: clinic.url)
        let refused = try run(clinic, "Clinic.sqlite", "--fix", "reference.dangling")
        #expect(refused.status == 2 && refused.errors.contains("--yes"), "\(refused)")
        let dry = try run(clinic, "Clinic.sqlite", "--fix", "reference.dangling", "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("1 row of ZBED lose the reference."), "\(dry)")
        #expect(try Data(contentsOf: clinic.url) == before)
        let repaired = try run(
            clinic, "Clinic.sqlite", "--fix", "reference.dangling", "--yes", "--backup", "Backups")
        #expect(repaired.status == 0 && repaired.output.contains("Mended. SQLite changed"), "\(repaired)")
        let copies = try FileManager.default.contentsOfDirectory(
            atPath: clinic.folder.url.appendingPathComponent("Backups").path)
        #expect(copies.contains { $0.hasPrefix("Clinic before ") && $0.hasSuffix(".sqlite") })
        #expect(try clinic.value("SELECT ZWARD FROM ZBED WHERE Z_PK = 1") == .null)
    }
}
