// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample with inheritance: people, employees and managers in departments.

public import CoreData
import Foundation

/// A person is abstract; an employee is one, and a manager is an employee. A department with employees cannot be
/// deleted.
public enum EmployeesModel {
    public static func make() -> NSManagedObjectModel {
        let person = NSEntityDescription("Person", class: Person.self, abstract: true)
        person.attribute("name", .stringAttributeType, optional: false)
        person.attribute("birthday", .dateAttributeType)
        let employee = NSEntityDescription("Employee", class: Employee.self)
        employee.attribute("salary", .integer64AttributeType, optional: false, default: 1000)
        let manager = NSEntityDescription("Manager", class: Manager.self)
        manager.attribute("bonus", .doubleAttributeType)
        let department = NSEntityDescription("Department", class: Department.self)
        department.attribute("name", .stringAttributeType)
        department.relate("employees", .many, .denyDeleteRule, to: employee, inverse: "department", .one)
        manager.relate("reports", .many, to: employee, inverse: "manager", .one)
        employee.subentities = [manager]
        person.subentities = [employee]
        return NSManagedObjectModel(person, employee, manager, department)
    }
}

public class Person: NSManagedObject {
    public var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
}

public class Employee: Person {
    public var salary: Int {
        get { value(forKey: "salary") as? Int ?? 0 }
        set { setValue(newValue, forKey: "salary") }
    }
    public var department: Department? {
        get { value(forKey: "department") as? Department }
        set { setValue(newValue, forKey: "department") }
    }
    public var manager: Manager? {
        get { value(forKey: "manager") as? Manager }
        set { setValue(newValue, forKey: "manager") }
    }
}

public final class Manager: Employee {
    public var reports: Set<Employee> {
        get { value(forKey: "reports") as? Set<Employee> ?? [] }
        set { setValue(newValue as NSSet, forKey: "reports") }
    }
}

public final class Department: NSManagedObject {
    public var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    public var employees: Set<Employee> {
        get { value(forKey: "employees") as? Set<Employee> ?? [] }
        set { setValue(newValue as NSSet, forKey: "employees") }
    }
}

/// A stack with the employees' model.
public final class Company {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }

    public init(in kind: StoreKind) throws { stack = try Stack(kind, EmployeesModel.make()) }

    @discardableResult
    public func department(_ name: String) -> Department {
        let department = Department(context: context)
        department.name = name
        return department
    }

    @discardableResult
    public func employee(
        _ name: String, salary: Int = 1000, in department: Department? = nil, under manager: Manager? = nil
    ) -> Employee {
        fill(Employee(context: context), name, salary, department, manager)
    }

    @discardableResult
    public func manager(
        _ name: String, salary: Int = 2000, in department: Department? = nil, under manager: Manager? = nil
    ) -> Manager {
        fill(Manager(context: context), name, salary, department, manager)
    }

    private func fill<T: Employee>(
        _ employee: T, _ name: String, _ salary: Int, _ department: Department?, _ manager: Manager?
    ) -> T {
        employee.name = name
        employee.salary = salary
        employee.department = department
        employee.manager = manager
        return employee
    }
}
