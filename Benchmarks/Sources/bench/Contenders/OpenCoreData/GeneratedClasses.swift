// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes in generated style (Documentation/Internals/GeneratedAccess.md), and predicates built from objects without
// parsing.

import CoreData

// Foundation has unusable classes with these names.
private typealias NSExpression = CoreData.NSExpression
private typealias NSComparisonPredicate = CoreData.NSComparisonPredicate

final class Employee: NSManagedObject, EmployeeObject {
    // With inverses. In the model without them (J7) access is by name.
    override class var _slots: StaticString {
        "badge:i department:r hireDate:t isActive:b manager:r name:s reports:m salary:d"
    }

    var name: String {
        get { _string(5, "name") ?? "" }
        set { _setString(newValue, 5, "name") }
    }
    var salary: Double {
        get { _double(7, "salary") ?? 0 }
        set { _setDouble(newValue, 7, "salary") }
    }
    var hireDate: Date {
        get { _date(2, "hireDate") ?? .distantPast }
        set { _setDate(newValue, 2, "hireDate") }
    }
    var isActive: Bool {
        get { _boolean(3, "isActive") ?? false }
        set { _setBoolean(newValue, 3, "isActive") }
    }
    var badge: Int64 {
        get { _integer(0, "badge") ?? 0 }
        set { _setInteger(newValue, 0, "badge") }
    }
    var department: Department? {
        get { _destination(1, "department") }
        set { _setDestination(newValue, 1, "department") }
    }
    var manager: Employee? {
        get { _destination(4, "manager") }
        set { _setDestination(newValue, 4, "manager") }
    }

    static func predicate(badge: Int64) -> NSPredicate { comparison("badge", .equalTo, badge) }
    static func predicate(badgeBelow badge: Int64) -> NSPredicate { comparison("badge", .lessThan, badge) }
    static func predicate(salaryAbove salary: Double, nameLike pattern: String) -> NSPredicate {
        NSCompoundPredicate(andPredicateWithSubpredicates: [
            comparison("salary", .greaterThan, salary), comparison("name", .like, pattern),
        ])
    }

    private static func comparison(
        _ key: String, _ type: NSComparisonPredicate.Operator, _ value: Any
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: key), rightExpression: NSExpression(forConstantValue: value),
            modifier: .direct, type: type)
    }
}

final class Department: NSManagedObject, DepartmentObject {
    override class var _slots: StaticString { "employees:m name:s" }

    var name: String {
        get { _string(1, "name") ?? "" }
        set { _setString(newValue, 1, "name") }
    }
}
