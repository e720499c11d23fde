// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs with this framework, each in a single `performAndWait` of its context.

import CoreData

final class StoreSession<Employee: EmployeeObject>: Session {
    private let coordinator: NSPersistentStoreCoordinator
    let workload: Workload
    /// The orders of `readOrdersAgain`, and their context.
    var heldOrders: (context: NSManagedObjectContext, orders: [Order])?

    init(_ coordinator: NSPersistentStoreCoordinator, _ workload: Workload) {
        self.coordinator = coordinator
        self.workload = workload
    }

    func close() throws {
        heldOrders = nil
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func insertAll() throws {
        try inContext { context in
            let departments = (0..<Workload.departments).map { number in
                let department = Employee.Department(context: context)
                department.name = Workload.departmentName(number)
                return department
            }
            let all = workload.employees
            var employees: [Employee] = []
            employees.reserveCapacity(all.count)
            for values in all { employees.append(insert(values, departments[values.department], context)) }
            for number in all.indices {
                if let manager = all[number].manager { employees[number].manager = employees[manager] }
            }
            try context.save()
        }
    }

    private func insert(
        _ values: EmployeeValues, _ department: Employee.Department, _ context: NSManagedObjectContext
    ) -> Employee {
        let employee = Employee(context: context)
        employee.name = values.name
        employee.salary = values.salary
        employee.hireDate = values.hireDate
        employee.isActive = values.isActive
        employee.badge = values.badge
        employee.department = department
        return employee
    }

    func readAll() throws -> UInt64 {
        try inContext { context in read(try context.fetch(request())) }
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
            for employee in try context.fetch(request()) {
                digest.add(
                    name: employee.name, salary: employee.salary, hireDate: employee.hireDate,
                    isActive: employee.isActive, badge: employee.badge, hasDepartment: false, hasManager: false)
            }
            return digest.value
        }
    }

    func hold() throws -> Any {
        let context = newContext()
        return try context.performAndWait {
            let employees = try context.fetch(request())
            _ = read(employees)
            return (context, employees)
        }
    }

    func lookUp() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for number in 0..<workload.lookUps {
                let request = request(Employee.predicate(badge: workload.badge(ofLookUp: number)))
                for employee in try context.fetch(request) { digest.add(Int(employee.salary)) }
            }
            return digest.value
        }
    }

    func search() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for number in 0..<workload.searches {
                let salary = workload.salary(ofSearch: number)
                let request = request(Employee.predicate(salaryAbove: salary, nameLike: "a*"))
                request.sortDescriptors = [NSSortDescriptor(key: "salary", ascending: true)]
                request.fetchLimit = 100
                for employee in try context.fetch(request) { digest.append(Int(employee.badge)) }
            }
            return digest.value
        }
    }

    func follow() throws -> UInt64 {
        try inContext { context in
            // Reads all departments first, like the other contenders; otherwise each of them would fire a fault.
            let departments = try context.fetch(
                NSFetchRequest<Employee.Department>(entityName: "Department"))
            var digest = Digest()
            for employee in try context.fetch(request()) {
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

    func summarize() throws -> UInt64 {
        try inContext { context in
            var digest = Digest()
            for _ in 0..<workload.summaries {
                for group in try context.fetch(Summary.request()) {
                    guard let count = group["count"] as? NSNumber, let average = group["average"] as? NSNumber else {
                        throw BenchmarkFailure("a group without count or average")
                    }
                    digest.add(count: count.intValue, average: average.doubleValue)
                }
            }
            return digest.value
        }
    }

    private func employees(_ selection: Selection, _ context: NSManagedObjectContext) throws -> [Employee] {
        switch selection {
        case .lowBadges:
            return try context.fetch(request(Employee.predicate(badgeBelow: Int64(workload.touched))))
        case .neighbours:
            let request = request()
            request.fetchLimit = workload.touched
            return try context.fetch(request)
        }
    }

    private func request(_ predicate: NSPredicate? = nil) -> NSFetchRequest<Employee> {
        let request = NSFetchRequest<Employee>(entityName: "Employee")
        request.predicate = predicate
        return request
    }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func inContext<T>(_ body: (NSManagedObjectContext) throws -> T) throws -> T {
        let context = newContext()
        return try context.performAndWait { try body(context) }
    }
}
