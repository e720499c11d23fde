// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hand-written record classes that read columns by index, as GRDB recommends for speed.

import Foundation
import GRDB

final class ClassEmployee: EmployeeRecord {
    let key: Int64
    var version: Int64
    let name: String
    var salary: Double
    let hireDate: Date
    let isActive: Bool
    let badge: Int64
    let department: Int64?
    let manager: Int64?

    typealias Order = ClassOrder

    static let databaseTableName = "ZEMPLOYEE"
    static var databaseSelection: [any SQLSelectable] { EmployeeColumns.all }

    init(_ values: EmployeeValues, key: Int64) {
        self.key = key
        version = 1
        name = values.name
        salary = values.salary
        hireDate = values.hireDate
        isActive = values.isActive
        badge = values.badge
        department = Int64(values.department + 1)
        manager = values.manager.map { Int64($0 + 1) }
    }

    init(row: Row) {
        key = row[0]
        version = row[1]
        name = row[2]
        salary = row[3]
        hireDate = Date(timeIntervalSinceReferenceDate: row[4])
        isActive = row[5]
        badge = row[6]
        department = row[7]
        manager = row[8]
    }

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = 2
        container["Z_OPT"] = version
        container["ZNAME"] = name
        container["ZSALARY"] = salary
        container["ZHIREDATE"] = hireDate.timeIntervalSinceReferenceDate
        container["ZISACTIVE"] = isActive
        container["ZBADGE"] = badge
        container["ZDEPARTMENT"] = department
        container["ZMANAGER"] = manager
    }

    static func withBadge(_ badge: Int64, _ database: Database) throws -> [ClassEmployee] {
        let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM ZEMPLOYEE WHERE ZBADGE = ?")
        return try fetchAll(statement, arguments: [badge])
    }

    static func withSalary(above salary: Double, _ database: Database) throws -> [ClassEmployee] {
        let statement = try database.cachedStatement(
            sql: "SELECT \(columns) FROM ZEMPLOYEE WHERE ZSALARY > ? AND ZNAME GLOB 'a*' ORDER BY ZSALARY LIMIT 100")
        return try fetchAll(statement, arguments: [salary])
    }

    private static let columns = "Z_PK, Z_OPT, ZNAME, ZSALARY, ZHIREDATE, ZISACTIVE, ZBADGE, ZDEPARTMENT, ZMANAGER"

    static func insertDepartments(_ database: Database) throws {
        for number in 0..<Workload.departments {
            try ClassDepartment(key: Int64(number + 1), name: Workload.departmentName(number)).insert(database)
        }
    }

    static func follow(_ database: Database) throws -> UInt64 {
        let departments = Dictionary(uniqueKeysWithValues: try ClassDepartment.fetchAll(database).map { ($0.key, $0) })
        var digest = Digest()
        for employee in try ClassEmployee.fetchAll(database) {
            if let key = employee.department, let department = departments[key] {
                digest.add(department.name.utf8.count)
            }
        }
        return digest.value
    }
}

final class ClassDepartment: FetchableRecord, PersistableRecord {
    let key: Int64
    let name: String

    static let databaseTableName = "ZDEPARTMENT"
    static var databaseSelection: [any SQLSelectable] { [Column("Z_PK"), Column("ZNAME")] }

    init(key: Int64, name: String) {
        self.key = key
        self.name = name
    }

    init(row: Row) {
        key = row[0]
        name = row[1]
    }

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = 1
        container["Z_OPT"] = 1
        container["ZNAME"] = name
    }
}
