// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Specifies how transformers are found by name, and what the predefined ones do.

import CoreDataFoundation
import Foundation
import Testing

private final class ReversedText: ValueTransformer {
    override static func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { String($0.reversed()) } }
}

private final class NumbersOnly: NSSecureUnarchiveFromDataTransformer {
    override static var allowedTopLevelClasses: [AnyClass] { [NSNumber.self] }
}

@Suite("Value transformers")
struct ValueTransformerTests {
    @Test("are found under the name they were registered under")
    func registry() throws {
        let name = NSValueTransformerName("ReversedText.\(UUID())")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = ReversedText()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ReversedText(forName: name) === transformer)
        #expect(NumbersOnly(forName: name) == nil)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(transformer.transformedValue("abc") as? String == "cba")
        #expect(transformer.reverseTransformedValue("cba") as? String == "abc")
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("negate and ask for nil")
    func predefined() throws {
        let negation = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negation.transformedValue(true) as? Bool == false)
        #expect(negation.reverseTransformedValue(false) as? Bool == true)
        #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
        #expect(ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(3) as? Bool == true)
    }

    @Test("read and write archives of property lists")
    func archives() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let value: [String: Any] = ["name": "x", "list": [1, 2.5], "date": Date(timeIntervalSinceReferenceDate: 5)]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        let read = try #require(transformer.transformedValue(data) as? NSDictionary)
        #expect(read["name"] as? String == "x")
        #expect((read["list"] as? NSArray)?.count == 2)
        #expect(transformer.transformedValue(nil) == nil)
        #expect(transformer.reverseTransformedValue(nil) == nil)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
        final class Opaque {}
        #expect(transformer.reverseTransformedValue([Opaque()]) == nil)
    }

    @Test("refuse classes that are not allowed")
    func classes() throws {
        let numbers = NumbersOnly()
        let number = try #require(numbers.reverseTransformedValue(7) as? Data)
        #expect(numbers.transformedValue(number) as? Int == 7)
        let text = try #require(numbers.reverseTransformedValue("x") as? Data)
        #expect(numbers.transformedValue(text) == nil)
    }
}
