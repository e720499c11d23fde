// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the jobs, built in code.

import CoreData

enum EmployeeModel {
    static func make<Employee: EmployeeObject>(_ type: Employee.Type, inverses: Bool) -> NSManagedObjectModel {
        let employee = entity("Employee", Employee.self)
        let department = entity("Department", Employee.Department.self)
        department.properties = [attribute("name", .stringAttributeType)]
        let badge = attribute("badge", .integer64AttributeType)
        employee.properties = [
            attribute("name", .stringAttributeType), attribute("salary", .doubleAttributeType),
            attribute("hireDate", .dateAttributeType), attribute("isActive", .booleanAttributeType), badge,
        ]
        employee.indexes = [
            NSFetchIndexDescription(
                name: "byBadge",
                elements: [NSFetchIndexElementDescription(property: badge, collationType: .binary)])
        ]
        let inDepartment = relationship("department", to: department, many: false)
        let manager = relationship("manager", to: employee, many: false)
        employee.properties += [inDepartment, manager]
        if inverses {
            department.properties.append(inverse(of: inDepartment, "employees", to: employee))
            employee.properties.append(inverse(of: manager, "reports", to: employee))
        }
        let model = NSManagedObjectModel()
        model.entities = [department, employee]
        return model
    }

    private static func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = String(reflecting: type)
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = false
        return attribute
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, many: Bool
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = many ? 0 : 1
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }

    private static func inverse(
        of toOne: NSRelationshipDescription, _ name: String, to entity: NSEntityDescription
    ) -> NSRelationshipDescription {
        let toMany = relationship(name, to: entity, many: true)
        toMany.inverseRelationship = toOne
        toOne.inverseRelationship = toMany
        return toMany
    }
}
