// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of both kinds of managed object classes to the jobs.

import CoreData

protocol EmployeeObject: NSManagedObject {
    associatedtype Department: DepartmentObject

    var name: String { get set }
    var salary: Double { get set }
    var hireDate: Date { get set }
    var isActive: Bool { get set }
    var badge: Int64 { get set }
    var department: Department? { get set }
    var manager: Self? { get set }

    /// `badge == x` and `badge < x`.
    static func predicate(badge: Int64) -> NSPredicate
    static func predicate(badgeBelow badge: Int64) -> NSPredicate
    /// `salary > x AND name LIKE "a*"`
    static func predicate(salaryAbove salary: Double, nameLike pattern: String) -> NSPredicate
}

protocol DepartmentObject: NSManagedObject {
    var name: String { get set }
}
