// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The doctor examines a store that keeps no model by its tables.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The doctor and stores without a model") struct TableOnlyDoctorTests {
    /// Damage of which the tables bear no trace: Documentation/Internals/InferredModels.md gives the reasons.
    private static let hidden: Set<String> = [
        "column.missing: a column of an attribute", "column.leftover: a column of a former attribute",
        "index.missing: of a uniqueness constraint", "index.changed: over another column",
        "row.abstract: an abstract entity", "inverse.oneSided: the other end is another object",
        "inverse.contested: two objects claim one", "value.boolean: neither 0 nor 1", "value.uuid: seven bytes",
        "value.missing: with a default", "value.missing: without a default", "value.rule: beyond the greatest value",
        "value.range: beyond 16 bits", "value.count: too few members", "unique.doubled: two objects of one code",
        "derived.value: a wrong number of members", "derived.value: no number of members",
        "derived.value: a text of an older value", "paths.trigger: an index without a trigger",
        "paths.entry: an entry of another value", "paths.entry: a row without its entry",
        "paths.entry: a pending row with an entry",
    ]

    /// Damage of the copy of the model itself.
    private static let ofModel: Set<String> = ["model.missing", "model.unreadable", "model.differs"]

    private static let examined = Damage.all.filter { !ofModel.contains($0.rule) }

    private func damaged(_ damage: Damage) throws -> Clinic {
        let clinic = try Clinic()
        try damage.plant(clinic)
        // A damaged page may prevent the statement; the pages are examined first in any case.
        if damage.rule != "file.damage" { try clinic.execute("DELETE FROM Z_MODELCACHE") }
        return clinic
    }

    @Test("a sound store has the one finding that it keeps no model") func sound() throws {
        let clinic = try Clinic()
        try clinic.execute("DELETE FROM Z_MODELCACHE")
        let findings = try clinic.findings()
        #expect(findings.map(\.rule) == ["model.missing"], "\(findings.map { "\($0.rule): \($0.text)" })")
    }

    @Test("indexes that options of the store ask for are no findings") func sideIndexes() throws {
        let clinic = try Clinic()
        try clinic.makeIndexes()
        // Fails without the index of values.
        try clinic.execute("DELETE FROM OCD_VAL_ZBEING WHERE K < 0", "DELETE FROM Z_MODELCACHE")
        let findings = try clinic.findings()
        #expect(findings.map(\.rule) == ["model.missing"], "\(findings.map { "\($0.rule): \($0.text)" })")
    }

    @Test("a superentity has a lower number than its subentities, also where these have no rows")
    func laterSuperentity() throws {
        let clinic = try Clinic()
        try clinic.execute(
            "DELETE FROM Z_MODELCACHE", "DELETE FROM ZBEING WHERE Z_PK = 7",
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Ward') "
                + "WHERE Z_NAME = 'Physician'")
        let found = try #require(try clinic.findings().first { $0.rule == "entity.super" })
        #expect(found.text == "Z_PRIMARYKEY has a wrong superentity for Physician: number 6.")
    }

    @Test("damage that shows in tables is found", arguments: examined.filter { !hidden.contains($0.testDescription) })
    func told(_ damage: Damage) throws {
        let clinic = try damaged(damage)
        let findings = try clinic.findings()
        #expect(findings.contains { $0.rule == damage.rule }, "\(findings.map { "\($0.rule): \($0.text)" })")
        // Findings that rest on a guess are notes, and repairs need no model.
        #expect(findings.allSatisfy { $0.repair == nil || DoctorRule.needingNoModel.contains($0.rule) })
    }

    @Test(
        "the list of damage without a trace in the tables is true",
        arguments: examined.filter { hidden.contains($0.testDescription) })
    func untold(_ damage: Damage) throws {
        let findings = try damaged(damage).findings()
        #expect(!findings.contains { $0.rule == damage.rule }, "\(findings.map { "\($0.rule): \($0.text)" })")
    }

    @Test("most of the planted damage shows in tables") func number() {
        #expect(Self.hidden.isSubset(of: Self.examined.map(\.testDescription)))
        #expect(Self.examined.count - Self.hidden.count >= 60)
    }

    @Test("repairs that need no model are made, and leave the store sound") func repairs() throws {
        let clinic = try Clinic()
        try clinic.execute(
            "DELETE FROM Z_MODELCACHE", "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Being'",
            "UPDATE ZWARD SET Z_OPT = NULL WHERE Z_PK = 1", "INSERT INTO Z_3WARDS SELECT 1, NULL, 5000")
        let rules = ["key.low", "row.version", "link.end"]
        #expect(Set(try clinic.findings().map(\.rule)) == Set(rules + ["model.missing"]))
        try RepairPlan(clinic.url, rules: rules).run(backup: nil)
        #expect(try clinic.findings().map(\.rule) == ["model.missing"])
    }
}
