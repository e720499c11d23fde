// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Casts of requests after a port.

import Testing

@testable import CoreDataAdoption

@Suite("Casts of requests in ported sources") struct PortedRequestTests {
    @Test(
        "a request is made with the type of its cast",
        arguments: [
            (
                "let r = Car.fetchRequest() as! NSFetchRequest<Car>",
                "let r = NSFetchRequest<Car>(entityName: Car.entity().name!)"
            ),
            (
                "return fetchRequest() as! NSFetchRequest<Self>",
                "return NSFetchRequest<Self>(entityName: entity().name!)"
            ),
            (
                "let b = NSBatchDeleteRequest(fetchRequest: Car.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>)",
                "let b = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: Car.entity().name!))"
            ),
            (
                "let r = NSFetchRequest<NSManagedObject>(entityName: \"Car\") as! NSFetchRequest<Car>",
                "let r = NSFetchRequest<Car>(entityName: \"Car\")"
            ),
            (
                "let r = NSFetchRequest(entityName: f(\"Car\")) as! NSFetchRequest<Shop.Car>",
                "let r = NSFetchRequest<Shop.Car>(entityName: f(\"Car\"))"
            ),
            ("return path._kvcKeyPathString!", "return NSExpression(forKeyPath: path).keyPath"),
            (
                "let a = (\\Car.owner)._kvcKeyPathString! + b",
                "let a = NSExpression(forKeyPath: \\Car.owner).keyPath + b"
            ),
        ])
    func made(old: String, new: String) throws {
        let ported = try PortedSources.file(old, imports: true)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test("a request in a variable is made with the type of its cast, if nothing else needs the old one")
    func variables() throws {
        let old = """
            func f(fetchRequest: String) throws -> [Car] {
                let request: NSFetchRequest<NSFetchRequestResult> = Car.fetchRequest()
                request.predicate = g(request: 1)
                request.fetchLimit = h.request
                return try context.fetch(request as! NSFetchRequest<Car>) + k(request as! NSFetchRequest<Car>)
            }
            """
        let new = """
            func f(fetchRequest: String) throws -> [Car] {
                let request: NSFetchRequest<Car> = NSFetchRequest<Car>(entityName: Car.entity().name!)
                request.predicate = g(request: 1)
                request.fetchLimit = h.request
                return try context.fetch(request) + k(request)
            }
            """
        let ported = try PortedSources.file(old, imports: true)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "a request of a known type goes to a generic function as it is, and Apple's systems keep the cast",
        arguments: [
            (
                "let b = NSBatchDeleteRequest(fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>)",
                "let b = NSBatchDeleteRequest(fetchRequest: request)"
            ),
            (
                "return try count(\n    for: (request) as! NSFetchRequest<any NSFetchRequestResult>)",
                "return try count(\n    for: (request))"
            ),
            ("let r = request as! NSFetchRequest<NSFetchRequestResult>", "let r = request"),
            (
                "_ = try c.fetch(a.request as! NSFetchRequest<NSFetchRequestResult>) as? [Car]",
                "_ = try c.fetch(a.request) as? [Car]"
            ),
            (
                "f(try c.fetch(a as! NSFetchRequest<NSFetchRequestResult>), c.count(for: b as! NSFetchRequest<NSFetchRequestResult>))",
                "f(try c.fetch(a), c.count(for: b))"
            ),
        ])
    func separated(statement: String, other: String) throws {
        let old = "func f() throws {\n    \(statement)\n    g()\n}"
        let new = """
            func f() throws {
                #if canImport(ObjectiveC)
                    \(statement)
                #else
                    \(other)
                #endif
                g()
            }
            """
        let ported = try PortedSources.file(old, imports: true)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test("a statement on the line of its block goes to a new line, with its other changes") func lines() throws {
        let old = "var a: B { C(count(for: r as! NSFetchRequest<NSFetchRequestResult>), #keyPath(Car.name)) }"
        let new = """
            var a: B {
                #if canImport(ObjectiveC)
                    C(count(for: r as! NSFetchRequest<NSFetchRequestResult>), #keyPath(Car.name))
                #else
                    C(count(for: r), "name")
                #endif
            }
            """
        let ported = try PortedSources.file(old, imports: true)
        #expect(ported.text == new && ported.again == new && ported.reports.isEmpty, "\(ported)")
    }

    @Test(
        "a cast that needs a person is reported",
        arguments: [
            ("let r = given as! NSFetchRequest<Car>", "This cast traps"),
            ("use(cars as! NSFetchRequest<NSFetchRequestResult>)", "This cast traps"),
            ("if f(c.fetch(a as! NSFetchRequest<NSFetchRequestResult>)) { g() }", "This cast traps"),
            ("let r = given as? NSFetchRequest<Car>", "This cast is nil here"),
            ("let r = m?.fetchRequestTemplate(forName: a) as! NSFetchRequest<Car>", "This cast traps"),
            ("let r = controller as! NSFetchedResultsController<Car>", "This cast fails"),
            (
                "func f() {\n    let r = NSFetchRequest<NSManagedObject>(entityName: a)\n    use(r)\n    g(r as! NSFetchRequest<Car>)\n}",
                "This cast traps"
            ),
            (
                "func f() {\n    let r = NSFetchRequest<NSManagedObject>(entityName: a)\n    a = try r.execute()\n"
                    + "    g(r as! NSFetchRequest<Car>)\n}", "This cast traps"
            ),
        ])
    func reported(source: String, part: String) throws {
        let ported = try PortedSources.file(source, imports: true)
        #expect(ported.text == source)
        #expect(ported.reports.count == 1 && ported.reports.allSatisfy { $0.contains(part) }, "\(ported)")
    }
}
