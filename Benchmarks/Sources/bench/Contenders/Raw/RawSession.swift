// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The reading jobs of `raw` and `raw-tuned`.

import Foundation

final class RawSession: Session {
    let database: RawDatabase
    let workload: Workload

    init(_ database: RawDatabase, _ workload: Workload) {
        self.database = database
        self.workload = workload
    }

    func close() throws {}

    func readAll() throws -> UInt64 {
        var digest = Digest()
        for employee in try allEmployees() {
            digest.add(
                name: employee.name, salary: employee.salary, hireDate: employee.hireDate, isActive: employee.isActive,
                badge: employee.badge, hasDepartment: employee.department != nil, hasManager: employee.manager != nil)
        }
        return digest.value
    }

    func readAttributes() throws -> UInt64 {
        var digest = Digest()
        for employee in try allEmployees() {
            digest.add(
                name: employee.name, salary: employee.salary, hireDate: employee.hireDate, isActive: employee.isActive,
                badge: employee.badge, hasDepartment: false, hasManager: false)
        }
        return digest.value
    }

    func hold() throws -> Any { try allEmployees() }

    func lookUp() throws -> UInt64 {
        try database.reading {
            let statement = try database.prepare("SELECT \(RawEmployee.columns) FROM ZEMPLOYEE WHERE ZBADGE = ?")
            var digest = Digest()
            for number in 0..<workload.lookUps {
                statement.bind(workload.badge(ofLookUp: number), 1)
                for employee in try employees(statement) { digest.add(Int(employee.salary)) }
            }
            return digest.value
        }
    }

    func search() throws -> UInt64 {
        try database.reading {
            let statement = try database.prepare(
                "SELECT \(RawEmployee.columns) FROM ZEMPLOYEE WHERE ZSALARY > ? AND ZNAME GLOB 'a*' ORDER BY ZSALARY LIMIT 100"
            )
            var digest = Digest()
            for number in 0..<workload.searches {
                statement.bind(workload.salary(ofSearch: number), 1)
                for employee in try employees(statement) { digest.append(Int(employee.badge)) }
            }
            return digest.value
        }
    }

    func follow() throws -> UInt64 {
        var departments: [Int64: RawDepartment] = [:]
        let statement = try database.prepare("SELECT Z_PK, ZNAME FROM ZDEPARTMENT")
        while try statement.step() {
            let department = RawDepartment(statement)
            departments[department.key] = department
        }
        var digest = Digest()
        for employee in try allEmployees() {
            if let key = employee.department, let department = departments[key] {
                digest.add(department.name.utf8.count)
            }
        }
        return digest.value
    }

    func summarize() throws -> UInt64 {
        let hint = database.tuning.groupsWithoutIndex ? " NOT INDEXED" : ""
        let statement = try database.prepare(
            "SELECT ZDEPARTMENT, COUNT(*), AVG(ZSALARY) FROM ZEMPLOYEE\(hint) GROUP BY ZDEPARTMENT")
        var digest = Digest()
        for _ in 0..<workload.summaries {
            while try statement.step() { digest.add(count: Int(statement.integer(1)), average: statement.double(2)) }
            statement.reset()
        }
        return digest.value
    }

    private func allEmployees() throws -> [RawEmployee] {
        try employees(try database.prepare("SELECT \(RawEmployee.columns) FROM ZEMPLOYEE"))
    }

    func employees(_ statement: RawStatement) throws -> [RawEmployee] {
        var employees: [RawEmployee] = []
        while try statement.step() { employees.append(RawEmployee(statement)) }
        statement.reset()
        return employees
    }
}
