// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A class with a typed property of each attribute type, and random predicates over it.

import CoreData
import CoreDataTestSupport
import Foundation
import TypedPredicates

final class Crate: NSManagedObject {
    var number: Int { integer("number") ?? 0 }
    var name: String? { value(forKey: "name") as? String }
    var level: Int? { integer("level") }
    var stock: Int? { integer("stock") }
    var weight: Double { value(forKey: "weight") as? Double ?? 0 }
    var height: Double? { value(forKey: "height") as? Double }
    var ratio: Float? { value(forKey: "ratio") as? Float }
    var price: Decimal? { (value(forKey: "price") as? NSDecimalNumber)?.decimalValue }
    var isSent: Bool { value(forKey: "isSent") as? Bool ?? false }
    var isPaid: Bool? { value(forKey: "isPaid") as? Bool }
    var opened: Date? { value(forKey: "opened") as? Date }
    var code: UUID? { value(forKey: "code") as? UUID }
    var page: URL? { value(forKey: "page") as? URL }
    var picture: Data? { value(forKey: "picture") as? Data }
    var outer: Crate? { value(forKey: "outer") as? Crate }
    var inner: Set<Crate> { value(forKey: "inner") as? Set<Crate> ?? [] }

    private func integer(_ key: String) -> Int? { value(forKey: key) as? Int }
}

enum Crates {
    static func model() -> NSManagedObjectModel {
        let crate = NSEntityDescription("Crate", class: Crate.self)
        crate.attribute("number", .integer64AttributeType, optional: false, default: 0)
        crate.attribute("name", .stringAttributeType)
        crate.attribute("level", .integer16AttributeType)
        crate.attribute("stock", .integer32AttributeType)
        crate.attribute("weight", .doubleAttributeType, optional: false, default: 0)
        crate.attribute("height", .doubleAttributeType)
        crate.attribute("ratio", .floatAttributeType)
        crate.attribute("price", .decimalAttributeType)
        crate.attribute("isSent", .booleanAttributeType, optional: false, default: false)
        crate.attribute("isPaid", .booleanAttributeType)
        crate.attribute("opened", .dateAttributeType)
        crate.attribute("code", .UUIDAttributeType)
        crate.attribute("page", .URIAttributeType)
        crate.attribute("picture", .binaryDataAttributeType)
        crate.attribute("mark", .integer16AttributeType)
        crate.relate("outer", .one, to: crate, inverse: "inner", .many)
        return NSManagedObjectModel(crate)
    }

    private static let texts = ["", "a", "A", "ab", "Ab", "b a", "é", "E", "straße", "a%b", "_", "a*", "\\", "'"]
    private static let whole = [-3, -1, 0, 1, 2, 5]
    private static let reals = [-1.5, -0.0, 0, 0.5, 2, 3.25, 1e10]
    private static let floats: [Float] = [-1.5, 0, 0.5, 2, 3.25]
    private static let decimals: [Decimal] = [-1.5, 0, 0.5, 2, 3.25, 100]
    private static let dates = [-1000.25, 0, 0.5, 3600].map { Date(timeIntervalSinceReferenceDate: $0) }
    private static let codes = (0..<3).map { UUID(uuid: (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, UInt8($0))) }
    private static let pages = ["https://example.org/a", "https://example.org/b?x=%20y"].compactMap(URL.init(string:))
    private static let pictures = [Data(), Data([0]), Data([0, 255, 1])]

    static let leaves: [TypedLeaf<Crate>] =
        own + [
            TypedLeaves.toOne(\Crate.outer, own), TypedLeaves.toMany(\Crate.inner, own),
            TypedLeaves.setCount(\Crate.inner), TypedLeaves.toOne(\Crate.outer, [TypedLeaves.setCount(\Crate.inner)]),
            TypedLeaves.valueOfToOne(\Crate.outer, \Crate.number, whole),
            TypedLeaves.toOne(
                \Crate.outer, [TypedLeaves.toMany(\Crate.inner, own), TypedLeaves.toOne(\Crate.outer, own)]),
            TypedLeaves.toMany(\Crate.inner, [TypedLeaves.toOne(\Crate.outer, own)]),
        ]

    private static let own: [TypedLeaf<Crate>] = [
        TypedLeaves.numbers(
            NumberOperands([\Crate.number], optionals: [\Crate.level, \Crate.stock], whole).dividing().negating()),
        TypedLeaves.numbers(NumberOperands([\Crate.weight], optionals: [\Crate.height], reals).dividing().negating()),
        TypedLeaves.numbers(
            NumberOperands<Crate, Float>([], optionals: [\Crate.ratio], floats).dividing().negating()),
        TypedLeaves.numbers(NumberOperands<Crate, Decimal>([], optionals: [\Crate.price], decimals).negating()),
        TypedLeaves.values(\Crate.number, whole), TypedLeaves.order(\Crate.number, whole),
        TypedLeaves.optionals(\Crate.level, whole), TypedLeaves.optionalOrder(\Crate.stock, whole),
        TypedLeaves.optionals(\Crate.height, reals + [.nan, .infinity]),
        TypedLeaves.optionalOrder(\Crate.height, reals + [.infinity]),
        TypedLeaves.values(\Crate.weight, reals + [.nan]),
        TypedLeaves.optionals(\Crate.ratio, floats), TypedLeaves.optionals(\Crate.price, decimals),
        TypedLeaves.optionalOrder(\Crate.price, decimals), TypedLeaves.optionals(\Crate.name, texts),
        TypedLeaves.optionalTexts(\Crate.name, texts), TypedLeaves.optionalOrder(\Crate.name, texts),
        TypedLeaves.values(\Crate.isSent, [true, false]), TypedLeaves.optionals(\Crate.isPaid, [true, false]),
        TypedLeaves.optionals(\Crate.opened, dates), TypedLeaves.optionalOrder(\Crate.opened, dates),
        TypedLeaves.optionals(\Crate.code, codes), TypedLeaves.optionals(\Crate.page, pages),
        TypedLeaves.optionals(\Crate.picture, pictures),
    ]

    static func fill(_ stack: Stack, count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var crates: [NSManagedObject] = []
        func set<Value>(_ key: String, _ values: [Value], isOptional: Bool = true) {
            guard !isOptional || random.chance(0.75), let value = values.randomElement(using: &random) else { return }
            crates.last?.setValue(value, forKey: key)
        }
        for number in 0..<count {
            let crate = stack.insert("Crate")
            let earlier = crates
            crates.append(crate)
            crate.setValue(number, forKey: "number")
            set("name", texts)
            set("level", whole)
            set("stock", whole)
            set("weight", reals, isOptional: false)
            set("height", reals)
            set("ratio", floats)
            set("price", decimals.map { NSDecimalNumber(decimal: $0) })
            set("isSent", [true, false], isOptional: false)
            set("isPaid", [true, false])
            set("opened", dates)
            set("code", codes)
            set("page", pages)
            set("picture", pictures)
            set("outer", earlier)
        }
    }
}
