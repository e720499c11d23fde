// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of requests that are part of a model: templates and fetched properties.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Requests in models") struct TemplateSpecification {
    private func stack(_ kind: StoreKind) throws -> Stack {
        let model = FirmModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let department = try #require(model.entitiesByName["Department"])
        let template = NSFetchRequest<any NSFetchRequestResult>()
        template.entity = person
        template.predicate = NSPredicate(format: "age >= $least AND name BEGINSWITH[c] $start")
        template.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        model.setFetchRequestTemplate(template, forName: "older")
        let peers = NSFetchedPropertyDescription()
        peers.name = "peers"
        peers.userInfo = ["least": 30]
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = person
        request.predicate = NSPredicate(
            format: "department == $FETCH_SOURCE.department AND age > $FETCHED_PROPERTY.userInfo.least")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        peers.fetchRequest = request
        person.properties.append(peers)
        let tall = NSFetchedPropertyDescription()
        tall.name = "above"
        let higher = NSFetchRequest<any NSFetchRequestResult>()
        higher.entity = department
        higher.predicate = NSPredicate(format: "floor > $FETCH_SOURCE.floor")
        tall.fetchRequest = higher
        department.properties.append(tall)
        return try Stack(kind, model)
    }

    @discardableResult
    private func person(_ name: String, _ age: Int, _ department: NSManagedObject?, _ stack: Stack) -> NSManagedObject {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: stack.context)
        person.setValue(name, forKey: "name")
        person.setValue(age, forKey: "age")
        person.setValue(department, forKey: "department")
        return person
    }

    @Test("a template uses the values of its variables", arguments: StoreKind.all)
    func templates(kind: StoreKind) throws {
        let stack = try stack(kind)
        for (name, age) in [("Ada", 36), ("Alan", 41), ("Bob", 50), ("amy", 12)] { person(name, age, nil, stack) }
        try stack.context.save()
        let request = try #require(
            stack.model.fetchRequestFromTemplate(withName: "older", substitutionVariables: ["least": 30, "start": "a"]))
        let found = try stack.context.fetch(request) as? [NSManagedObject]
        #expect(Firm.names(found ?? []) == ["Alan", "Ada"])
        let predicate = try #require(stack.model.fetchRequestTemplate(forName: "older")?.predicate)
        #expect(predicate.description.contains("$least"))
        #expect(stack.model.fetchRequestTemplate(forName: "none") == nil)
    }

    /// Proves: F59
    @Test("a fetched property finds objects by its source and its user info", arguments: StoreKind.all)
    func fetchedProperties(kind: StoreKind) throws {
        let stack = try stack(kind)
        let department = NSEntityDescription.insertNewObject(forEntityName: "Department", into: stack.context)
        department.setValue("Sales", forKey: "name")
        let ada = person("Ada", 36, department, stack)
        person("Zed", 40, department, stack)
        person("Bob", 20, department, stack)
        person("Out", 50, nil, stack)
        try stack.context.save()
        #expect(Firm.names(ada.value(forKey: "peers") as? [NSManagedObject] ?? []) == ["Ada", "Zed"])
    }

    /// Proves: F59
    @Test("a fetched property finds objects in every store", arguments: StoreKind.all)
    func severalStores(kind: StoreKind) throws {
        let stack = try stack(kind)
        let url = stack.folder.appending(path: "Second.sqlite")
        let second = try stack.coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind == .inMemory ? nil : kind.place(url), options: nil)
        var departments: [NSManagedObject] = []
        for floor in 0..<3 {
            let department = NSEntityDescription.insertNewObject(forEntityName: "Department", into: stack.context)
            department.setValue("d\(floor)", forKey: "name")
            department.setValue(floor, forKey: "floor")
            stack.context.assign(department, to: floor == 1 ? second : stack.store)
            departments.append(department)
        }
        try stack.context.save()
        #expect(Set(Firm.names(departments[0].value(forKey: "above") as? [NSManagedObject] ?? [])) == ["d1", "d2"])
    }

    @Test("a fetched property is fetched anew after a refresh", arguments: StoreKind.all)
    func refresh(kind: StoreKind) throws {
        let stack = try stack(kind)
        let ada = person("Ada", 36, nil, stack)
        let department = NSEntityDescription.insertNewObject(forEntityName: "Department", into: stack.context)
        department.setValue("Sales", forKey: "name")
        ada.setValue(department, forKey: "department")
        try stack.context.save()
        #expect(Firm.names(ada.value(forKey: "peers") as? [NSManagedObject] ?? []) == ["Ada"])
        person("Bob", 60, department, stack)
        try stack.context.save()
        stack.context.refresh(ada, mergeChanges: false)
        #expect(Firm.names(ada.value(forKey: "peers") as? [NSManagedObject] ?? []) == ["Ada", "Bob"])
    }
}
