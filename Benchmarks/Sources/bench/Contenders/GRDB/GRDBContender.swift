// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// GRDB, with records of two kinds, in the way its documentation shows and with the settings it comes with.

import Foundation
import GRDB

struct GRDBContender<Employee: EmployeeRecord>: LocalContender {
    let name: String
    var files: FileFamily { .plain }

    func open(_ file: URL, _ template: Template, _ workload: Workload) throws -> GRDBSession<Employee> {
        GRDBSession(try DatabasePool(path: file.path), workload)
    }
}

/// What both kinds of records are to the jobs.
protocol EmployeeRecord: FetchableRecord, MutablePersistableRecord {
    init(_ values: EmployeeValues, key: Int64)
    var key: Int64 { get }
    var version: Int64 { get set }
    var name: String { get }
    var salary: Double { get set }
    var hireDate: Date { get }
    var isActive: Bool { get }
    var badge: Int64 { get }
    var department: Int64? { get }
    var manager: Int64? { get }

    static func insertDepartments(_ database: Database) throws
    /// J3 and J4: classes come with SQL and kept statements, Codable records with the query interface.
    static func withBadge(_ badge: Int64, _ database: Database) throws -> [Self]
    static func withSalary(above salary: Double, _ database: Database) throws -> [Self]
    /// J5, which differs: classes look their departments up, Codable records are read with theirs by a join.
    static func follow(_ database: Database) throws -> UInt64
}

enum EmployeeColumns {
    static let key = Column("Z_PK")
    static let version = Column("Z_OPT")
    static let name = Column("ZNAME")
    static let salary = Column("ZSALARY")
    static let hireDate = Column("ZHIREDATE")
    static let isActive = Column("ZISACTIVE")
    static let badge = Column("ZBADGE")
    static let department = Column("ZDEPARTMENT")
    static let manager = Column("ZMANAGER")
    static let all = [
        key, version, name, salary, hireDate, isActive, badge, department, manager,
    ]
}
