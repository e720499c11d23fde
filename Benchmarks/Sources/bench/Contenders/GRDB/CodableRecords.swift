// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Codable structures, the first kind of records in GRDB's documentation.

import Foundation
import GRDB

struct CodableEmployee: EmployeeRecord, Codable {
    let key: Int64
    var entity = 2
    var version: Int64
    let name: String
    var salary: Double
    let hireDate: Date
    let isActive: Bool
    let badge: Int64
    let department: Int64?
    let manager: Int64?

    typealias Order = CodableOrder

    static let databaseTableName = "ZEMPLOYEE"
    static let inDepartment = belongsTo(CodableDepartment.self, using: ForeignKey(["ZDEPARTMENT"], to: ["Z_PK"]))

    enum CodingKeys: String, CodingKey {
        case key = "Z_PK"
        case entity = "Z_ENT"
        case version = "Z_OPT"
        case name = "ZNAME"
        case salary = "ZSALARY"
        case hireDate = "ZHIREDATE"
        case isActive = "ZISACTIVE"
        case badge = "ZBADGE"
        case department = "ZDEPARTMENT"
        case manager = "ZMANAGER"
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

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

    static func withBadge(_ badge: Int64, _ database: Database) throws -> [CodableEmployee] {
        try filter(EmployeeColumns.badge == badge).fetchAll(database)
    }

    static func withSalary(above salary: Double, _ database: Database) throws -> [CodableEmployee] {
        try filter(EmployeeColumns.salary > salary).filter(sql: "ZNAME GLOB ?", arguments: ["a*"])
            .order(EmployeeColumns.salary).limit(100).fetchAll(database)
    }

    static func insertDepartments(_ database: Database) throws {
        for number in 0..<Workload.departments {
            try CodableDepartment(key: Int64(number + 1), name: Workload.departmentName(number)).insert(database)
        }
    }

    static func follow(_ database: Database) throws -> UInt64 {
        let request = CodableEmployee.including(optional: inDepartment.forKey("department"))
            .asRequest(of: EmployeeWithDepartment.self)
        var digest = Digest()
        for both in try request.fetchAll(database) {
            if let department = both.department { digest.add(department.name.utf8.count) }
        }
        return digest.value
    }
}

struct CodableDepartment: FetchableRecord, PersistableRecord, Codable {
    let key: Int64
    var entity = 1
    var version = 1
    let name: String

    static let databaseTableName = "ZDEPARTMENT"

    enum CodingKeys: String, CodingKey {
        case key = "Z_PK"
        case entity = "Z_ENT"
        case version = "Z_OPT"
        case name = "ZNAME"
    }
}

struct EmployeeWithDepartment: FetchableRecord, Decodable {
    let employee: CodableEmployee
    let department: CodableDepartment?

    init(row: Row) throws {
        employee = try CodableEmployee(row: row)
        department = row["department"]
    }
}
