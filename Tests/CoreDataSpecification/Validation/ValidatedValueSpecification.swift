// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values validation accepts, which it replaces, and which it refuses; none traps.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Validated values") struct ValidatedValueSpecification {
    /// Decided by `validateValue(_:forKey:)` and `save()` with NaN, infinity and numbers beyond the type: the codes.
    /// Proves: M16
    @Test("NaN, infinities and numbers out of range are refused", .tags(.assumed), arguments: StoreKind.all)
    func odd(store: StoreKind) throws {
        let sample = try Sample(store)
        let examples: [(String, Any, Int)] = [
            ("real", Double.nan, 1550), ("single", Float.nan, 1550),
            ("exact", NSDecimalNumber.notANumber, 1550), ("exact", Decimal.nan, 1550),
            ("day", Date(timeIntervalSinceReferenceDate: .nan), 1650),
            ("day", Date(timeIntervalSinceReferenceDate: .infinity), 1650),
            ("small", 70_000, 1610), ("small", -70_000, 1620),
            ("medium", Int(Int32.max) + 1, 1610), ("medium", Int(Int32.min) - 1, 1620),
            ("small", Double.infinity, 1610), ("medium", -Double.infinity, 1620),
            ("large", Double.nan, 1550),
            ("large", Double.infinity, 1610), ("large", -1e30, 1620), ("large", -9.25e18, 1620),
            ("large", UInt64.max, 1610),
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
            ("small", NSNumber(value: Int16.min)), ("medium", NSNumber(value: Int32.max)),
            ("large", NSNumber(value: Int64.min)), ("real", NSNumber(value: Double.greatestFiniteMagnitude)),
            ("real", NSNumber(value: Double.infinity)), ("single", NSNumber(value: -Float.infinity)),
            ("text", String(repeating: "\u{1F600}", count: 300_000) as NSString), ("text", "a\0b" as NSString),
            ("day", Date.distantFuture as NSDate),
        ]
        // A server refuses U+0000 (`ServerTests`).
        for (key, value) in examples where !store.isOnServer || value != "a\0b" as NSString {
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
            ("medium", 3.75, NSNumber(value: 3)), ("large", Decimal(12), NSNumber(value: 12)),
            ("real", 2, NSNumber(value: 2.0)), ("exact", 7, NSDecimalNumber(value: 7)),
            ("flag", 5, NSNumber(value: true)), ("text", NSMutableString(string: "x"), "x" as NSString),
            ("text", NSNull(), nil), ("bytes", NSData(), Data() as NSData),
        ]
        for (key, value, expected) in examples {
            var current: Any? = value
            try sample.object.validateValue(&current, forKey: key)
            let isSame = expected.map { $0.isEqual(foundation(current)) } ?? (current == nil)
            #expect(isSame, "\(key) \(value): \(String(describing: current))")
            #expect(sample.object.value(forKey: key) == nil)
        }
    }

    /// Decided by `validateValue(_:forKey:)` with a value of another class: 1550, or an exception in
    /// `setValue(_:forKey:)`.
    /// Proves: M16
    @Test("a value of a class that the property cannot hold is refused", .tags(.assumed), arguments: StoreKind.all)
    func wrongClass(store: StoreKind) throws {
        let sample = try Sample(store)
        let other = sample.stack.insert("Keyword")
        let examples: [(String, Any)] = [
            ("medium", "12"), ("real", Date()), ("text", 12), ("day", 12), ("day", "today"), ("bytes", "text"),
            ("uuid", "no"), ("uri", 3), ("exact", "1"), ("flag", "YES"), ("neighbour", "x"), ("neighbour", other),
            ("guests", "x"), ("guests", NSSet(array: [other])), ("guests", other), ("parcel", "a string"),
        ]
        for (key, value) in examples { #expect(sample.code(value, key) == 1550, "\(key) \(value)") }
        let fine: [(String, Any)] = [
            ("neighbour", sample.object), ("guests", NSSet(array: [sample.room()])), ("guests", Set([sample.room()])),
            ("guests", NSSet()), ("parcel", ["a", "b"]), ("list", "a string"), ("list", Date()),
        ]
        for (key, value) in fine { #expect(sample.code(value, key) == nil, "\(key) \(value)") }
    }

    /// Decided by `save()` of a transformable attribute with `attributeValueClassName` and a value of another class.
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

    /// Decided by `validateValue(_:forKey:)` with a key that the entity does not have.
    /// Proves: M16
    @Test("keys that the model does not know are the class's business", .tags(.assumed), arguments: StoreKind.all)
    func unknownKey(store: StoreKind) throws {
        let sample = try Sample(store)
        #expect(sample.code("x", "nickname") == nil)
        #expect(sample.code(nil, "medium") == nil)
    }

    private func foundation(_ value: Any?) -> Any? {
        switch value {
        case let value as String: value as NSString
        case let value as Data: value as NSData
        default: value
        }
    }
}

/// An exhibit of the museum, with an attribute of each type.
private struct Sample {
    let stack: Stack
    let object: NSManagedObject
    /// A new guest that an exhibit may have.
    func room() -> NSManagedObject { stack.insert("Room") }

    init(_ store: StoreKind) throws {
        let model = MuseumModel.make()
        let parcel = model.entitiesByName["Exhibit"]?.attribute("parcel", .transformableAttributeType)
        parcel?.attributeValueClassName = "NSArray"
        stack = try Stack(store, model)
        object = stack.insert("Exhibit")
        object.setValue("vase", forKey: "name")
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
