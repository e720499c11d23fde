// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns values into others and back.

import CoreDataFoundation
import Foundation
import Testing

/// At top level, where a class can be found by its name.
final class ShoutingTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
}

final class Colour: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let red: Int
    init(red: Int) { self.red = red }
    init?(coder: NSCoder) { red = coder.decodeInteger(forKey: "red") }
    func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }
}

final class ColourTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [Colour.self] }
}

@Suite("Transforming values")
struct ValueTransformerTests {
    @Test("a registered transformer is found by its name, the very instance")
    func registration() {
        let name = NSValueTransformerName("Shouting-\(UUID())")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = ShoutingTransformer()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ShoutingTransformer(forName: name) === transformer)
        #expect(ColourTransformer(forName: name) == nil)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        #expect(ValueTransformer(forName: name)?.transformedValue("a") as? String == "A")
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("a class is found by its name and registered")
    func byClassName() throws {
        let name = NSValueTransformerName("CoreDataFoundationTests.ShoutingTransformer")
        let found = try #require(ValueTransformer(forName: name))
        #expect(found is ShoutingTransformer)
        #expect(ValueTransformer(forName: name) === found)
        #expect(!type(of: found).allowsReverseTransformation())
        #expect(type(of: found).transformedValueClass() == NSString.self)
    }

    @Test("the built-in transformers answer truth values")
    func builtIn() throws {
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(true) as? Bool == false)
        #expect(negate.reverseTransformedValue(false) as? Bool == true)
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        let isNotNil = try #require(ValueTransformer(forName: .isNotNilTransformerName))
        #expect(isNotNil.transformedValue(1) as? Bool == true)
    }

    @Test(
        "archives make the way there and back",
        arguments: [
            NSValueTransformerName.secureUnarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName,
            .unarchiveFromDataTransformerName,
        ])
    func archives(name: NSValueTransformerName) throws {
        let transformer = try #require(ValueTransformer(forName: name))
        let value: [String: Any] = ["numbers": [1, 2], "text": "x", "date": Date(timeIntervalSinceReferenceDate: 1)]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        let read = try #require(transformer.transformedValue(data) as? NSDictionary)
        #expect(read["numbers"] as? [Int] == [1, 2])
        #expect(read["text"] as? String == "x")
        #expect(transformer.transformedValue(nil) == nil)
        #expect(transformer.reverseTransformedValue(nil) == nil)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
    }

    @Test("only allowed classes are read and written")
    func allowedClasses() throws {
        let colours = ColourTransformer()
        let data = try #require(colours.reverseTransformedValue(Colour(red: 7)) as? Data)
        #expect((colours.transformedValue(data) as? Colour)?.red == 7)
        #expect(colours.reverseTransformedValue("text") == nil)
        let plain = NSSecureUnarchiveFromDataTransformer()
        #expect(plain.transformedValue(data) == nil)
        #expect(plain.reverseTransformedValue(Colour(red: 7)) == nil)
        let text = try #require(plain.reverseTransformedValue("text") as? Data)
        #expect(colours.transformedValue(text) == nil)
        #expect(plain.transformedValue(text) as? String == "text")
    }

    @Test("a transformation without a way back traps")
    func noWayBack() async {
        await #expect(processExitsWith: .failure) { _ = ShoutingTransformer().reverseTransformedValue("A") }
    }
}
