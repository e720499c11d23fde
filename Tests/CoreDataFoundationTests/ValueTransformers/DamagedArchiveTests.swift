// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damaged keyed archives on which Foundation off Apple's systems traps, or reads beyond the end of a list.

import CoreDataFoundation
import FixtureFiles
import Foundation
import Testing

@Suite("Damaged archives, ProvingGround-P8")
struct DamagedArchiveTests {
    /// A change of one archived object.
    enum Damage: String, CaseIterable {
        case classIsText, classIsMissing, classIsUnknown, classIsNotCodable, valueIsNull, valueIsMissing, valueIsClass
        case addressIsMalformed, addressIsItsBase, addressHasNoText, referenceIsBeyondEnd, rootIsText, uuidIsEmpty
        case dateIsText, textIsNumber, decimalHasNegativeLength, memberIsText, keyIsList

        /// The good value. Of most it is an address in a dictionary, whose only value refers to it.
        var value: NSObject {
            switch self {
            case .uuidIsEmpty: [NSUUID()] as NSArray
            case .dateIsText: [NSDate()] as NSArray
            case .keyIsList: [["a": "b"] as NSDictionary, ["c"] as NSArray] as NSArray
            default: ["page": URL(filePath: "/a") as NSURL] as NSDictionary
            }
        }

        fileprivate func apply(_ archive: inout Archive) {
            let page = archive.place("NS.relative")
            switch self {
            case .classIsText: archive[page, "$class"] = archive[page, "NS.relative"]
            case .classIsMissing: archive[page, "$class"] = nil
            case .classIsUnknown: archive[archive.place(ofClass: "NSURL"), "$classname"] = "NoSuchClass"
            case .classIsNotCodable: archive[archive.place(ofClass: "NSURL"), "$classname"] = "NSThread"
            case .valueIsNull: archive[archive.place("NS.keys"), "NS.objects"] = [archive[page, "NS.base"] as Any]
            case .valueIsMissing: archive[archive.place("NS.keys"), "NS.objects"] = [Any]()
            case .valueIsClass: archive[archive.place("NS.keys"), "NS.objects"] = [archive[page, "$class"] as Any]
            case .addressIsMalformed:
                archive.objects = archive.objects.map { $0 as? String == "file:///a" ? "http://[" : $0 }
            case .addressIsItsBase:
                archive[page, "NS.base"] = (archive[archive.place("NS.keys"), "NS.objects"] as? [Any])?.first
            case .addressHasNoText: archive[page, "NS.relative"] = archive[page, "NS.base"]
            case .referenceIsBeyondEnd: archive.objects.removeLast()
            case .rootIsText: archive.list["$top"] = ["root": "text"]
            case .uuidIsEmpty: archive[archive.place("NS.uuidbytes"), "NS.uuidbytes"] = Data()
            case .dateIsText: archive[archive.place("NS.time"), "NS.time"] = "now"
            case .textIsNumber:
                archive[archive.place(ofClass: "NSURL"), "$classname"] = "NSMutableString"
                archive[page, "NS.string"] = 7
            case .decimalHasNegativeLength:
                archive[archive.place(ofClass: "NSURL"), "$classname"] = "NSDecimalNumber"
                archive[page, "NS.length"] = -1
                archive[page, "NS.exponent"] = 0
                archive[page, "NS.mantissa"] = Data(count: 16)
            case .keyIsList:
                archive[archive.place("NS.keys"), "NS.keys"] = [(archive[1, "NS.objects"] as? [Any])?.last as Any]
            case .memberIsText: archive[archive.place("NS.keys"), "NS.objects"] = ["text"]
            }
        }
    }

    /// The property list of an archive, with the references as Foundation has them.
    fileprivate struct Archive {
        var list: [String: Any]
        var objects: [Any]

        init(_ value: NSObject) throws {
            let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            let read = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
            list = try #require(read as? [String: Any])
            objects = try #require(list["$objects"] as? [Any])
        }

        func data(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
            var list = list
            list["$objects"] = objects
            return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        }

        /// The object with a key; 0, which is null, if there is no such object.
        func place(_ key: String) -> Int {
            objects.firstIndex { ($0 as? [String: Any])?[key] != nil } ?? 0
        }

        func place(ofClass name: String) -> Int {
            objects.firstIndex { ($0 as? [String: Any])?["$classname"] as? String == name } ?? 0
        }

        subscript(place: Int, key: String) -> Any? {
            get { (objects[place] as? [String: Any])?[key] }
            set {
                guard var object = objects[place] as? [String: Any] else { return }
                object[key] = newValue
                objects[place] = object
            }
        }
    }

    @Test("give nil, and undamaged ones their value, in both property list formats", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        for name in ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"] {
            let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
            for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
                let value = damage.value
                var archive = try Archive(value)
                #expect(transformer.transformedValue(try archive.data(format)) as? NSObject == value)
                damage.apply(&archive)
                #expect(transformer.transformedValue(try archive.data(format)) == nil, "\(name)")
            }
        }
    }

    @Test("that hold a long text many times are refused: Foundation copies it for each reference")
    func sharedText() throws {
        let long = Array(repeating: UInt8(ascii: "x"), count: 100_000)
        var list: [UInt8] = [0xAF, 0x12] + BinaryList.bigEndian(100_000, size: 4)
        for _ in 0..<100_000 { list += [0, 2] }
        let objects: [[UInt8]] = [
            [0xD1, 0, 1, 0, 3], [0x58] + Array("$objects".utf8),
            [0x5F, 0x12] + BinaryList.bigEndian(long.count, size: 4) + long, list,
        ]
        let data = BinaryList.data(objects, referenceSize: 2)
        for name in ["NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData"] {
            let transformer = try #require(ValueTransformer(forName: NSValueTransformerName(name)))
            #expect(transformer.transformedValue(data) == nil)
        }
    }
}

@Suite("Bounds of JSON, ProvingGround-P11")
struct JSONBoundsTests {
    @Test("128 levels are allowed, whatever texts hold", arguments: ["[", "{\"a\":"])
    func levels(open: String) {
        let text = "\"\(String(repeating: "[", count: 500))\\\"{\""
        let close = open == "[" ? "]" : "}"
        func json(_ levels: Int) -> Data {
            Data((String(repeating: open, count: levels) + text + String(repeating: close, count: levels)).utf8)
        }
        #expect(JSONBounds.allow(json(128)) && !JSONBounds.allow(json(129)))
        #expect(JSONBounds.allow(Data((String(repeating: "[]", count: 500)).utf8)))
    }
}
