// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of CloudKit's mirror, and its removal.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("The cloud command") struct CloudCommandTests {
    private func mirrored() throws -> Clinic {
        let clinic = try Clinic()
        try Damage.mirror(clinic)
        return clinic
    }

    @Test("a sound mirror is no finding") func sound() throws {
        #expect(try mirrored().findings() == [])
    }

    @Test("the state counts records, and objects that have none") func status() throws {
        let clinic = try mirrored()
        let mirror = try CloudMirror(of: clinic.url)
        let patients = try #require(mirror.entities.first { $0.name == "Patient" })
        #expect(patients.objects == 6 && patients.records == 6 && patients.unsent == 0)
        let beds = try #require(mirror.entities.first { $0.name == "Bed" })
        #expect(beds.objects == 2 && beds.records == 1 && beds.unsent == 2 && beds.waitingForDeletion == 1)
        #expect(mirror.zones.map(\.name) == ["com.apple.coredata.cloudkit.zone"])
        #expect(mirror.lastFailure?.hasPrefix("The export of 2023-") == true)
        #expect(mirror.lastFailure?.hasSuffix(" failed: NSCocoaErrorDomain 134400.") == true)
    }

    @Test("a reset removes the tables and their key rows, and nothing else") func reset() throws {
        let clinic = try mirrored()
        let removed = try CloudMirror.reset(clinic.url)
        #expect(removed.contains { $0 == ("ANSCKRECORDMETADATA", 7) })
        let left = "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%NSCK%'"
        #expect(try clinic.value(left) == .integer(0))
        #expect(try clinic.value("SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_ENT >= 17000") == .integer(0))
        #expect(try clinic.value("SELECT COUNT(*) FROM ATRANSACTION") != .integer(0))
        #expect(try clinic.findings() == [])
    }

    @Test("a store without a mirror says so") func none() throws {
        let clinic = try Clinic()
        #expect(throws: ToolError.self) { try CloudMirror(of: clinic.url) }
        #expect(throws: ToolError.self) { try CloudMirror.reset(clinic.url) }
    }

    @Test("the program prints the state, and changes nothing without an answer", .needsPrograms) func program() throws {
        let clinic = try mirrored()
        let status = try ToolProgram.run(["cloud", "status", "Clinic.sqlite"], in: clinic.folder)
        #expect(status.status == 0 && status.output.contains("Patient"))
        #expect(status.output.hasPrefix("Zone com.apple.coredata.cloudkit.zone: last fetched "))
        #expect(try ToolProgram.run(["cloud", "reset", "Clinic.sqlite"], in: clinic.folder).status == 2)
        let dry = try ToolProgram.run(["cloud", "reset", "Clinic.sqlite", "--dry-run"], in: clinic.folder)
        #expect(dry.status == 0 && dry.output.contains("ANSCKRECORDMETADATA: 7 rows"))
        #expect(try clinic.value("SELECT COUNT(*) FROM ANSCKRECORDMETADATA") == .integer(7))
        let done = try ToolProgram.run(["cloud", "reset", "Clinic.sqlite", "--yes"], in: clinic.folder)
        #expect(done.status == 0 && done.output.contains("tables removed.\nThe store from before: "))
    }
}
