// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values to others and back.

import CoreDataFoundation
import FixtureFiles
import Foundation
import Testing

/// At top level, where a class can be found by its name.
final class ShoutingTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
}

class Colour: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }
    let red: Int
    init(red: Int) { self.red = red }
    required init?(coder: NSCoder) { red = coder.decodeInteger(forKey: "red") }
    func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }
}

/// A subclass of an allowed class; `NSMutableArray` is one for the transformer without a list.
final class Shade: Colour, @unchecked Sendable {}

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

    private func archive(_ value: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    @Test("archives that unfold without end are refused at once")
    func endlessArchives() throws {
        for name in ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"] {
            let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
            #expect(transformer.transformedValue(BinaryList.unfolding(levels: 50, key: "$objects")) == nil)
        }
        let transformer = NSSecureUnarchiveFromDataTransformer()
        #expect(transformer.transformedValue(NestedArchive(levels: 3, references: 2).data) is NSArray)
        #expect(transformer.transformedValue(NestedArchive(levels: 50, references: 2).data) == nil)
    }

    @Test("archives with sets of the property list are refused: Foundation traps on some of them")
    func foreignCollections() throws {
        for kind: UInt8 in [0xB1, 0xC1] {
            // {"$objects": a set with a reference to an archived object}
            let objects: [[UInt8]] = [[0xD1, 1, 2], [0x58] + Array("$objects".utf8), [kind, 3], [0x80, 1]]
            var list = Array("bplist00".utf8)
            var starts: [UInt8] = []
            for object in objects {
                starts.append(UInt8(list.count))
                list += object
            }
            let zeros = Array(repeating: UInt8(0), count: 7)
            var trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
            for value in [objects.count, 0, list.count] { trailer += zeros + [UInt8(value)] }
            let data = Data(list + starts + trailer)
            #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) == nil)
        }
    }

    @Test(
        "archives with decimals in sets, or as keys, are refused: Foundation on Linux overruns the stack",
        arguments: ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"], [false, true])
    func hashedDecimals(name: String, isXML: Bool) throws {
        let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
        let (ids, table): (NSArray, NSDictionary) = ([NSUUID(), NSUUID()], ["a": NSUUID()])
        #expect(transformer.transformedValue(try archive(of: ids, isXML) { _ in }) as? NSArray == ids)
        for kind in ["NSSet", "NSMutableSet", "NSOrderedSet", "NSCountedSet", "Foundation.NSSet"] {
            let changed = try archive(of: ids, isXML) { object in
                makeDecimal(&object, kind == "NSSet" ? "Foundation.NSDecimalNumber" : "NSDecimalNumber")
                guard object["$classname"] as? String == "NSArray" else { return }
                object["$classname"] = kind
                object["$classes"] = [kind, "NSObject"]
            }
            #expect(transformer.transformedValue(changed) == nil)
        }
        #expect(transformer.transformedValue(try archive(of: table, isXML) { _ in }) as? NSDictionary == table)
        let keyed = try archive(of: table, isXML) { object in
            makeDecimal(&object)
            (object["NS.keys"], object["NS.objects"]) = (object["NS.objects"], object["NS.keys"])
        }
        #expect(transformer.transformedValue(keyed) == nil)
    }

    @Test("decimals are not given to Foundation's archiver, which overruns the stack on Linux")
    func archivedDecimals() throws {
        let decimal = NSDecimalNumber(string: "1.5")
        for name in ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"] {
            let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
            for value: Any in [decimal, [decimal], ["a": ["b": decimal]], [Decimal(2)]] {
                #expect(transformer.reverseTransformedValue(value) == nil)
            }
            #expect(transformer.reverseTransformedValue([1, 1.5]) is Data)
        }
    }

    /// Makes a UUID of an archive, or its class, the decimal 1.5.
    private func makeDecimal(_ object: inout [String: Any], _ name: String = "NSDecimalNumber") {
        if object["NS.uuidbytes"] != nil {
            object["NS.uuidbytes"] = nil
            let mantissa = Data([15] + Array(repeating: 0, count: 15))
            object.merge([
                "NS.exponent": -1, "NS.length": 1, "NS.negative": false, "NS.compact": true, "NS.mantissa": mantissa,
                "NS.mantissa.bo": 1,
            ]) { $1 }
        }
        if object["$classname"] as? String == "NSUUID" {
            object["$classname"] = name
            object["$classes"] = [name, "NSNumber", "NSValue", "NSObject"]
        }
    }

    /// - Parameter change: is called with each dictionary of the archive.
    private func archive(of value: Any, _ isXML: Bool, _ change: (inout [String: Any]) -> Void) throws -> Data {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        let read = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        var list = try #require(read as? [String: Any])
        let objects = try #require(list["$objects"] as? [Any])
        list["$objects"] = objects.map { (object: Any) -> Any in
            guard var dictionary = object as? [String: Any] else { return object }
            change(&dictionary)
            return dictionary
        }
        return try PropertyListSerialization.data(
            fromPropertyList: list, format: isXML ? .xml : .binary, options: 0)
    }

    @Test("archives that are nested too deeply are refused, others are read")
    func deepArchives() throws {
        let transformer = NSSecureUnarchiveFromDataTransformer()
        #expect(transformer.transformedValue(NestedArchive(levels: 200, references: 1).data) is NSArray)
        #expect(transformer.transformedValue(NestedArchive(levels: 10_000, references: 1).data) == nil)
        let many = (0..<20_000).map { "\($0)" } as NSArray
        #expect((try transformer.transformedValue(archive(many)) as? NSArray)?.count == 20_000)
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

    @Test("a subclass of an allowed class is read and written")
    func allowedSubclasses() throws {
        let colours = ColourTransformer()
        let data = try #require(colours.reverseTransformedValue(Shade(red: 7)) as? Data)
        #expect((colours.transformedValue(data) as? Shade)?.red == 7)
        let plain = NSSecureUnarchiveFromDataTransformer()
        let list = try #require(plain.reverseTransformedValue(NSMutableArray(array: ["a"])) as? Data)
        #expect(plain.transformedValue(list) as? [String] == ["a"])
    }

    @Test("members, keys and values of collections have to be of an allowed class, too")
    func allowedMembers() throws {
        let plain = NSSecureUnarchiveFromDataTransformer()
        let colour = Colour(red: 7)
        let collections: [NSObject] = [
            NSArray(array: ["a", colour]), NSSet(array: [colour]), NSDictionary(dictionary: ["a": colour]),
            NSDictionary(dictionary: [colour: "a"]), NSArray(array: [NSDictionary(dictionary: [colour: "a"])]),
        ]
        for collection in collections {
            #expect(plain.reverseTransformedValue(collection) == nil, "\(collection)")
            #expect(plain.transformedValue(try archive(collection)) == nil, "\(collection)")
        }
    }

    @Test("a transformation without a way back traps")
    func noWayBack() async {
        await #expect(processExitsWith: .failure) { _ = ShoutingTransformer().reverseTransformedValue("A") }
    }
}

/// A keyed archive of nested arrays, each of which refers to the next one repeatedly. Foundation's archiver would
/// unfold them.
private struct NestedArchive {
    private var objects: [[UInt8]] = []
    private(set) var data = Data()

    init(levels: Int, references: Int) {
        let (members, type) = (text("NS.objects"), text("$class"))
        let (array, object) = (text("NSArray"), text("NSObject"))
        var list = [text("$null")]
        for level in 0..<levels {
            let next = number(level + 2)
            let value = collection(0xA0, Array(repeating: next, count: references))
            list.append(dictionary([(members, value), (type, number(levels + 2))]))
        }
        list.append(text("x"))
        list.append(dictionary([(text("$classname"), array), (text("$classes"), collection(0xA0, [array, object]))]))
        let root = dictionary([
            (text("$version"), add([0x12, 0, 1, 0x86, 0xA0])), (text("$archiver"), text("NSKeyedArchiver")),
            (text("$top"), dictionary([(text("root"), number(1))])), (text("$objects"), collection(0xA0, list)),
        ])
        data = BinaryList.data(objects, root: root, referenceSize: 4)
    }

    private func words(_ values: [Int]) -> [UInt8] { values.flatMap { BinaryList.bigEndian($0, size: 4) } }

    private mutating func add(_ bytes: [UInt8]) -> Int {
        objects.append(bytes)
        return objects.count - 1
    }

    private mutating func text(_ text: String) -> Int { add([0x5F, 0x10, UInt8(text.utf8.count)] + text.utf8) }

    /// A reference to an archived object.
    private mutating func number(_ number: Int) -> Int { add([0x83] + BinaryList.bigEndian(number, size: 4)) }

    private mutating func collection(_ kind: UInt8, _ members: [Int]) -> Int {
        add([kind | 15, 0x12] + words([members.count] + members))
    }

    private mutating func dictionary(_ entries: [(key: Int, value: Int)]) -> Int {
        let parts = entries.map(\.key) + entries.map(\.value)
        return add([0xDF, 0x12] + words([entries.count] + parts))
    }
}
