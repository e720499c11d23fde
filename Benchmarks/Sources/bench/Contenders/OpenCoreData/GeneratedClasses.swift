// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes as a generator would write them: the fastest accessors that the framework offers to other modules, and
// predicates made of objects, without a text to parse.

import CoreData

// Foundation has classes of these names that cannot be used.
private typealias NSExpression = CoreData.NSExpression
private typealias NSComparisonPredicate = CoreData.NSComparisonPredicate

final class Employee: NSManagedObject, EmployeeObject {
    var name: String {
        get { primitiveValue(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
    var salary: Double {
        get { (primitiveValue(forKey: "salary") as? NSNumber)?.doubleValue ?? 0 }
        set { setValue(newValue, forKey: "salary") }
    }
    var hireDate: Date {
        get { primitiveValue(forKey: "hireDate") as? Date ?? .distantPast }
        set { setValue(newValue, forKey: "hireDate") }
    }
    var isActive: Bool {
        get { (primitiveValue(forKey: "isActive") as? NSNumber)?.boolValue ?? false }
        set { setValue(newValue, forKey: "isActive") }
    }
    var badge: Int64 {
        get { (primitiveValue(forKey: "badge") as? NSNumber)?.int64Value ?? 0 }
        set { setValue(newValue, forKey: "badge") }
    }
    var department: Department? {
        get { primitiveValue(forKey: "department") as? Department }
        set { setValue(newValue, forKey: "department") }
    }
    var manager: Employee? {
        get { primitiveValue(forKey: "manager") as? Employee }
        set { setValue(newValue, forKey: "manager") }
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
    var name: String {
        get { primitiveValue(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
}
