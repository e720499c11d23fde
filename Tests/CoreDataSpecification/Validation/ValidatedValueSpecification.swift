// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values validation takes, which it replaces, and which it refuses; none stops the program.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Validated values") struct ValidatedValueSpecification {
    /// Proves: M16
    @Test("numbers that are none, and dates that are none, are refused", .tags(.assumed), arguments: StoreKind.all)
    func odd(store: StoreKind) throws {
        let sample = try Sample(store)
        let examples: [(String, Any, Int)] = [
            ("double", Double.nan, 1550), ("float", Float.nan, 1550),
            ("decimal", NSDecimalNumber.notANumber, 1550), ("decimal", Decimal.nan, 1550),
            ("date", Date(timeIntervalSinceReferenceDate: .nan), 1650),
            ("date", Date(timeIntervalSinceReferenceDate: .infinity), 1650),
            ("integer16", 70_000, 1610), ("integer16", -70_000, 1620),
            ("integer32", Int(Int32.max) + 1, 1610), ("integer32", Int(Int32.min) - 1, 1620),
            ("integer16", Double.infinity, 1610), ("integer32", -Double.infinity, 1620),
            ("integer64", Double.nan, 1550),
            ("integer64", Double.infinity, 1610), ("integer64", -1e30, 1620), ("integer64", -9.25e18, 1620),
            ("integer64", UInt64.max, 1610),
        ]
        for (key, value, code) in examples {
            #expect(sample.code(value, key) == code, "\(key) \(value)")
            sample.object.setValue(value, forKey: key)
            let error = try #require(sample.stack.context.saveFailure(), "\(key) \(value)")
            #expect(error.code == code, "\(key) \(value)")
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
            #expect(error.userInfo[NSValidationValueErrorKey] != nil)
            sample.object.setValue(nil, forKey: key)
        }
        #expect(sample.stack.context.saveFailure() == nil)
    }

    /// Proves: M16
    @Test("values at the edge are kept", arguments: StoreKind.all)
    func edges(store: StoreKind) throws {
        let sample = try Sample(store)
        let examples: [(String, NSObject)] = [
            ("integer16", NSNumber(value: Int16.min)), ("integer32", NSNumber(value: Int32.max)),
            ("integer64", NSNumber(value: Int64.min)), ("double", NSNumber(value: Double.greatestFiniteMagnitude)),
            ("double", NSNumber(value: Double.infinity)), ("float", NSNumber(value: -Float.infinity)),
            ("string", String(repeating: "\u{1F600}", count: 300_000) as NSString), ("string", "a\0b" as NSString),
            ("date", Date.distantFuture as NSDate),
        ]
        for (key, value) in examples {
            sample.object.setValue(value, forKey: key)
            #expect(sample.stack.context.saveFailure() == nil, "\(key)")
            sample.stack.context.refresh(sample.object, mergeChanges: false)
            let stored = sample.object.value(forKey: key)
            let isSame =
                switch stored {
                case let text as String: text == value as? String ?? String(value as! NSString)
                case let date as Date: date == .distantFuture
                default: value.isEqual(stored)
                }
            #expect(isSame, "\(key)")
        }
    }

    /// Proves: M16
    @Test("a number of another kind becomes one of the attribute's, NSNull nil", arguments: StoreKind.all)
    func coerced(store: StoreKind) throws {
        let sample = try Sample(store)
        let examples: [(String, Any, NSObject?)] = [
            ("integer32", 3.75, NSNumber(value: 3)), ("integer64", Decimal(12), NSNumber(value: 12)),
            ("double", 2, NSNumber(value: 2.0)), ("decimal", 7, NSDecimalNumber(value: 7)),
            ("boolean", 5, NSNumber(value: true)), ("string", NSMutableString(string: "x"), "x" as NSString),
            ("string", NSNull(), nil), ("data", NSData(), Data() as NSData),
        ]
        for (key, value, expected) in examples {
            var current: Any? = value
            try sample.object.validateValue(&current, forKey: key)
            let isSame = expected.map { $0.isEqual(foundation(current)) } ?? (current == nil)
            #expect(isSame, "\(key) \(value): \(String(describing: current))")
            #expect(sample.object.value(forKey: key) == nil)
        }
    }

    /// Proves: M16
    @Test("a value of a class that the property cannot hold is refused", .tags(.assumed), arguments: StoreKind.all)
    func wrongClass(store: StoreKind) throws {
        let sample = try Sample(store)
        let other = NSManagedObject(entity: sample.other, insertInto: sample.stack.context)
        let examples: [(String, Any)] = [
            ("integer32", "12"), ("double", Date()), ("string", 12), ("date", 12), ("date", "today"), ("data", "text"),
            ("uuid", "no"), ("uri", 3), ("decimal", "1"), ("boolean", "YES"), ("one", "x"), ("one", other),
            ("many", "x"), ("many", NSSet(array: [other])), ("many", other), ("parcel", "a string"),
        ]
        for (key, value) in examples { #expect(sample.code(value, key) == 1550, "\(key) \(value)") }
        let fine: [(String, Any)] = [
            ("one", sample.object), ("many", NSSet(array: [sample.object])), ("many", Set([sample.object])),
            ("many", NSSet()), ("parcel", ["a", "b"]), ("anything", "a string"), ("anything", Date()),
        ]
        for (key, value) in fine { #expect(sample.code(value, key) == nil, "\(key) \(value)") }
    }

    /// Proves: M16
    @Test("a transformable holds objects of its class", .tags(.assumed), arguments: StoreKind.all)
    func transformable(store: StoreKind) throws {
        let sample = try Sample(store)
        sample.object.setValue("no array", forKey: "parcel")
        let error = try #require(sample.stack.context.saveFailure() as? CocoaError)
        #expect(error.code == .managedObjectValidation)
        #expect(error.validationKey == "parcel")
        #expect(error.validationValue as? String == "no array")
        sample.object.setValue(["an", "array"], forKey: "parcel")
        #expect(sample.stack.context.saveFailure() == nil)
    }

    /// Proves: M16
    @Test("keys that the model does not know are the class's business", .tags(.assumed), arguments: StoreKind.all)
    func unknownKey(store: StoreKind) throws {
        let sample = try Sample(store)
        #expect(sample.code("x", "nickname") == nil)
        #expect(sample.code(nil, "integer32") == nil)
    }

    private func foundation(_ value: Any?) -> Any? {
        switch value {
        case let value as String: value as NSString
        case let value as Data: value as NSData
        default: value
        }
    }
}

/// An object with an attribute of each type.
private struct Sample {
    let stack: Stack
    let object: NSManagedObject
    let other: NSEntityDescription

    init(_ store: StoreKind) throws {
        let entity = NSEntityDescription("Sample")
        entity.attribute("integer16", .integer16AttributeType)
        entity.attribute("integer32", .integer32AttributeType)
        entity.attribute("integer64", .integer64AttributeType)
        entity.attribute("double", .doubleAttributeType)
        entity.attribute("float", .floatAttributeType)
        entity.attribute("decimal", .decimalAttributeType)
        entity.attribute("boolean", .booleanAttributeType)
        entity.attribute("string", .stringAttributeType)
        entity.attribute("date", .dateAttributeType)
        entity.attribute("data", .binaryDataAttributeType)
        entity.attribute("uuid", .UUIDAttributeType)
        entity.attribute("uri", .URIAttributeType)
        entity.attribute("anything", .transformableAttributeType)
        entity.attribute("parcel", .transformableAttributeType).attributeValueClassName = "NSArray"
        entity.relate("one", .one, to: entity, inverse: "ones", .many)
        entity.relate("many", .many, to: entity, inverse: "manies", .many)
        other = NSEntityDescription("Other")
        stack = try Stack(store, NSManagedObjectModel(entity, other))
        object = NSManagedObject(entity: entity, insertInto: stack.context)
    }

    /// The error code of validating one value.
    func code(_ value: Any?, _ key: String) -> Int? {
        var value = value
        do {
            try object.validateValue(&value, forKey: key)
            return nil
        } catch {
            return (error as NSError).code
        }
    }
}
