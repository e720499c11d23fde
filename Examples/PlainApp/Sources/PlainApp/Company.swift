// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Managed object classes with custom initializers.

import CoreData

public class Company: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var founded: Date
    @NSManaged public var logo: Logo?
    @NSManaged public var employees: Set<Employee>

    /// State of the object that is not part of the model.
    public private(set) var log: [String] = []

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        log.append("made")
    }

    public convenience init(name: String, context: NSManagedObjectContext) {
        self.init(context: context)
        self.name = name
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        founded = Date()
    }
}

public final class Employee: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var joined: Date?
    @NSManaged public var company: Company?

    private override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    public convenience init(context: NSManagedObjectContext) {
        self.init(entity: Employee.entity(), insertInto: context)
        joined = Date()
    }

    public convenience init(name: String, company: Company) {
        self.init(context: company.managedObjectContext!)
        self.name = name
        self.company = company
    }
}
