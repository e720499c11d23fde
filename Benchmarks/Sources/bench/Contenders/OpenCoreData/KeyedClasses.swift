// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes with key-value coding, and predicates in the format language, as in many programs.

import CoreData

final class KeyedEmployee: NSManagedObject, EmployeeObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
    var salary: Double {
        get { value(forKey: "salary") as? Double ?? 0 }
        set { setValue(newValue, forKey: "salary") }
    }
    var hireDate: Date {
        get { value(forKey: "hireDate") as? Date ?? .distantPast }
        set { setValue(newValue, forKey: "hireDate") }
    }
    var isActive: Bool {
        get { value(forKey: "isActive") as? Bool ?? false }
        set { setValue(newValue, forKey: "isActive") }
    }
    var badge: Int64 {
        get { value(forKey: "badge") as? Int64 ?? 0 }
        set { setValue(newValue, forKey: "badge") }
    }
    var department: KeyedDepartment? {
        get { value(forKey: "department") as? KeyedDepartment }
        set { setValue(newValue, forKey: "department") }
    }
    var manager: KeyedEmployee? {
        get { value(forKey: "manager") as? KeyedEmployee }
        set { setValue(newValue, forKey: "manager") }
    }

    static func predicate(badge: Int64) -> NSPredicate { NSPredicate(format: "badge == %@", badge) }
    static func predicate(badgeBelow badge: Int64) -> NSPredicate { NSPredicate(format: "badge < %@", badge) }
    static func predicate(salaryAbove salary: Double, nameLike pattern: String) -> NSPredicate {
        NSPredicate(format: "salary > %@ AND name LIKE %@", salary, pattern)
    }
}

final class KeyedDepartment: NSManagedObject, DepartmentObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
}
