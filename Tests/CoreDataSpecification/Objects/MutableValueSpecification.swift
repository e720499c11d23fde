// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that key paths give mutable collections, and that arrays are mutable collections, too.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: M3, M7
@Suite("Mutable collections at key paths") struct MutableValueSpecification {
    @Test("a set at the end of a key path changes its object, and the other ends", arguments: StoreKind.all)
    func set(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        let ada = company.employee("Ada", in: lab)
        let manager = company.manager("Grace")
        ada.manager = manager
        manager.department = lab
        let alan = company.employee("Alan")
        try company.context.save()
        let employees = ada.mutableSetValue(forKeyPath: "manager.department.employees")
        employees.add(alan)
        #expect(alan.department === lab)
        #expect(lab.employees == [ada, manager, alan])
        ada.mutableSetValue(forKeyPath: "department.employees").remove(alan)
        #expect(alan.department == nil)
        #expect(employees.count == 2)
        lab.mutableSetValue(forKeyPath: "employees").add(alan)
        try company.context.save()
        let fresh = company.stack.newContext()
        #expect((fresh.object(with: lab.objectID) as? Department)?.employees.count == 3)
    }

    @Test("an ordered set and an array at the end of a key path keep the order", arguments: StoreKind.all)
    func ordered(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("top", "a", "b", "c")
        nodes[0].children = [nodes[1]]
        nodes[1].mutableOrderedSetValue(forKeyPath: "parent.children").insert(nodes[2], at: 0)
        #expect(nodes[0].children == [nodes[2], nodes[1]])
        nodes[1].mutableArrayValue(forKeyPath: "parent.children").insert(nodes[3], at: 1)
        #expect(nodes[0].children == [nodes[2], nodes[3], nodes[1]])
        #expect(nodes[3].parent === nodes[0])
        #expect(graph.context.innerFindings == [])
        try graph.context.save()
        let fresh = graph.stack.newContext()
        #expect((fresh.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["b", "c", "a"])
    }

    @Test("a path without an object at its end gives an empty collection without an owner")
    func nothing() throws {
        let graph = try Graph(in: .inMemory)
        let nodes = graph.nodes("a", "b")
        #expect(nodes[0].mutableSetValue(forKeyPath: "parent.neighbours").count == 0)
        nodes[0].mutableOrderedSetValue(forKeyPath: "next.next.children").add(nodes[1])
        nodes[0].mutableArrayValue(forKeyPath: "next.children").add(nodes[1])
        #expect(nodes[1].parent == nil)
    }

    @Test("an ordered to-many as an array is changed in every way")
    func array() throws {
        let graph = try Graph(in: .inMemory)
        let nodes = graph.nodes("top", "a", "b", "c", "d")
        let array = nodes[0].mutableArrayValue(forKey: "children")
        func names() -> String { nodes[0].children.map { $0.name ?? "" }.joined() }
        array.addObjects(from: [nodes[1], nodes[2], nodes[3]])
        #expect(names() == "abc")
        array.exchangeObject(at: 0, withObjectAt: 2)
        #expect(names() == "cba")
        array.sort(using: [NSSortDescriptor(key: "name", ascending: true)])
        #expect(names() == "abc")
        array.sort(comparator: { ($1 as? Node)?.name?.compare(($0 as? Node)?.name ?? "") ?? .orderedSame })
        #expect(names() == "cba")
        array.replaceObject(at: 1, with: nodes[4])
        array[0] = nodes[2]
        #expect(names() == "bda")
        array.removeObject(at: 1)
        array.remove(nodes[1])
        #expect(names() == "b")
        array.insert([nodes[1], nodes[3]], at: [0, 2])
        #expect(names() == "abc")
        array.removeObjects(at: [0, 2])
        array.replaceObjects(in: NSRange(location: 0, length: 1), withObjectsFrom: [nodes[3], nodes[4]])
        #expect(names() == "cd")
        #expect(array as? [Node] == [nodes[3], nodes[4]])
        #expect(array.description == NSArray(array: [nodes[3], nodes[4]]).description)
        #expect(array.isEqual(to: [nodes[3], nodes[4]]) && array.lastObject as? Node === nodes[4])
        #expect((array.mutableCopy() as? NSMutableArray)?.count == 2)
        array.removeLastObject()
        array.setArray([nodes[1], nodes[2]])
        array.removeObjects(in: [nodes[1]])
        #expect(names() == "b")
        array.removeAllObjects()
        #expect(array.count == 0 && nodes[2].parent == nil)
    }

    @Test("an attribute that holds an array is changed through a mutable one", arguments: StoreKind.all)
    func attribute(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let keywords = book.mutableArrayValue(forKey: "keywords")
        #expect(keywords.count == 0)
        keywords.add("sand")
        try shop.context.save()
        keywords.insert("spice", at: 0)
        #expect(book.value(forKey: "keywords") as? [String] == ["spice", "sand"])
        #expect(book.hasChanges)
        try shop.context.save()
        let context = shop.stack.newContext()
        let fresh = context.object(with: book.objectID)
        #expect(fresh.value(forKey: "keywords") as? [String] == ["spice", "sand"])
    }

    @Test("an unordered to-many is no array, and several objects have no one set")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = try Graph(in: .inMemory).nodes("a")[0].mutableArrayValue(forKey: "neighbours")
        }
        await #expect(processExitsWith: .failure) {
            _ = try Graph(in: .inMemory).nodes("a")[0].mutableSetValue(forKeyPath: "children.neighbours")
        }
    }
}
