// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The conditions of random predicates over parcels, and parcels with random values.

import CoreDataTestSupport
import Foundation
import SwiftData
import TypedPredicates

enum ShipmentCatalogue {
    private static let texts = ["", "a", "A", "ab", "Ab", "b a", "é", "E", "straße", "a%b", "_", "a*", "\\", "'"]
    private static let whole = [-3, -1, 0, 1, 2, 5]
    private static let reals = [-1.5, -0.0, 0, 0.5, 2, 3.25, 1e10]
    private static let floats: [Float] = [-1.5, 0, 0.5, 2, 3.25]
    private static let decimals: [Decimal] = [-1.5, 0, 0.5, 2, 3.25, 100]
    private static let dates = [-1000.25, 0, 0.5, 3600].map { Date(timeIntervalSinceReferenceDate: $0) }
    private static let codes = (0..<3).map { UUID(uuid: (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, UInt8($0))) }
    private static let pages = ["https://example.org/a", "https://example.org/b?x=%20y"].compactMap(URL.init(string:))
    private static let pictures = [Data(), Data([0]), Data([0, 255, 1])]
    private static let labels = [Label(city: "a", zip: 1), Label(city: "é"), Label(city: "", zip: -3)]

    // MARK: Conditions

    static let leaves: [TypedLeaf<Shipment>] =
        numbers + texts_ + others + members
        + [
            TypedLeaves.toOne(\Shipment.depot, depots), TypedLeaves.optionalToMany(\Shipment.items, items),
            TypedLeaves.optionalListCount(\Shipment.items),
            TypedLeaves.valueOfToOne(\Shipment.depot, \Storehouse.name, texts),
        ]

    private static let numbers: [TypedLeaf<Shipment>] = [
        TypedLeaves.numbers(
            NumberOperands([\Shipment.number], optionals: [\Shipment.stock], whole)
                .dividing()
                .negating()),
        TypedLeaves.numbers(NumberOperands([\Shipment.tiny], [-3, 0, 1, 2]).dividing().negating()),
        TypedLeaves.numbers(
            NumberOperands<Shipment, Int16>([], optionals: [\Shipment.small], [-3, 0, 1, 2]).dividing().negating()),
        TypedLeaves.numbers(
            NumberOperands<Shipment, Int32>([], optionals: [\Shipment.medium], [-3, 0, 1, 2]).dividing().negating()),
        TypedLeaves.numbers(
            NumberOperands<Shipment, UInt8>([], optionals: [\Shipment.byte], [0, 1, 2, 5], isSigned: false).dividing()),
        TypedLeaves.numbers(NumberOperands([\Shipment.word], [0, 1, 2, 5], isSigned: false).dividing()),
        TypedLeaves.numbers(
            NumberOperands<Shipment, UInt32>([], optionals: [\Shipment.wide], [0, 1, 2, 5], isSigned: false).dividing()),
        TypedLeaves.numbers(
            NumberOperands([\Shipment.weight], optionals: [\Shipment.height], reals).dividing().negating()),
        TypedLeaves.numbers(
            NumberOperands<Shipment, Float>([], optionals: [\Shipment.ratio], floats).dividing().negating()),
        TypedLeaves.numbers(NumberOperands<Shipment, Decimal>([], optionals: [\Shipment.price], decimals).negating()),
        TypedLeaves.optionals(\Shipment.stock, whole), TypedLeaves.optionalOrder(\Shipment.stock, whole),
        TypedLeaves.values(\Shipment.number, whole), TypedLeaves.order(\Shipment.number, whole),
        TypedLeaves.optionals(\Shipment.byte, [0, 1, 255]), TypedLeaves.optionalOrder(\Shipment.wide, [0, 1, .max]),
        TypedLeaves.values(\Shipment.word, [0, 1, .max]),
        TypedLeaves.optionals(\Shipment.height, reals + [.nan, .infinity]),
        TypedLeaves.optionalOrder(\Shipment.height, reals + [.infinity, -.infinity]),
        TypedLeaves.values(\Shipment.weight, reals + [.nan]), TypedLeaves.optionals(\Shipment.ratio, floats),
        TypedLeaves.optionals(\Shipment.price, decimals), TypedLeaves.optionalOrder(\Shipment.price, decimals),
    ]

    private static let texts_: [TypedLeaf<Shipment>] = [
        TypedLeaves.texts(\Shipment.name, texts), TypedLeaves.values(\Shipment.name, texts),
        TypedLeaves.optionalTexts(\Shipment.note, texts), TypedLeaves.optionals(\Shipment.note, texts),
        TypedLeaves.optionalOrder(\Shipment.note, texts),
    ]

    private static let others: [TypedLeaf<Shipment>] = [
        TypedLeaves.values(\Shipment.isSent, [true, false]), TypedLeaves.optionals(\Shipment.isPaid, [true, false]),
        TypedLeaves.order(\Shipment.sent, dates), TypedLeaves.optionals(\Shipment.opened, dates),
        TypedLeaves.optionalOrder(\Shipment.opened, dates), TypedLeaves.optionals(\Shipment.code, codes),
        TypedLeaves.optionals(\Shipment.page, pages), TypedLeaves.optionals(\Shipment.picture, pictures),
        TypedLeaves.values(\Shipment.genre, Genre.allCases), TypedLeaves.optionals(\Shipment.urgency, Urgency.allCases),
    ]

    /// Members of structures, optionals, and lists of values, which no store looks into.
    private static let members: [TypedLeaf<Shipment>] = [
        TypedLeaves.memberTexts(\Shipment.wrapping, \.title, texts),
        TypedLeaves.memberValues(\Shipment.wrapping, \.title, texts),
        TypedLeaves.memberOptionals(\Shipment.wrapping, \.layers, whole),
        TypedLeaves.memberOptionals(\Shipment.wrapping, \.urgency, Urgency.allCases),
        TypedLeaves.memberStructure(\Shipment.wrapping, \.label, addresses),
        TypedLeaves.structure(\Shipment.spare, addresses),
        isNil(\Shipment.wrapping, \.label), isNil(\Shipment.spare), isNil(\Shipment.depot), isNil(\Shipment.urgency),
        { random, variable in
            let words = PredicateExpressions.build_KeyPath(root: variable, keyPath: \Shipment.words)
            let word = PredicateExpressions.build_Arg(texts.randomElement(using: &random) ?? "")
            return random.chance(0.6)
                ? PredicateExpressions.SequenceContains(sequence: words, element: word)
                : PredicateExpressions.build_KeyPath(root: words, keyPath: \.isEmpty)
        },
    ]

    private static let addresses: [TypedLeaf<Label>] = [
        TypedLeaves.texts(\Label.city, texts), TypedLeaves.values(\Label.city, texts),
        TypedLeaves.optionals(\Label.zip, whole),
    ]

    private static let depots: [TypedLeaf<Storehouse>] = [
        TypedLeaves.structure(\Storehouse.address, addresses),
        TypedLeaves.texts(\Storehouse.name, texts), TypedLeaves.optionals(\Storehouse.floor, whole),
        TypedLeaves.optionalOrder(\Storehouse.floor, whole),
        TypedLeaves.valueOfToOne(\Storehouse.head, \Storehouse.name, texts),
        TypedLeaves.toOne(
            \Storehouse.head,
            [TypedLeaves.optionals(\Storehouse.floor, whole), TypedLeaves.texts(\Storehouse.name, texts)]),
        TypedLeaves.toMany(\Storehouse.parcels, [TypedLeaves.values(\Shipment.name, texts)]), isNil(\Storehouse.head),
    ]

    private static let items: [TypedLeaf<Piece>] = [
        TypedLeaves.values(\Piece.name, texts), TypedLeaves.optionals(\Piece.pieces, whole),
        TypedLeaves.optionalOrder(\Piece.pieces, whole),
    ]

    /// Whether there is a value. The type need not be equatable.
    private static func isNil<Root, Value: Equatable & SendableMetatype>(_ path: TypedLeaves.Path<Root, Value?>)
        -> TypedLeaf<Root>
    {
        { random, variable in
            isNil(PredicateExpressions.build_KeyPath(root: variable, keyPath: path), &random)
        }
    }

    /// The same for a member of a structure: a typed predicate takes a node for each property.
    private static func isNil<Root, Owner: SendableMetatype, Value: Equatable & SendableMetatype>(
        _ path: TypedLeaves.Path<Root, Owner>, _ member: TypedLeaves.Path<Owner, Value?>
    ) -> TypedLeaf<Root> {
        { random, variable in
            let owner = PredicateExpressions.build_KeyPath(root: variable, keyPath: path)
            return isNil(PredicateExpressions.build_KeyPath(root: owner, keyPath: member), &random)
        }
    }

    private static func isNil<Value: Equatable & SendableMetatype>(
        _ node: some StandardPredicateExpression<Value?>, _ random: inout SeededGenerator
    ) -> TypedCondition {
        let null = PredicateExpressions.build_NilLiteral() as PredicateExpressions.NilLiteral<Value>
        return random.chance(0.5)
            ? PredicateExpressions.build_Equal(lhs: node, rhs: null)
            : PredicateExpressions.build_NotEqual(lhs: node, rhs: null)
    }

    // MARK: Parcels

    static func fill(_ context: ModelContext, parcels count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var depots: [Storehouse] = []
        for _ in 0..<4 {
            let depot = Storehouse(name: pick(texts, &random), floor: maybe(whole, &random))
            context.insert(depot)
            depot.address = maybe(labels, &random)
            depot.head = maybe(depots, &random)
            depots.append(depot)
        }
        for number in 0..<count {
            let parcel = Shipment(number: number)
            context.insert(parcel)
            fill(parcel, &random)
            parcel.depot = maybe(depots, &random)
            parcel.items = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                Piece(name: pick(texts, &random), pieces: maybe(whole, &random))
            }
        }
    }

    private static func fill(_ parcel: Shipment, _ random: inout SeededGenerator) {
        parcel.name = pick(texts, &random)
        parcel.note = maybe(texts, &random)
        parcel.stock = maybe(whole, &random)
        parcel.tiny = pick([-3, 0, 1, 2], &random)
        parcel.small = maybe([-3, 0, 1, 2], &random)
        parcel.medium = maybe([-3, 0, 1, 2], &random)
        parcel.byte = maybe([0, 1, 2, 5], &random)
        parcel.word = pick([0, 1, 2, 5], &random)
        parcel.wide = maybe([0, 1, 2, 5], &random)
        parcel.weight = pick(reals, &random)
        parcel.height = maybe(reals, &random)
        parcel.ratio = maybe(floats, &random)
        parcel.price = maybe(decimals, &random)
        parcel.isSent = random.chance(0.5)
        parcel.isPaid = maybe([true, false], &random)
        parcel.sent = pick(dates, &random)
        parcel.opened = maybe(dates, &random)
        parcel.code = maybe(codes, &random)
        parcel.page = maybe(pages, &random)
        parcel.picture = maybe(pictures, &random)
        parcel.genre = pick(Genre.allCases, &random)
        parcel.urgency = maybe(Urgency.allCases, &random)
        parcel.wrapping = Wrapping(
            title: pick(texts, &random), layers: maybe(whole, &random), urgency: maybe(Urgency.allCases, &random),
            label: maybe(labels, &random))
        parcel.spare = maybe(labels, &random)
        parcel.words = texts.filter { _ in random.chance(0.2) }
    }

    private static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private static func maybe<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value? {
        random.chance(0.25) ? nil : values.randomElement(using: &random)
    }
}
