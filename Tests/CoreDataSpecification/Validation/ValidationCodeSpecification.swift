// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the code of each broken rule, and the contents of the error.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Codes of validation") struct ValidationCodeSpecification {
    /// Proves: M16, F92
    @Test(
        "limits that the model editor keeps have codes of their own", arguments: StoreKind.all,
        [
            Case("number", 3, 1620), Case("number", 8, 1610), Case("number", 5, nil),
            Case("real", 0.25, 1620), Case("real", 9.75, 1610), Case("real", 9.5, nil),
            Case("decimal", Decimal(1), 1620), Case("decimal", Decimal(3), 1610), Case("decimal", Decimal(2), nil),
            Case("date", Date(timeIntervalSinceReferenceDate: 5), 1640),
            Case("date", Date(timeIntervalSinceReferenceDate: 25), 1630),
            Case("date", Date(timeIntervalSinceReferenceDate: 15), nil),
            Case("text", "ab", 1670), Case("text", "abcdef", 1660), Case("text", "abc", nil),
            Case("pattern", "a1", 1680), Case("pattern", "abc", nil),
        ])
    func editor(store: StoreKind, example: Case) throws {
        let limits = try Limits(store)
        limits.object.setValue(example.value, forKey: example.key)
        guard let code = example.code else {
            #expect(limits.stack.context.saveFailure() == nil)
            return
        }
        let error = try #require(limits.stack.context.saveFailure())
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == code)
        let told = try #require(error as? CocoaError)
        #expect(told.validationKey == example.key)
        #expect(told.validationObject as? NSManagedObject === limits.object)
        #expect(told.validationPredicate != nil)
        #expect(told.validationValue != nil)
        #expect(!error.localizedDescription.isEmpty)
        #expect(limits.code(example.value, example.key) == code)
    }

    /// Proves: M16, F92
    @Test("a warning is a sentence for the reader, or a code", arguments: StoreKind.all)
    func warnings(store: StoreKind) throws {
        let entity = NSEntityDescription("Ruled")
        entity.attribute("sentence", .stringAttributeType).setValidationPredicates(
            [NSPredicate(format: "SELF != 'bad'")], withValidationWarnings: ["Not this one."])
        entity.attribute("code", .stringAttributeType).setValidationPredicates(
            [NSPredicate(format: "SELF != 'bad'")], withValidationWarnings: ["1660"])
        entity.attribute("none", .stringAttributeType).setValidationPredicates(
            [NSPredicate(format: "SELF != 'bad'")], withValidationWarnings: nil)
        entity.attribute("number", .stringAttributeType).setValidationPredicates(
            [NSPredicate(format: "SELF != 'bad'")], withValidationWarnings: ["42"])
        let stack = try Stack(store, NSManagedObjectModel(entity))
        let object = NSManagedObject(entity: entity, insertInto: stack.context)
        let told = ["sentence", "code", "none", "number"].map { key -> String in
            object.setValue("bad", forKey: key)
            defer { object.setValue(nil, forKey: key) }
            let error = stack.context.saveFailure()
            return "\(error?.code ?? 0) \(error?.localizedDescription ?? "")"
        }
        #expect(told[0] == "1550 Not this one.")
        #expect(told[1].hasPrefix("1660 "))
        #expect(told[2].hasPrefix("1550 "))
        #expect(told[3] == "1550 42")
    }

    /// Proves: M16, F95
    @Test("too few, too many, none", arguments: StoreKind.all)
    func counts(store: StoreKind) throws {
        let entity = NSEntityDescription("Team")
        let member = NSEntityDescription("Member")
        for (name, least, most, optional) in [
            ("pair", 2, 2, false), ("crew", 2, 3, true), ("many", 0, 0, false), ("leader", 1, 1, false),
        ] {
            let relationship = entity.relationship(name, name == "leader" ? .one : .many, to: member)
            relationship.minCount = least
            relationship.maxCount = most
            relationship.isOptional = optional
        }
        let stack = try Stack(store, NSManagedObjectModel(entity, member))
        let team = NSManagedObject(entity: entity, insertInto: stack.context)
        let members = (0..<4).map { _ in NSManagedObject(entity: member, insertInto: stack.context) }
        func codes(pair: Int, crew: Int, many: Int, leader: Bool) -> [String: Int] {
            team.setValue(NSSet(array: Array(members.prefix(pair))), forKey: "pair")
            team.setValue(NSSet(array: Array(members.prefix(crew))), forKey: "crew")
            team.setValue(NSSet(array: Array(members.prefix(many))), forKey: "many")
            team.setValue(leader ? members[0] : nil, forKey: "leader")
            guard let error = stack.context.saveFailure() else { return [:] }
            let parts = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
            return Dictionary(
                uniqueKeysWithValues: parts.map { ($0.userInfo[NSValidationKeyErrorKey] as? String ?? "", $0.code) })
        }
        #expect(codes(pair: 0, crew: 0, many: 0, leader: false) == ["pair": 1580, "leader": 1570])
        #expect(codes(pair: 1, crew: 1, many: 4, leader: true) == ["pair": 1580, "crew": 1580])
        #expect(codes(pair: 3, crew: 4, many: 1, leader: true) == ["pair": 1590, "crew": 1590])
        #expect(codes(pair: 2, crew: 3, many: 1, leader: true) == [:])
        #expect(codes(pair: 2, crew: 0, many: 0, leader: true) == [:])
    }

    /// Proves: M16, F95
    @Test("a mandatory to-many without a minimum count may be empty", arguments: StoreKind.all, [false, true])
    func emptyMembers(store: StoreKind, ordered: Bool) throws {
        let entity = NSEntityDescription("Team")
        let member = NSEntityDescription("Member")
        for (name, most) in [("players", 0), ("reserves", 2)] {
            let relationship = entity.relationship(name, .many, to: member)
            relationship.isOrdered = ordered
            relationship.maxCount = most
            relationship.isOptional = false
        }
        entity.attribute("name", .stringAttributeType)
        let stack = try Stack(store, NSManagedObjectModel(entity, member))
        let team = NSManagedObject(entity: entity, insertInto: stack.context)
        #expect(stack.context.saveFailure() == nil)
        let player = NSManagedObject(entity: member, insertInto: stack.context)
        team.setValue(ordered ? NSOrderedSet(object: player) : NSSet(object: player), forKey: "players")
        #expect(stack.context.saveFailure() == nil)
        team.setValue(ordered ? NSOrderedSet() : NSSet(), forKey: "players")
        team.setValue("without players", forKey: "name")
        #expect(stack.context.saveFailure() == nil)
        var value: Any? = ordered ? NSOrderedSet() : NSSet()
        try team.validateValue(&value, forKey: "players")
    }

    /// Proves: M16, F97
    @Test("a denied deletion names the relationship and the remaining objects", arguments: StoreKind.all)
    func denied(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        let ada = company.employee("Ada", in: lab)
        try company.context.save()
        company.context.delete(lab)
        let error = try #require(company.context.saveFailure() as? CocoaError)
        #expect(error.code == .validationRelationshipDeniedDelete)
        #expect(error.validationKey == "employees")
        #expect(error.validationObject as? Department === lab)
        #expect(error.validationValue as? NSSet == NSSet(object: ada))
        #expect(lab.isDeleted)
        ada.department = nil
        #expect(company.context.saveFailure() == nil)
    }

    @Test("a to-one denies a deletion, until its destination is deleted too", arguments: StoreKind.all)
    func deniedToOne(store: StoreKind) throws {
        let model = GraphModel.make()
        model.entitiesByName["Node"]?.relationshipsByName["next"]?.deleteRule = .denyDeleteRule
        let stack = try Stack(store, model)
        let context = stack.context
        let (first, second) = (Node(context: context), Node(context: context))
        first.next = second
        try context.save()
        context.delete(first)
        let error = try #require(context.saveFailure() as? CocoaError)
        #expect(error.code == .validationRelationshipDeniedDelete)
        #expect(error.validationKey == "next" && error.validationObject as? Node === first)
        context.delete(second)
        #expect(context.saveFailure() == nil)
    }

    /// Decided by `save()` with a to-one to an object that was deleted in the same event: the code.
    /// Proves: M16
    @Test("a reference to an object that is deleted is no value", .tags(.assumed), arguments: StoreKind.all)
    func dangling(store: StoreKind) throws {
        let stack = try Stack(store, MuseumModel.make())
        let (object, gone) = (stack.insert("Exhibit"), stack.insert("Exhibit"))
        object.setValue("vase", forKey: "name")
        object.setValue(gone, forKey: "neighbour")
        stack.context.delete(gone)
        let error = try #require(stack.context.saveFailure() as? CocoaError)
        #expect(error.code == .managedObjectValidation)
        #expect(error.validationKey == "neighbour")
        #expect(error.validationValue as? NSManagedObject === gone)
        object.setValue(nil, forKey: "neighbour")
        #expect(stack.context.saveFailure() == nil)
    }

    /// Decided by `save()` with a link to an object that was deleted in an earlier event: the code and the key.
    /// Proves: M16
    @Test(
        "a link to an object that was deleted in an earlier event is no value, made at either end",
        .tags(.assumed), arguments: StoreKind.all, Ending.allCases)
    func lateLink(store: StoreKind, ending: Ending) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("gone", "other")
        let (gone, other) = (nodes[0], nodes[1])
        try graph.context.save()
        graph.context.delete(gone)
        graph.context.processPendingChanges()
        ending.link(other, to: gone)
        let error = try #require(graph.context.saveFailure() as? CocoaError)
        #expect(error.code == .managedObjectValidation)
        #expect(error.validationObject as? Node === other)
        #expect(error.validationKey == ending.key)
        #expect(error.validationValue as? Node === gone)
        ending.unlink(other)
        #expect(graph.context.saveFailure() == nil)
        #expect(graph.context.innerFindings == [])
    }

    /// Proves: M16
    @Test("a link to a deleted object is fine when the deletion is taken back", arguments: StoreKind.all)
    func lateLinkTakenBack(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("gone", "other")
        try graph.context.save()
        graph.context.delete(nodes[0])
        graph.context.processPendingChanges()
        nodes[1].parent = nodes[0]
        graph.context.insert(nodes[0])
        nodes[1].parent = nodes[0]
        try graph.context.save()
        let fresh = graph.stack.newContext()
        #expect((fresh.object(with: nodes[1].objectID) as? Node)?.parent?.name == "gone")
    }

    /// Proves: F101
    @Test("a derived attribute that must have a value needs one before the first save", arguments: StoreKind.all)
    func derived(store: StoreKind) throws {
        let model = League.model
        model.entitiesByName["Player"]?.attributesByName["folded"]?.isOptional = false
        let stack = try Stack(store, model)
        let player = stack.insert("Player")
        player.setValue("Zo\u{eb}", forKey: "name")
        let error = try #require(stack.context.saveFailure() as? CocoaError)
        #expect(error.code == .validationMissingMandatoryProperty)
        #expect(error.validationKey == "folded")
        player.setValue("", forKey: "folded")
        #expect(stack.context.saveFailure() == nil)
        player.setValue("Ada", forKey: "name")
        #expect(stack.context.saveFailure() == nil)
        stack.context.refresh(player, mergeChanges: false)
        #expect(player.value(forKey: "folded") as? String == "ada")
    }
}

/// The end of a relationship at which a link is made.
enum Ending: String, CaseIterable, Sendable {
    case toOne, oneToOne, toMany, ordered, inverse, byHand

    /// The property of the remaining object.
    var key: String {
        switch self {
        case .toOne, .inverse, .byHand: "parent"
        case .oneToOne: "next"
        case .toMany: "neighbours"
        case .ordered: "children"
        }
    }

    func link(_ node: Node, to gone: Node) {
        switch self {
        case .toOne: node.parent = gone
        case .oneToOne: node.next = gone
        case .toMany: node.mutableSetValue(forKey: "neighbours").add(gone)
        case .ordered: node.mutableOrderedSetValue(forKey: "children").add(gone)
        case .inverse: gone.mutableOrderedSetValue(forKey: "children").add(node)
        case .byHand:
            node.willChangeValue(forKey: "parent")
            node.setPrimitiveValue(gone, forKey: "parent")
            node.didChangeValue(forKey: "parent")
        }
    }

    func unlink(_ node: Node) {
        switch self {
        case .toOne, .inverse, .byHand: node.parent = nil
        case .oneToOne: node.next = nil
        case .toMany: node.neighbours = []
        case .ordered: node.children = []
        }
    }
}

/// A value and its error code; nil for a valid value.
struct Case: Sendable, CustomTestStringConvertible {
    let key: String
    nonisolated(unsafe) let value: Any
    let code: Int?

    init(_ key: String, _ value: Any, _ code: Int?) {
        self.key = key
        self.value = value
        self.code = code
    }

    var testDescription: String { "\(key) \(value)" }
}

/// An object of an entity with limits from a model file.
private struct Limits {
    let stack: Stack
    let object: NSManagedObject

    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Limited">
        <attribute name="number" optional="YES" attributeType="Integer 32" minValueString="4" maxValueString="7"/>
        <attribute name="real" optional="YES" attributeType="Double" minValueString="0.5" maxValueString="9.5"/>
        <attribute name="decimal" optional="YES" attributeType="Decimal" minValueString="1.5" maxValueString="2.5"/>
        <attribute name="date" optional="YES" attributeType="Date" minDateTimeInterval="10" maxDateTimeInterval="20"/>
        <attribute name="text" optional="YES" attributeType="String" minValueString="3" maxValueString="5"/>
        <attribute name="pattern" optional="YES" attributeType="String" regularExpressionString="[a-z]+"/>
        </entity>
        </model>
        """

    init(_ store: StoreKind) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.source.utf8).write(to: folder.appending(path: "contents"))
        let model = try #require(NSManagedObjectModel(contentsOf: folder))
        stack = try Stack(store, model)
        object = NSEntityDescription.insertNewObject(forEntityName: "Limited", into: stack.context)
    }

    /// The error code of validating one value.
    func code(_ value: Any, _ key: String) -> Int? {
        var value: Any? = value
        do {
            try object.validateValue(&value, forKey: key)
            return nil
        } catch {
            return (error as NSError).code
        }
    }
}
