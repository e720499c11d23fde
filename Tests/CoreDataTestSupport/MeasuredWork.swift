// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs of Documentation/Performance.md with less data, for the countable costs: statements and allocations.

public import CoreData
import Foundation

// Foundation has an unusable class of this name.
private typealias NSExpression = CoreData.NSExpression

public enum MeasuredJob: String, CaseIterable, Sendable {
    case insert = "J1"
    case read = "J2"
    case lookUp = "J3"
    case search = "J4"
    case follow = "J5"
    case change = "J6"
    case delete = "J7"
    case summarize = "J8"

    /// Repetitions of jobs that do not visit all objects once.
    public static let repetitions = 10

    public static let ofObjects: [MeasuredJob] = [.insert, .read, .follow, .change, .delete]
    public static let ofRequests: [MeasuredJob] = [.lookUp, .search, .summarize]
}

/// A store with ten departments and any number of employees, of which each tenth leads the nine that follow.
public final class MeasuredWork {
    public let stack: Stack
    private let count: Int

    /// - Parameter count: a multiple of ten.
    public init(
        _ count: Int, for job: MeasuredJob, in kind: StoreKind = .sqlite, options: [AnyHashable: Any]? = nil
    ) throws {
        self.count = count
        stack = try Stack(kind, Self.model(), options: options)
        guard job != .insert else { return }
        try insert(stack.context)
        try stack.reopen(options: options)
    }

    /// Does the job in the stack's context.
    ///
    /// - Returns: the objects that must stay alive for their memory to be counted.
    public func run(_ job: MeasuredJob) throws -> [NSManagedObject] {
        let context = stack.context
        switch job {
        case .insert: try insert(context)
        case .read: return try read(context)
        case .lookUp:
            for badge in 0..<MeasuredJob.repetitions {
                _ = try context.fetch(request("badge == %@", badge)).map { $0.value(forKey: "salary") }
            }
        case .search:
            for number in 0..<MeasuredJob.repetitions {
                let request = request("salary > %@ AND name LIKE 'a*'", number)
                request.sortDescriptors = [NSSortDescriptor(key: "salary", ascending: true)]
                request.fetchLimit = 100
                _ = try context.fetch(request).map { $0.value(forKey: "name") }
            }
        case .follow: return try follow(context)
        case .change:
            for employee in try context.fetch(request()) { employee.setValue(-1.0, forKey: "salary") }
            try context.save()
        case .delete:
            for employee in try context.fetch(request()) { context.delete(employee) }
            try context.save()
        case .summarize:
            for _ in 0..<MeasuredJob.repetitions { _ = try context.fetch(Self.summary()) }
        }
        return []
    }

    private func insert(_ context: NSManagedObjectContext) throws {
        let departments = (0..<10).map { number in
            let department = NSEntityDescription.insertNewObject(forEntityName: "Department", into: context)
            department.setValue("Department \(number)", forKey: "name")
            return department
        }
        var lead: NSManagedObject?
        for number in 0..<count {
            let employee = NSEntityDescription.insertNewObject(forEntityName: "Employee", into: context)
            employee.setValue("a \(number)", forKey: "name")
            employee.setValue(Double(number), forKey: "salary")
            employee.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "hireDate")
            employee.setValue(true, forKey: "isActive")
            employee.setValue(number, forKey: "badge")
            employee.setValue(departments[number % 10], forKey: "department")
            if number % 10 == 0 { lead = employee } else { employee.setValue(lead, forKey: "manager") }
        }
        try context.save()
    }

    private func read(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let employees = try context.fetch(request())
        let keys = ["name", "salary", "hireDate", "isActive", "badge", "department", "manager"]
        for employee in employees { for key in keys { _ = employee.primitiveValue(forKey: key) } }
        return employees
    }

    private func follow(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let departments = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Department"))
        let employees = try context.fetch(request())
        for employee in employees { _ = employee.value(forKeyPath: "department.name") }
        return departments + employees
    }

    private func request(_ format: String? = nil, _ argument: Any = 0) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Employee")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: [argument]) }
        return request
    }

    private static func summary() -> NSFetchRequest<NSDictionary> {
        let average = NSExpressionDescription()
        average.name = "average"
        average.expression = NSExpression(forFunction: "average:", arguments: [NSExpression(forKeyPath: "salary")])
        average.expressionResultType = .doubleAttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Employee")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["department", average]
        request.propertiesToGroupBy = ["department"]
        return request
    }

    private static func model() -> NSManagedObjectModel {
        let department = NSEntityDescription("Department")
        department.attribute("name", .stringAttributeType, optional: false)
        let employee = NSEntityDescription("Employee")
        employee.attribute("name", .stringAttributeType, optional: false)
        employee.attribute("salary", .doubleAttributeType, optional: false)
        employee.attribute("hireDate", .dateAttributeType, optional: false)
        employee.attribute("isActive", .booleanAttributeType, optional: false)
        let badge = employee.attribute("badge", .integer64AttributeType, optional: false)
        employee.indexes = [
            NSFetchIndexDescription(
                name: "byBadge", elements: [NSFetchIndexElementDescription(property: badge, collationType: .binary)])
        ]
        department.relate("employees", .many, to: employee, inverse: "department", .one)
        employee.relate("reports", .many, to: employee, inverse: "manager", .one)
        return NSManagedObjectModel(department, employee)
    }
}
