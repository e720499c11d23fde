// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A checksum of a file's contents after a job, read with plain SQL outside of the measurement.

import Foundation

enum FileDigest {
    /// Contenders may assign different keys, so rows are identified by badge and by the department's name.
    private static let query = """
        SELECT COUNT(*), SUM(e.ZBADGE), SUM(LENGTH(e.ZNAME) * (e.ZBADGE + 1)), CAST(SUM(e.ZSALARY * 2) AS INTEGER),
               CAST(SUM(e.ZHIREDATE) AS INTEGER), SUM(e.ZISACTIVE), SUM(e.ZBADGE * CAST(SUBSTR(d.ZNAME, 12) AS INTEGER)),
               SUM(m.ZBADGE + 1), COUNT(e.ZMANAGER), COUNT(DISTINCT d.Z_PK), SUM(e.Z_OPT)
        FROM ZEMPLOYEE e LEFT JOIN ZDEPARTMENT d ON d.Z_PK = e.ZDEPARTMENT LEFT JOIN ZEMPLOYEE m ON m.Z_PK = e.ZMANAGER
        """

    /// Excludes versions, the last column, for jobs in which an object receives a new version because it lost a member
    /// of a to-many relationship: a rule of Core Data that other contenders lack.
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

/// The reason why a run cannot continue, as a sentence.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
