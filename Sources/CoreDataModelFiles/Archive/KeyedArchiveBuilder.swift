// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the object table of a keyed archive.

import Foundation

/// Objects are described by class name and fields, without instances. An object that is part of a cycle is reserved
/// first and filled in later.
struct KeyedArchiveBuilder {
    private var objects: [PropertyListNode] = [.string("$null")]
    private var strings: [ExactText: Int] = [:]
    private var classes: [String: Int] = [:]

    static let null = PropertyListNode.reference(0)

    mutating func reserve() -> Int {
        objects.append(.null)
        return objects.count - 1
    }

    mutating func fill(_ index: Int, _ className: String, _ fields: [String: PropertyListNode]) {
        var fields = fields
        fields["$class"] = classReference(className)
        objects[index] = .dictionary(fields)
    }

    mutating func object(_ className: String, _ fields: [String: PropertyListNode]) -> PropertyListNode {
        let index = reserve()
        fill(index, className, fields)
        return .reference(index)
    }

    mutating func string(_ text: String?) -> PropertyListNode {
        guard let text else { return Self.null }
        if let index = strings[ExactText(text)] { return .reference(index) }
        // The text "$null" must be wrapped, because it represents nil otherwise.
        if text == "$null" { return object("NSString", ["NS.string": .string(text)]) }
        let index = reserve()
        objects[index] = .string(text)
        strings[ExactText(text)] = index
        return .reference(index)
    }

    mutating func array(_ members: [PropertyListNode], className: String = "NSArray") -> PropertyListNode {
        object(className, ["NS.objects": .array(members)])
    }

    mutating func dictionary(
        _ entries: [(key: String, value: PropertyListNode)], className: String = "NSMutableDictionary"
    ) -> PropertyListNode {
        let keys = entries.map { string($0.key) }
        return object(className, ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
    }

    mutating func value(_ value: PropertyListValue?) -> PropertyListNode {
        switch value {
        case nil: return Self.null
        case .null?: return object("NSNull", [:])
        case .string(let text)?: return string(text)
        case .integer(let number)?: return plain(.integer(number))
        case .real(let number)?: return plain(.real(number))
        case .boolean(let flag)?: return plain(.boolean(flag))
        case .date(let date)?: return object("NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case .data(let data)?: return plain(.data(data))
        case .uuid(let uuid)?:
            return object("NSUUID", ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
        case .url(let url)?:
            let text = string(url.absoluteString)
            return object("NSURL", ["NS.base": Self.null, "NS.relative": text])
        case .decimal(let number)?: return object("NSDecimalNumber", Self.fields(of: number))
        case .array(let members)?:
            let nodes = members.map { self.value($0) }
            return array(nodes)
        case .dictionary(let fields)?:
            let entries = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: self.value($0.value)) }
            return dictionary(entries, className: "NSDictionary")
        }
    }

    private mutating func plain(_ node: PropertyListNode) -> PropertyListNode {
        let index = reserve()
        objects[index] = node
        return .reference(index)
    }

    /// The digits in base 65536, least significant first, as Foundation archives a decimal number.
    private static func fields(of number: Decimal) -> [String: PropertyListNode] {
        var digits: [UInt16] = []
        let isNaN = number.isNaN
        var rest = isNaN ? 0 : number.magnitude.significand
        while rest > 0, digits.count < 8 {
            var quotient = Decimal()
            var divided = rest / 65536
            NSDecimalRound(&quotient, &divided, 0, .down)
            digits.append(UInt16(truncatingIfNeeded: NSDecimalNumber(decimal: rest - quotient * 65536).intValue))
            rest = quotient
        }
        let bytes = (digits + Array(repeating: 0, count: 8 - digits.count)).flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        return [
            "NS.mantissa": .data(Data(bytes)), "NS.mantissa.bo": .integer(1),
            "NS.length": .integer(Int64(digits.count)),
            "NS.exponent": .integer(isNaN || digits.isEmpty ? 0 : Int64(number.exponent)),
            "NS.negative": .boolean(isNaN || number < 0), "NS.compact": .boolean(true),
        ]
    }

    /// The archive with a root object.
    func data(root: PropertyListNode) -> Data {
        BinaryPropertyListWriter.data(
            of: .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": root]), "$objects": .array(objects),
            ]))
    }

    private mutating func classReference(_ name: String) -> PropertyListNode {
        if let index = classes[name] { return .reference(index) }
        let index = reserve()
        let chain = [name] + (Self.ancestors[name] ?? ["NSObject"])
        objects[index] = .dictionary(["$classname": .string(name), "$classes": .array(chain.map { .string($0) })])
        classes[name] = index
        return .reference(index)
    }

    /// Superclasses by class name; other classes inherit directly from `NSObject`.
    private static let ancestors: [String: [String]] = {
        let property = ["NSPropertyDescription", "NSObject"]
        let expression = ["NSExpression", "NSObject"]
        let comparison = ["NSPredicateOperator", "NSObject"]
        let substring = ["NSStringPredicateOperator", "NSPredicateOperator", "NSObject"]
        return [
            "NSMutableArray": ["NSArray", "NSObject"], "NSMutableDictionary": ["NSDictionary", "NSObject"],
            "NSDecimalNumber": ["NSNumber", "NSValue", "NSObject"],
            "NSKnownKeysDictionary1": ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject"],
            "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy", "NSObject"],
            "NSFetchRequest": ["NSPersistentStoreRequest", "NSObject"],
            "NSAttributeDescription": property, "NSRelationshipDescription": property,
            "NSFetchedPropertyDescription": property, "NSExpressionDescription": property,
            "NSDerivedAttributeDescription": ["NSAttributeDescription"] + property,
            "NSCompositeAttributeDescription": ["NSAttributeDescription"] + property,
            "NSComparisonPredicate": ["NSPredicate", "NSObject"], "NSCompoundPredicate": ["NSPredicate", "NSObject"],
            "NSTruePredicate": ["NSPredicate", "NSObject"], "NSFalsePredicate": ["NSPredicate", "NSObject"],
            "NSComparisonPredicateOperator": comparison, "NSEqualityPredicateOperator": comparison,
            "NSInPredicateOperator": comparison, "NSBetweenPredicateOperator": comparison,
            "NSLikePredicateOperator": substring, "NSMatchingPredicateOperator": substring,
            "NSSubstringPredicateOperator": substring,
            "NSSelfExpression": expression, "NSAnyKeyExpression": expression, "NSVariableExpression": expression,
            "NSConstantValueExpression": expression, "NSKeyPathSpecifierExpression": expression,
            "NSKeyPathExpression": ["NSFunctionExpression"] + expression, "NSFunctionExpression": expression,
            "NSAggregateExpression": expression, "NSSubqueryExpression": expression,
            "NSTernaryExpression": expression, "NSSetExpression": expression, "NSFetchRequestExpression": expression,
        ]
    }()
}
