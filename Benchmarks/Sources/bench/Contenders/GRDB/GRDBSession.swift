// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs of both GRDB contenders. A job is one database access, so that its reads share a transaction.

import Foundation
import GRDB

final class GRDBSession<Employee: EmployeeRecord>: Session {
    private let pool: DatabasePool
    private let workload: Workload

    init(_ pool: DatabasePool, _ workload: Workload) {
        self.pool = pool
        self.workload = workload
    }

    func close() throws { try pool.close() }

    func insertAll() throws {
        let values = workload.employees
        try pool.write { database in
            try Employee.insertDepartments(database)
            for (number, values) in values.enumerated() {
                var employee = Employee(values, key: Int64(number + 1))
                try employee.insert(database)
            }
        }
    }

    func readAll() throws -> UInt64 {
        try pool.read { database in
            var digest = Digest()
            for employee in try Employee.fetchAll(database) {
                digest.add(
                    name: employee.name, salary: employee.salary, hireDate: employee.hireDate,
                    isActive: employee.isActive, badge: employee.badge, hasDepartment: employee.department != nil,
                    hasManager: employee.manager != nil)
            }
            return digest.value
        }
    }

    func readAttributes() throws -> UInt64 {
        try pool.read { database in
            var digest = Digest()
            for employee in try Employee.fetchAll(database) {
                digest.add(
                    name: employee.name, salary: employee.salary, hireDate: employee.hireDate,
                    isActive: employee.isActive, badge: employee.badge, hasDepartment: false, hasManager: false)
            }
            return digest.value
        }
    }

    func hold() throws -> Any { try pool.unsafeRead { try Employee.fetchAll($0) } }

    func lookUp() throws -> UInt64 {
        let badges = (0..<workload.lookUps).map(workload.badge(ofLookUp:))
        return try pool.read { database in
            var digest = Digest()
            for badge in badges {
                for employee in try Employee.withBadge(badge, database) {
                    digest.add(Int(employee.salary))
                }
            }
            return digest.value
        }
    }

    func search() throws -> UInt64 {
        let salaries = (0..<workload.searches).map(workload.salary(ofSearch:))
        return try pool.read { database in
            var digest = Digest()
            for salary in salaries {
                for employee in try Employee.withSalary(above: salary, database) { digest.append(Int(employee.badge)) }
            }
            return digest.value
        }
    }

    func follow() throws -> UInt64 { try pool.read { try Employee.follow($0) } }

    func changeSalaries(_ selection: Selection) throws {
        let request = request(selection)
        try pool.write { database in
            for var employee in try request.fetchAll(database) {
                employee.salary += 1
                employee.version += 1
                try employee.update(database, columns: [EmployeeColumns.salary, EmployeeColumns.version])
            }
        }
    }

    func deleteSome(_ selection: Selection, nullifyingInverses: Bool) throws {
        let request = request(selection)
        try pool.write { database in
            let employees = try request.fetchAll(database)
            for employee in employees { try employee.delete(database) }
            guard nullifyingInverses else { return }
            try Employee.filter(employees.map(\.key).contains(EmployeeColumns.manager))
                .updateAll(database, EmployeeColumns.manager.set(to: nil), EmployeeColumns.version += 1)
        }
    }

    /// The file of orders is made by `raw-tuned`.
    func insertOrders() throws { throw BenchmarkFailure("GRDB's contenders take the orders of raw-tuned") }

    func readOrders(times: Int) throws -> UInt64 {
        var digest = Digest()
        for _ in 0..<times {
            for order in try pool.read({ try Employee.Order.fetchAll($0) }) { digest.add(order) }
        }
        return digest.value
    }

    private func request(_ selection: Selection) -> QueryInterfaceRequest<Employee> {
        switch selection {
        case .lowBadges: Employee.filter(EmployeeColumns.badge < workload.touched)
        case .neighbours: Employee.limit(workload.touched)
        }
    }

    func summarize() throws -> UInt64 {
        let summaries = workload.summaries
        return try pool.read { database in
            let request = Employee.select(
                EmployeeColumns.department, count(EmployeeColumns.key), average(EmployeeColumns.salary)
            ).group(EmployeeColumns.department)
            var digest = Digest()
            for _ in 0..<summaries {
                for row in try Row.fetchAll(database, request) { digest.add(count: row[1], average: row[2]) }
            }
            return digest.value
        }
    }
}
