// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the jobs as classes of SwiftData, with and without inverse relationships.

import SwiftData

/// The interface of both kinds of classes to the jobs.
protocol EmployeeClass: PersistentModel {
    associatedtype Department: DepartmentClass

    var name: String { get }
    var salary: Double { get set }
    var hireDate: Date { get }
    var isActive: Bool { get }
    var badge: Int64 { get }
    var department: Department? { get set }
    var manager: Self? { get set }

    init(_ values: EmployeeValues)

    static func predicate(badge: Int64) -> Predicate<Self>
    static func predicate(badgeBelow badge: Int64) -> Predicate<Self>
    static func predicate(salaryAbove salary: Double, nameBeginsWith text: String) -> Predicate<Self>
    static var bySalary: SortDescriptor<Self> { get }
}

protocol DepartmentClass: PersistentModel {
    var name: String { get }

    init(name: String)
}

enum Linked {
    @Model final class Employee: EmployeeClass {
        #Index<Employee>([\.badge])
        var name: String
        var salary: Double
        var hireDate: Date
        var isActive: Bool
        var badge: Int64
        var department: Department?
        @Relationship(inverse: \Employee.reports) var manager: Employee?
        var reports: [Employee] = []

        init(_ values: EmployeeValues) {
            name = values.name
            salary = values.salary
            hireDate = values.hireDate
            isActive = values.isActive
            badge = values.badge
        }

        static func predicate(badge: Int64) -> Predicate<Employee> { #Predicate { $0.badge == badge } }
        static func predicate(badgeBelow badge: Int64) -> Predicate<Employee> { #Predicate { $0.badge < badge } }
        static func predicate(salaryAbove salary: Double, nameBeginsWith text: String) -> Predicate<Employee> {
            #Predicate { $0.salary > salary && $0.name.starts(with: text) }
        }
        static var bySalary: SortDescriptor<Employee> { SortDescriptor(\.salary) }
    }

    @Model final class Department: DepartmentClass {
        var name: String
        @Relationship(inverse: \Employee.department) var employees: [Employee] = []

        init(name: String) { self.name = name }
    }
}

enum Unlinked {
    @Model final class Employee: EmployeeClass {
        #Index<Employee>([\.badge])
        var name: String
        var salary: Double
        var hireDate: Date
        var isActive: Bool
        var badge: Int64
        @Relationship(inverse: nil) var department: Department?
        @Relationship(inverse: nil) var manager: Employee?

        init(_ values: EmployeeValues) {
            name = values.name
            salary = values.salary
            hireDate = values.hireDate
            isActive = values.isActive
            badge = values.badge
        }

        static func predicate(badge: Int64) -> Predicate<Employee> { #Predicate { $0.badge == badge } }
        static func predicate(badgeBelow badge: Int64) -> Predicate<Employee> { #Predicate { $0.badge < badge } }
        static func predicate(salaryAbove salary: Double, nameBeginsWith text: String) -> Predicate<Employee> {
            #Predicate { $0.salary > salary && $0.name.starts(with: text) }
        }
        static var bySalary: SortDescriptor<Employee> { SortDescriptor(\.salary) }
    }

    @Model final class Department: DepartmentClass {
        var name: String

        init(name: String) { self.name = name }
    }
}
