// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Plants damage into the tables of CloudKit's mirror.

import FixtureFiles
import SQLiteDriver

@testable import CoreDataToolKit

extension Damage {
    /// The mirror of a clinic: a record of each patient, and two of deleted ones.
    static func mirror(_ clinic: Clinic) throws {
        for statement in MirroredTables.statements { try clinic.execute(statement) }
        for patient in 1...6 {
            try clinic.execute(
                MirroredTables.record(patient, of: patient, entity: "Patient"),
                MirroredTables.state(patient, of: patient, entity: "Patient"))
        }
        try clinic.execute(
            // Its deletion waits for the next export.
            MirroredTables.record(7, of: 20, entity: "Bed", deleted: true),
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_NAME = 'Bed'",
            "INSERT INTO ANSCKMIRROREDRELATIONSHIP (Z_PK, Z_ENT, Z_OPT, ZRECORDZONE, ZCDENTITYNAME, ZRECORDNAME, "
                + "ZRELATEDENTITYNAME, ZRELATEDRECORDNAME) VALUES (1, 17010, 1, 1, 'Patient', 'Patient-1', 'Patient', 'Patient-2')",
            "INSERT INTO ANSCKRECORDZONEMOVERECEIPT (Z_PK, Z_ENT, Z_OPT, ZRECORDMETADATA) VALUES (1, 17013, 1, 2)")
    }

    private static func mirrored(
        _ rule: String, _ name: String, isRepaired: Bool = true, others: Set<String> = [], _ statements: String...
    ) -> Damage {
        Damage(rule: rule, name: name, isRepaired: isRepaired, others: others) { clinic in
            try mirror(clinic)
            for statement in statements { try clinic.execute(statement) }
        }
    }

    private static let records = "ANSCKRECORDMETADATA"
    private static let ward = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Ward')"

    static let cloud = [
        mirrored(
            "cloud.entity", "a record has the number of no entity",
            "UPDATE \(records) SET ZENTITYID = 99 WHERE Z_PK = 3"),
        mirrored(
            "cloud.entity", "a state of the history has the number of no entity",
            "UPDATE ANSCKHISTORYANALYZERSTATE SET ZENTITYID = 99 WHERE Z_PK = 3"),
        mirrored(
            "cloud.entity", "a record has another entity than its relationships say",
            "UPDATE \(records) SET ZENTITYID = \(ward) WHERE Z_PK = 1"),
        mirrored(
            "cloud.entity", "records have keys that no object of their entity had", isRepaired: false,
            others: ["cloud.orphan"], "UPDATE \(records) SET ZENTITYID = \(ward) WHERE Z_PK = 6"),
        mirrored(
            "cloud.orphan", "the object of a record is gone",
            "UPDATE \(records) SET ZNEEDSCLOUDDELETE = 0 WHERE Z_PK = 7"),
        mirrored(
            "cloud.doubled", "an object has two rows of one record",
            "DROP INDEX Z_NSCKRecordMetadata_UNIQUE_entityId_entityPK",
            "DROP INDEX Z_NSCKRecordMetadata_UNIQUE_ckRecordName_recordZone",
            MirroredTables.record(30, of: 4, entity: "Patient")),
        mirrored(
            "cloud.doubled", "two objects have one record", isRepaired: false,
            "DROP INDEX Z_NSCKRecordMetadata_UNIQUE_ckRecordName_recordZone",
            "UPDATE \(records) SET ZCKRECORDNAME = 'Patient-4' WHERE Z_PK = 5"),
        mirrored(
            "cloud.reference", "a receipt belongs to no record",
            "UPDATE ANSCKRECORDZONEMOVERECEIPT SET ZRECORDMETADATA = 77"),
        mirrored(
            "cloud.reference", "a record is in no zone", isRepaired: false,
            "UPDATE \(records) SET ZRECORDZONE = 9 WHERE Z_PK = 2"),
        mirrored(
            "cloud.key", "a key of the mirror would be given twice",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'NSCKRecordMetadata'"),
    ]
}
