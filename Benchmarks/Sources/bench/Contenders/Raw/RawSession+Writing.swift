// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The writing jobs of `raw` and `raw-tuned`.

import Foundation

extension RawSession {
    private static let insertColumns =
        "Z_PK, Z_ENT, Z_OPT, ZBADGE, ZISACTIVE, ZDEPARTMENT, ZMANAGER, ZHIREDATE, ZSALARY, ZNAME"

    func insertAll() throws {
        let employees = workload.employees
        try database.transaction {
            try insertDepartments()
            let batch = database.tuning.rowsPerInsert
            let whole = employees.count / batch * batch
            let many = try insertStatement(batch)
            for start in stride(from: 0, to: whole, by: batch) {
                for row in 0..<batch { bind(employees[start + row], start + row, many, Int32(row * 10)) }
                try many.run()
            }
            let one = try insertStatement(1)
            for number in whole..<employees.count {
                bind(employees[number], number, one, 0)
                try one.run()
            }
            try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(employees.count) WHERE Z_ENT = 2")
        }
    }

    private func insertDepartments() throws {
        let statement = try database.prepare("INSERT INTO ZDEPARTMENT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 1, 1, ?)")
        for number in 0..<Workload.departments {
            statement.bind(Int64(number + 1), 1)
            statement.bind(Workload.departmentName(number), 2)
            try statement.run()
        }
        try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Workload.departments) WHERE Z_ENT = 1")
    }

    /// Without `OR ROLLBACK` a statement with many rows keeps a separate journal and is slower than single rows.
    private func insertStatement(_ rows: Int) throws -> RawStatement {
        let places = Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
        return try database.prepare(
            "INSERT \(rows > 1 ? "OR ROLLBACK " : "")INTO ZEMPLOYEE (\(Self.insertColumns)) VALUES \(places)")
    }

    private func bind(_ values: EmployeeValues, _ number: Int, _ statement: RawStatement, _ offset: Int32) {
        statement.bind(Int64(number + 1), offset + 1)
        statement.bind(2 as Int64, offset + 2)
        statement.bind(1 as Int64, offset + 3)
        statement.bind(values.badge, offset + 4)
        statement.bind(values.isActive ? 1 : 0 as Int64, offset + 5)
        statement.bind(Int64(values.department + 1), offset + 6)
        statement.bind(values.manager.map { Int64($0 + 1) }, offset + 7)
        statement.bind(values.hireDate.timeIntervalSinceReferenceDate, offset + 8)
        statement.bind(values.salary, offset + 9)
        statement.bind(values.name, offset + 10)
    }

    func changeSalaries(_ selection: Selection) throws {
        let employees = try employees(selection)
        for employee in employees { employee.salary += 1 }
        try database.transaction {
            let statement = try database.prepare(
                "UPDATE ZEMPLOYEE SET ZSALARY = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
            for employee in employees {
                statement.bind(employee.salary, 1)
                statement.bind(employee.version + 1, 2)
                statement.bind(employee.key, 3)
                statement.bind(employee.version, 4)
                try statement.run()
            }
        }
    }

    func deleteSome(_ selection: Selection, nullifyingInverses: Bool) throws {
        let employees = try employees(selection)
        try database.transaction {
            let deletion = try database.prepare("DELETE FROM ZEMPLOYEE WHERE Z_PK = ? AND Z_OPT = ?")
            for employee in employees {
                deletion.bind(employee.key, 1)
                deletion.bind(employee.version, 2)
                try deletion.run()
            }
            guard nullifyingInverses else { return }
            let nullification = try database.prepare(
                "UPDATE ZEMPLOYEE SET ZMANAGER = NULL, Z_OPT = Z_OPT + 1 WHERE ZMANAGER = ?")
            for employee in employees {
                nullification.bind(employee.key, 1)
                try nullification.run()
            }
        }
    }

    private func employees(_ selection: Selection) throws -> [RawEmployee] {
        let end =
            switch selection {
            case .lowBadges: "WHERE ZBADGE < ?"
            case .neighbours: "LIMIT ?"
            }
        let statement = try database.prepare("SELECT \(RawEmployee.columns) FROM ZEMPLOYEE \(end)")
        statement.bind(Int64(workload.touched), 1)
        return try employees(statement)
    }
}
