// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The hand-written classes of `raw` for rows.

import Foundation

final class RawEmployee {
    let key: Int64
    let version: Int64
    var salary: Double
    let name: String
    let hireDate: Date
    let badge: Int64
    let department: Int64?
    let manager: Int64?
    let isActive: Bool

    static let columns = "Z_PK, Z_OPT, ZNAME, ZSALARY, ZHIREDATE, ZISACTIVE, ZBADGE, ZDEPARTMENT, ZMANAGER"

    /// Reads a row of `columns`.
    @inline(__always) init(_ row: RawStatement) {
        key = row.integer(0)
        version = row.integer(1)
        name = row.text(2)
        salary = row.double(3)
        hireDate = Date(timeIntervalSinceReferenceDate: row.double(4))
        isActive = row.integer(5) != 0
        badge = row.integer(6)
        department = row.integerOrNil(7)
        manager = row.integerOrNil(8)
    }
}

final class RawDepartment {
    let key: Int64
    let name: String

    init(_ row: RawStatement) {
        key = row.integer(0)
        name = row.text(1)
    }
}
