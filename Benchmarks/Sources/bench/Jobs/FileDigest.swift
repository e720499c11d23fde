// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a file holds after a job: read with plain SQL, whoever wrote it, and not part of what is measured.

import Foundation

enum FileDigest {
    /// Keys may differ, as whoever makes a row gives it one: rows are told apart by badge and by the department's name.
    private static let query = """
        SELECT COUNT(*), SUM(e.ZBADGE), SUM(LENGTH(e.ZNAME) * (e.ZBADGE + 1)), CAST(SUM(e.ZSALARY * 2) AS INTEGER),
               CAST(SUM(e.ZHIREDATE) AS INTEGER), SUM(e.ZISACTIVE), SUM(e.ZBADGE * CAST(SUBSTR(d.ZNAME, 12) AS INTEGER)),
               SUM(m.ZBADGE + 1), COUNT(e.ZMANAGER), COUNT(DISTINCT d.Z_PK), SUM(e.Z_OPT)
        FROM ZEMPLOYEE e LEFT JOIN ZDEPARTMENT d ON d.Z_PK = e.ZDEPARTMENT LEFT JOIN ZEMPLOYEE m ON m.Z_PK = e.ZMANAGER
        """

    /// Versions, the last column, are left out where an object gets a new one because it lost a member of a to-many: a rule
    /// of Core Data's that other contenders do not have.
    static func of(_ file: URL, after job: Job) throws -> UInt64 {
        let database = try RawDatabase(file, tuning: .none)
        let statement = try database.prepare(query)
        guard try statement.step() else { throw BenchmarkFailure("nothing in \(file.path)") }
        var digest = Digest()
        for column in 0..<(job == .deleteWithInverses ? 10 : 11) {
            digest.append(Int(statement.integer(Int32(column))))
        }
        return digest.value
    }
}

/// Why a run cannot go on, in words.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
