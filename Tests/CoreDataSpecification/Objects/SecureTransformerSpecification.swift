// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Attributes converted by a subclass of the secure transformer, and by transformers with the names of archives.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A class of an application, archived as applications archive their own classes.
final class Paint: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String

    init(_ name: String) { self.name = name }

    required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = String(describing: name)
    }

    func encode(with coder: NSCoder) { coder.encode(NSString(string: name), forKey: "name") }
}

/// The form that Apple's documentation requires: a list of classes, and nothing else.
final class PaintTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [Paint.self] }
}

/// A secure transformer with its own methods: `transformedValue` makes the object, the reverse makes the data.
final class PaintNameTransformer: NSSecureUnarchiveFromDataTransformer {
    override class func transformedValueClass() -> AnyClass { Paint.self }

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { Paint(String(decoding: $0, as: UTF8.self)) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Paint).map { Data($0.name.utf8) }
    }
}

@Suite("Values of secure transformers") struct SecureTransformerSpecification {
    private static func model(_ transformer: String) -> NSManagedObjectModel {
        ReadingModel.make(.transformableAttributeType, transformer: transformer)
    }

    private func paint(of stack: Stack) throws -> Any? {
        let context = stack.newContext()
        let readings = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Reading"))
        return withExtendedLifetime(context) { readings.first?.value(forKey: "value") }
    }

    /// Proves: F135
    @Test(
        "are written by the reverse transformation and read by the transformation", arguments: StoreKind.builtIn,
        ["PaintTransformer", "PaintNameTransformer"])
    func roundTrip(store: StoreKind, type: String) throws {
        let name = "SecureTransformerSpecification.\(type)"
        let transformer = type == "PaintTransformer" ? PaintTransformer() : PaintNameTransformer()
        ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
        let stack = try Stack(store, Self.model(name))
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        reading.setValue(Paint("ochre"), forKey: "value")
        try stack.context.save()
        if store.isPersistent { try stack.reopen() }
        #expect((try paint(of: stack) as? Paint)?.name == "ochre")
    }

    @Test(
        "without a transformer that no archive can hold are refused, and stay unsaved",
        arguments: StoreKind.builtIn.filter(\.isPersistent))
    func overflow(store: StoreKind) throws {
        let stack = try Stack(store, ReadingModel.make(.transformableAttributeType))
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        let value = NSArray(array: [NSNumber(value: UInt64.max), NSDecimalNumber(string: "0.1")])
        reading.setValue(value, forKey: "value")
        let text = stack.context.saveFailure()?.localizedDescription ?? ""
        #expect(text.contains("Reading.value") && text.contains("an integer beyond 64 bits"), "\(text)")
        #expect(stack.context.hasChanges)
        reading.setValue(NSArray(array: [NSDecimalNumber(string: "0.1")]), forKey: "value")
        try stack.context.save()
    }

    /// Proves: F135
    @Test("without a transformer keep 1, 1.0 and true apart", arguments: StoreKind.builtIn)
    func numbers(store: StoreKind) throws {
        let stack = try Stack(store, ReadingModel.make(.transformableAttributeType))
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        let numbers = [NSNumber(value: 1), NSNumber(value: true), NSNumber(value: 1.0), NSNumber(value: false)]
        reading.setValue(NSArray(array: numbers), forKey: "value")
        try stack.context.save()
        if store.isPersistent { try stack.reopen() }
        let read = try #require(try paint(of: stack) as? NSArray)
        let kinds = read.map { ($0 as? NSNumber).map { String(cString: $0.objCType) } ?? "\(type(of: $0))" }
        #expect(kinds.map { ["c", "B", "Bool"].contains($0) } == [false, true, false, true], "\(kinds)")
        #expect(kinds[2] == "d", "\(kinds)")
    }

    @Test("of a class that the transformer does not allow are refused with entity, key and class, and stay unsaved")
    func refusedClass() throws {
        let name = "SecureTransformerSpecification.refused"
        ValueTransformer.setValueTransformer(PaintTransformer(), forName: NSValueTransformerName(name))
        let stack = try Stack(.sqlite, Self.model(name))
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        reading.setValue("text", forKey: "value")
        let text = stack.context.saveFailure()?.localizedDescription ?? ""
        #expect(text.contains("Reading.value") && text.contains("String"), "\(text)")
        #expect(stack.context.hasChanges)
    }

    @Test(
        "of the transformers that Foundation names after archives go the same way round",
        arguments: ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData", "NSUnarchiveFromData"])
    func namesOfArchives(name: String) throws {
        let stack = try Stack(.sqlite, Self.model(name))
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        reading.setValue(["a", "b"], forKey: "value")
        try stack.context.save()
        try stack.reopen()
        #expect(try paint(of: stack) as? [String] == ["a", "b"])
    }
}
