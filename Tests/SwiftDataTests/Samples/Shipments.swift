// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models with a property of each kind that predicates can use.

import Foundation
import SwiftData

enum Urgency: Int, Codable, CaseIterable {
    case none, some, great
}

struct Label: Codable, Hashable, Sendable {
    var city: String
    var zip: Int?
}

struct Wrapping: Codable, Hashable, Sendable {
    var title: String
    var layers: Int?
    var urgency: Urgency?
    var label: Label?
}

/// The raw values are in another order than the cases.
enum Standing: String, Codable, CaseIterable, Comparable {
    case low, middle, high

    static func < (one: Standing, other: Standing) -> Bool { Level(one) < Level(other) }
}

/// The raw values are in the order of the cases.
enum Level: Int, Codable, CaseIterable, Comparable {
    case low, middle, high

    init(_ grade: Standing) { self = grade == .low ? .low : grade == .middle ? .middle : .high }

    static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
}

@Model
final class Graded {
    var name: String
    var grade: Standing
    var level: Level

    init(name: String, grade: Standing) {
        self.name = name
        self.grade = grade
        level = Level(grade)
    }
}

@Model
final class Storehouse {
    var name: String
    var floor: Int?
    var address: Label?
    var head: Storehouse?
    @Relationship(inverse: \Shipment.depot) var parcels: [Shipment] = []

    init(name: String, floor: Int? = nil) {
        self.name = name
        self.floor = floor
    }
}

@Model
final class Piece {
    var name: String
    var pieces: Int?
    var parcel: Shipment?

    init(name: String, pieces: Int? = nil) {
        self.name = name
        self.pieces = pieces
    }
}

@Model
final class Shipment {
    var number: Int
    var name: String = ""
    var note: String?
    var stock: Int?
    var tiny: Int8 = 0
    var small: Int16?
    var medium: Int32?
    var byte: UInt8?
    var word: UInt16 = 0
    var wide: UInt32?
    var weight: Double = 0
    var height: Double?
    var ratio: Float?
    var price: Decimal?
    var isSent: Bool = false
    var isPaid: Bool?
    var sent: Date = Date(timeIntervalSinceReferenceDate: 0)
    var opened: Date?
    var code: UUID?
    var page: URL?
    var picture: Data?
    var genre: Genre = Genre.novel
    var urgency: Urgency?
    var wrapping: Wrapping = Wrapping(title: "")
    var spare: Label?
    var words: [String] = []
    var depot: Storehouse?
    @Relationship(inverse: \Piece.parcel) var items: [Piece]? = []

    init(number: Int) { self.number = number }
}
