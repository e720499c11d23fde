// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds small models in code, for the specification of descriptions.

import CoreData
import Testing

/// Person ⟵ Employee, Company; Company.staff ⟷ Employee.employer.
struct SampleEntities {
    let model = NSManagedObjectModel()
    let person = NSEntityDescription()
    let employee = NSEntityDescription()
    let company = NSEntityDescription()
    let staff = NSRelationshipDescription()
    let employer = NSRelationshipDescription()

    init() {
        person.name = "Person"
        person.properties = [
            Self.attribute("name", .stringAttributeType), Self.attribute("age", .integer16AttributeType),
        ]
        employee.name = "Employee"
        company.name = "Company"
        staff.name = "staff"
        staff.destinationEntity = employee
        staff.inverseRelationship = employer
        employer.name = "employer"
        employer.maxCount = 1
        employer.destinationEntity = company
        employer.inverseRelationship = staff
        employee.properties = [Self.attribute("salary", .doubleAttributeType), employer]
        company.properties = [Self.attribute("name", .stringAttributeType), staff]
        person.subentities = [employee]
        model.entities = [person, employee, company]
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }
}
