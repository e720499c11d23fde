// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The owner of a followed to-one destination: the table while the object is only read, its extension afterwards.

import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

@testable import CoreData

/// The portable mode cannot keep followed destinations for objects without an extension
/// (Documentation/Internals/UnsafeCode.md).
///
/// Proves: L8
@Suite("Followed to-ones", .enabled(if: !PortableMode.isOn)) struct FollowedDestinationsTests {
    private let company: Company

    init() throws {
        company = try Company(in: .inMemory)
        let boss = company.manager("Grace", in: company.department("Compilers"))
        for number in 0..<200 { company.employee("\(number)", in: boss.department, under: boss) }
        try company.context.save()
    }

    private var context: NSManagedObjectContext { company.context }

    /// Fetches the employees in a context without objects.
    private func employees(_ context: NSManagedObjectContext) throws -> [Employee] {
        let request = NSFetchRequest<Employee>(entityName: "Employee")
        request.sortDescriptors = [NSSortDescriptor(key: "salary", ascending: true)]
        return try context.fetch(request)
    }

    @Test("an object that is only read has no extension, and keeps its destination alive") func reading() throws {
        let context = company.stack.newContext()
        var employee = try employees(context).first
        weak let department = employee?.department
        weak let manager = employee?.manager
        #expect(employee?.storedExtension == nil)
        #expect(department != nil)
        #expect(manager != nil)
        #expect(employee?.department === department)
        employee = nil
        #expect(department == nil)
        #expect(manager == nil)
    }

    @Test("one that changes takes them along, and leads where it is set to") func writing() throws {
        let context = company.stack.newContext()
        let employee = try #require(try employees(context).first)
        weak let old = employee.department
        weak let manager = employee.manager
        let new = Department(context: context)
        employee.department = new
        #expect(employee.storedExtension != nil)
        #expect(!employee.flags.contains(.followed))
        #expect(employee.department === new)
        #expect(manager != nil)
        #expect(employee.manager === manager)
        context.rollback()
        #expect(employee.department?.name == "Compilers")
        #expect(old?.isDeleted != true)
    }

    @Test("a refresh lets go of them") func refreshing() throws {
        let context = company.stack.newContext()
        let employee = try #require(try employees(context).first)
        weak let department = employee.department
        #expect(department != nil)
        context.refresh(employee, mergeChanges: false)
        context.processPendingChanges()
        #expect(department == nil)
        #expect(employee.department?.name == "Compilers")
    }

    @Test("objects that outlive their context let go of one another") func leaving() throws {
        var context: NSManagedObjectContext? = company.stack.newContext()
        var found = try employees(#require(context)).filter { !($0 is Manager) }
        let (left, changed) = (found[0], found[1])
        found = []
        weak let department = left.department
        weak let manager = changed.manager
        changed.salary = 1
        #expect(left.storedExtension == nil)
        #expect(changed.storedExtension != nil)
        #expect(department != nil)
        #expect(manager != nil)
        context = nil
        #expect(left.managedObjectContext == nil)
        #expect(department == nil)
        #expect(manager == nil)
    }

    @Test("keys far apart have their place in an extension") func farKeys() throws {
        let layout = try #require(context.registry.model.layout(named: "Employee"))
        let followed = FollowedDestinations(layout)
        let department = company.department("Far")
        for key: Int64 in [0, 1, 63, 64, 70_000, 4_194_303] {
            #expect(followed.set(department, key, 0))
            #expect(followed.destination(key, 0, department.key, isKnown: true, in: nil) === department)
            #expect(followed.destination(key, 0, department.key - 1, isKnown: true, in: nil) == nil)
            #expect(followed.destination(key, 1, department.key, isKnown: true, in: nil) == nil)
            followed.forget(key)
            #expect(followed.destination(key, 0, department.key, isKnown: true, in: nil) == nil)
        }
        #expect(!followed.set(department, 4_194_304, 0))
        #expect(!followed.set(department, -1, 0))
        #expect(!followed.set(department, .max, 0))
    }

    /// Six to-ones from each object to the others.
    private static func ringModel() -> NSManagedObjectModel {
        let node = NSEntityDescription("Node")
        for number in 0..<6 { node.relate("next\(number)", .one, to: node, inverse: "back\(number)", .many) }
        return NSManagedObjectModel(node)
    }

    @Test("objects with many to-ones hold, pass on and let go of each", arguments: [false, true])
    func manyToOnes(changes: Bool) throws {
        let stack = try Stack(.inMemory, Self.ringModel())
        let entity = try #require(stack.model.entities.first)
        let nodes = (0..<7).map { _ in NSManagedObject(entity: entity, insertInto: stack.context) }
        for number in 0..<6 { nodes[0].setValue(nodes[number + 1], forKey: "next\(number)") }
        try stack.context.save()
        let context = stack.newContext()
        var node: NSManagedObject? = try context.existingObject(with: nodes[0].objectID)
        let found = Followed()
        for number in 0..<6 { found.add(node?.value(forKey: "next\(number)")) }
        #expect(node?.storedExtension == nil)
        #expect(found.alive == 6)
        if changes { node?.takeDestinations() }
        #expect((node?.storedExtension != nil) == changes)
        #expect(found.alive == 6)
        for number in 0..<6 { #expect(found[number] === node?.value(forKey: "next\(number)") as? NSManagedObject) }
        node = nil
        #expect(found.alive == 0)
    }

    /// Objects that others retain, and objects without an owner.
    private final class Followed {
        private struct Link { weak var object: NSManagedObject? }
        private var links: [Link] = []

        func add(_ value: Any?) { links.append(Link(object: value as? NSManagedObject)) }
        subscript(position: Int) -> NSManagedObject? { links[position].object }
        var alive: Int { links.filter { $0.object != nil }.count }
    }

    @Test("objects may die on any thread while others are followed") func threads() throws {
        for _ in 0..<20 {
            let context = company.stack.newContext(.privateQueueConcurrencyType)
            let dying = DispatchGroup()
            for _ in 0..<20 {
                let box = Box(try context.performAndWait { try follow(context) })
                DispatchQueue.global().async(group: dying) { box.objects = [] }
            }
            dying.wait()
            let rest = try context.performAndWait { try follow(context).count }
            #expect(rest == 201)
        }
    }

    private func follow(_ context: NSManagedObjectContext) throws -> [Employee] {
        let all = try employees(context)
        for employee in all where employee.department?.name != "Compilers" { Issue.record("another department") }
        for employee in all where employee.manager?.name ?? "Grace" != "Grace" { Issue.record("another manager") }
        return all
    }

    private final class Box: @unchecked Sendable {  // handed from one thread to another
        var objects: [Employee]
        init(_ objects: [Employee]) { self.objects = objects }
    }
}
