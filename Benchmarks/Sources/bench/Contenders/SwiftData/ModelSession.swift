// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs through SwiftData's interface, each in a new context.

import CoreData
import SwiftData

/// SwiftData keeps a history in each file, so its reference is the contender with classes of `CoreData` that keeps one.
struct ModelContender: LocalContender {
    let name: String
    var files: FileFamily { .models }

    func open(_ file: URL, _ template: Template, _ workload: Workload) throws -> AnySession {
        template == .withoutInverses
            ? AnySession(try ModelSession<Unlinked.Employee>(file, template, workload))
            : AnySession(try ModelSession<Linked.Employee>(file, template, workload))
    }
}

final class ModelSession<Employee: EmployeeClass>: Session {
    private var container: ModelContainer?
    let workload: Workload
    /// The orders of `readOrdersAgain`, and their context.
    var heldOrders: (context: ModelContext, orders: [Wide.Order])?

    init(_ file: URL, _ template: Template, _ workload: Workload) throws {
        let type: any PersistentModel.Type = template == .orders ? Wide.Order.self : Employee.self
        container = try ModelContainer(for: type, configurations: ModelConfiguration(url: file))
        self.workload = workload
    }

    func close() throws {
        heldOrders = nil
        if let coordinator = container?.persistentStoreCoordinator {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        container = nil
    }

    func insertAll() throws {
        try inContext { context in
            let departments = (0..<Workload.departments).map { number in
                let department = Employee.Department(name: Workload.departmentName(number))
                context.insert(department)
                return department
            }
            let all = workload.employees
            let employees = all.map { values in
                let employee = Employee(values)
                context.insert(employee)
                employee.department = departments[values.department]
                return employee
            }
            for number in all.indices {
                if let manager = all[number].manager { employees[number].manager = employees[manager] }
            }
            try context.save()
        }
    }

    func readAll() throws -> UInt64 {
        try inContext { context in read(try context.fetch(FetchDescriptor<Employee>())) }
    }

    private func read(_ employees: [Employee]) -> UInt64 {
        var digest = Digest()
        for employee in employees {
            digest.add(
                name: employee.name, salary: employee.salary, hireDate: employee.hireDate, isActive: employee.isActive,
                badge: employee.badge, hasDepartment: employee.department != nil, hasManager: employee.manager != nil)
        }
        return digest.value
    }

    func readAttributes() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for employee in try context.fetch(FetchDescriptor<Employee>()) {
                digest.add(
                    name: employee.name, salary: employee.salary, hireDate: employee.hireDate,
                    isActive: employee.isActive, badge: employee.badge, hasDepartment: false, hasManager: false)
            }
            return digest.value
        }
    }

    func hold() throws -> Any {
        let context = try context()
        let employees = try context.fetch(FetchDescriptor<Employee>())
        _ = read(employees)
        return (context, employees)
    }

    func lookUp() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for number in 0..<workload.lookUps {
                let found = try context.fetch(
                    FetchDescriptor(predicate: Employee.predicate(badge: workload.badge(ofLookUp: number))))
                for employee in found { digest.add(Int(employee.salary)) }
            }
            return digest.value
        }
    }

    func search() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for number in 0..<workload.searches {
                let salary = workload.salary(ofSearch: number)
                var descriptor = FetchDescriptor(
                    predicate: Employee.predicate(salaryAbove: salary, nameBeginsWith: "a"), sortBy: [Employee.bySalary]
                )
                descriptor.fetchLimit = 100
                for employee in try context.fetch(descriptor) { digest.append(Int(employee.badge)) }
            }
            return digest.value
        }
    }

    func follow() throws -> UInt64 {
        try inContext { context in
            let departments = try context.fetch(FetchDescriptor<Employee.Department>())
            var digest = Digest()
            for employee in try context.fetch(FetchDescriptor<Employee>()) {
                if let department = employee.department { digest.add(department.name.utf8.count) }
            }
            return withExtendedLifetime(departments) { digest.value }
        }
    }

    func changeSalaries(_ selection: Selection) throws {
        try inContext { context in
            for employee in try employees(selection, context) { employee.salary += 1 }
            try context.save()
        }
    }

    func deleteSome(_ selection: Selection, nullifyingInverses: Bool) throws {
        try inContext { context in
            for employee in try employees(selection, context) { context.delete(employee) }
            try context.save()
        }
    }

    /// SwiftData has no grouping in stores, so models are read.
    func summarize() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for _ in 0..<workload.summaries {
                let all = try context.fetch(FetchDescriptor<Employee>())
                for group in Dictionary(grouping: all, by: { $0.department?.persistentModelID }).values {
                    let sum = group.reduce(0) { $0 + $1.salary }
                    digest.add(count: group.count, average: sum / Double(group.count))
                }
            }
            return digest.value
        }
    }

    private func employees(_ selection: Selection, _ context: ModelContext) throws -> [Employee] {
        var descriptor = FetchDescriptor<Employee>()
        switch selection {
        case .lowBadges: descriptor.predicate = Employee.predicate(badgeBelow: Int64(workload.touched))
        case .neighbours: descriptor.fetchLimit = workload.touched
        }
        return try context.fetch(descriptor)
    }

    /// Keeps the context to the end of the job, as `performAndWait` does.
    func inContext<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        let context = try context()
        return try withExtendedLifetime(context) { try body(context) }
    }

    func context() throws -> ModelContext {
        guard let container else { throw BenchmarkFailure("the container is closed") }
        return ModelContext(container)
    }
}

/// A session of either kind of classes.
final class AnySession: Session {
    private let session: any Session

    init(_ session: any Session) { self.session = session }

    func insertAll() throws { try session.insertAll() }
    func readAll() throws -> UInt64 { try session.readAll() }
    func readAttributes() throws -> UInt64 { try session.readAttributes() }
    func lookUp() throws -> UInt64 { try session.lookUp() }
    func search() throws -> UInt64 { try session.search() }
    func follow() throws -> UInt64 { try session.follow() }
    func changeSalaries(_ selection: Selection) throws { try session.changeSalaries(selection) }
    func deleteSome(_ selection: Selection, nullifyingInverses: Bool) throws {
        try session.deleteSome(selection, nullifyingInverses: nullifyingInverses)
    }
    func summarize() throws -> UInt64 { try session.summarize() }
    func insertOrders() throws { try session.insertOrders() }
    func readOrders(times: Int) throws -> UInt64 { try session.readOrders(times: times) }
    func readOrdersAgain(times: Int) throws -> UInt64 { try session.readOrdersAgain(times: times) }
    func holdOrders() throws { try session.holdOrders() }
    func hold() throws -> Any { try session.hold() }
    func close() throws { try session.close() }
}
