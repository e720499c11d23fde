// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// GRDB with two kinds of records, used as in its documentation and with default settings.

import Foundation
import GRDB

struct GRDBContender<Employee: EmployeeRecord>: LocalContender {
    let name: String
    var files: FileFamily { .plain }

    func open(_ file: URL, _ template: Template, _ workload: Workload) throws -> GRDBSession<Employee> {
        GRDBSession(try DatabasePool(path: file.path), workload)
    }
}

/// The interface of both kinds of records to the jobs.
protocol EmployeeRecord: FetchableRecord, MutablePersistableRecord {
    /// The orders of the same kind.
    associatedtype Order: OrderRecord

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
    /// J3 and J4: classes use SQL and cached statements, Codable records the query interface.
    static func withBadge(_ badge: Int64, _ database: Database) throws -> [Self]
    static func withSalary(above salary: Double, _ database: Database) throws -> [Self]
    /// J5: classes look up their departments, Codable records read theirs with a join.
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
