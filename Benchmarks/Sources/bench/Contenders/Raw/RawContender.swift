// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reference for all others: hand-written Swift over SQLite's C interface.

import Foundation

struct RawContender: LocalContender {
    let name: String
    let tuning: RawTuning
    var files: FileFamily { .plain }

    static let plain = RawContender(name: "raw", tuning: .none)
    static let tuned = RawContender(name: "raw-tuned", tuning: .asFramework)

    func open(_ file: URL, _ template: Template, _ workload: Workload) throws -> RawSession {
        RawSession(try RawDatabase(file, tuning: tuning), workload)
    }

    /// The tables of the framework for the same model. Of its internal tables only that of primary keys is included.
    static func makeTables(_ file: URL) throws {
        let database = try RawDatabase(file, tuning: .none)
        try database.execute(
            """
            CREATE TABLE ZDEPARTMENT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
            CREATE TABLE ZEMPLOYEE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBADGE INTEGER, \
            ZISACTIVE INTEGER, ZDEPARTMENT INTEGER, ZMANAGER INTEGER, ZHIREDATE TIMESTAMP, ZSALARY FLOAT, ZNAME VARCHAR );
            CREATE INDEX ZEMPLOYEE_ZDEPARTMENT_INDEX ON ZEMPLOYEE (ZDEPARTMENT);
            CREATE INDEX ZEMPLOYEE_ZMANAGER_INDEX ON ZEMPLOYEE (ZMANAGER);
            CREATE INDEX Z_Employee_byBadge ON ZEMPLOYEE (ZBADGE COLLATE BINARY ASC);
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Department', 0, 0), (2, 'Employee', 0, 0);
            """)
    }
}
