// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests initializers, class names and stores of an app without generated code.

import CoreData
import CoreDataTesting
import Testing

@testable import PlainApp

@Suite("An app's own code") @MainActor struct PlainAppTests {
    private let stack = Stack()
    private var context: NSManagedObjectContext { stack.container.viewContext }

    @Test("initializers of subclasses are called for insertions and fetches") func initializers() throws {
        let company = Company(name: "Acme", context: context)
        let employee = Employee(name: "Ann", company: company)
        #expect(company.log == ["made"])
        #expect(employee.joined != nil)
        try context.save()
        let other = stack.container.newBackgroundContext()
        let log = try other.performAndWait {
            try other.fetch(NSFetchRequest<Company>(entityName: "Company")).map(\.log)
        }
        #expect(log == [["made"]])
        #expect(stack.insert(Employee.self, into: context).company == nil)
    }

    @Test("a class name without a module finds the class in this library") func classNames() throws {
        let model = Stack.model.copy() as! NSManagedObjectModel
        model.entitiesByName["Company"]?.managedObjectClassName = "Company"
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let object = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
        #expect((object as? Company)?.log == ["made"])
    }

    @Test("an employee is stored with its company, by one fetch and without a leak") func contents() throws {
        let container = try TestContainer(Stack.model)
        let report = try container.watch {
            let context = container.newBackgroundContext()
            try context.performAndWait {
                _ = Employee(name: "Ann", company: Company(name: "Acme", context: context))
                try context.save()
                _ = try context.fetch(NSFetchRequest<Employee>(entityName: "Employee"))
            }
        }
        #expect(report.leaks == [])
        try StoreContents(of: container, entities: ["Employee"], leavingOut: ["joined", "company"]).verify(
            """
            Employee "Ann"
              name: "Ann"
            """)
    }

    @Test("each container at /dev/null has a separate store") func ephemeral() throws {
        _ = Company(name: "Acme", context: context)
        try context.save()
        let other = Stack().container.viewContext
        #expect(try other.count(for: NSFetchRequest<Company>(entityName: "Company")) == 0)
    }

    @Test("key-path sort descriptors order objects") func sorting() throws {
        for name in ["b", "a"] { _ = Company(name: name, context: context) }
        try context.save()
        let request = NSFetchRequest<Company>(entityName: "Company")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Company.name, ascending: true)]
        #expect(try context.fetch(request).map(\.name) == ["a", "b"])
    }

    @Test("a missing date sorts before all others") func sortingByMissingDates() throws {
        let company = Company(name: "Acme", context: context)
        let (first, second) = (Employee(name: "first", company: company), Employee(name: "second", company: company))
        second.joined = nil
        let descriptor = NSSortDescriptor(keyPath: \Employee.joined, ascending: true)
        let sorted = ([first, second] as NSArray).sortedArray(using: [descriptor]) as? [Employee]
        #expect(sorted?.map(\.name) == ["second", "first"])
    }

    @Test("a secure transformer keeps a value of the app's own class") func transformer() throws {
        let company = Company(name: "Acme", context: context)
        company.logo = Logo(title: "A")
        try context.save()
        let id = company.objectID
        let other = stack.container.newBackgroundContext()
        let title = try other.performAndWait {
            (try other.existingObject(with: id) as? Company)?.logo?.title
        }
        #expect(title == "A")
    }
}
