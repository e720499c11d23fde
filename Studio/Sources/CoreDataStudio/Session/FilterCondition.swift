// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One condition of a filter, chosen by menus, as text of the predicate language. Studio-F1.

import CoreData
import CoreDataToolKit
import Foundation

/// The menus for a condition: the places that can be compared, and the comparisons for each kind of value.
enum FilterCondition {
    /// A kind of values with its own comparisons.
    enum Kind: String, CaseIterable {
        case text, number, date, boolean, identifier, object, members, data

        /// The comparisons in the order of the menu.
        var comparisons: [Comparison] {
            switch self {
            case .text: [.contains, .equal, .unequal, .begins, .ends, .empty, .present]
            case .number: [.equal, .unequal, .less, .atMost, .greater, .atLeast, .empty, .present]
            case .date: [.less, .atLeast, .empty, .present]
            case .boolean: [.isTrue, .isFalse, .empty, .present]
            case .identifier: [.equal, .unequal, .empty, .present]
            case .object: [.equal, .unequal, .empty, .present]
            case .members: [.hasNone, .hasSome, .includes, .moreThan, .fewerThan]
            case .data: [.empty, .present]
            }
        }

        init?(_ attribute: NSAttributeDescription) {
            guard !BrowsedStore.isTransformable(attribute) else {
                self = .data
                return
            }
            switch attribute.attributeType {
            case .stringAttributeType: self = .text
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
                .doubleAttributeType, .floatAttributeType:
                self = .number
            case .dateAttributeType: self = .date
            case .booleanAttributeType: self = .boolean
            case .UUIDAttributeType: self = .identifier
            case .binaryDataAttributeType, .URIAttributeType: self = .data
            default: return nil
            }
        }
    }

    /// A comparison, with its words in the menu.
    enum Comparison: String, CaseIterable {
        case contains
        case equal = "is"
        case unequal = "is not"
        case begins = "begins with"
        case ends = "ends with"
        case less = "is less than"
        case atMost = "is at most"
        case greater = "is greater than"
        case atLeast = "is at least"
        case isTrue = "is true"
        case isFalse = "is false"
        case hasNone = "has no members"
        case hasSome = "has members"
        case includes
        case moreThan = "has more than"
        case fewerThan = "has fewer than"
        case empty = "has no value"
        case present = "has a value"

        var needsValue: Bool {
            ![.isTrue, .isFalse, .hasNone, .hasSome, .empty, .present].contains(self)
        }

        /// The words of the menu: dates are before or after, not less.
        func title(_ kind: Kind) -> String {
            switch (self, kind) {
            case (.less, .date): "is before"
            case (.atLeast, .date): "is at or after"
            default: rawValue
            }
        }
    }

    /// A place that a condition is about.
    struct Place {
        let path: String
        let kind: Kind
        /// nil for a relationship.
        let attribute: NSAttributeDescription?
    }

    /// The attributes, elements of composite attributes, and relationships of an entity, in the order of the columns.
    static func places(_ entity: NSEntityDescription) -> [Place] {
        let attributes = entity.attributesByName
        return Column.all(of: entity).flatMap { column -> [Place] in
            switch column.kind {
            case .toOne: [Place(path: column.name, kind: .object, attribute: nil)]
            case .toMany: [Place(path: column.name, kind: .members, attribute: nil)]
            case .attribute: attributes[column.name].map { places(column.name, $0) } ?? []
            }
        }
    }

    private static func places(_ path: String, _ attribute: NSAttributeDescription) -> [Place] {
        if let composite = attribute as? NSCompositeAttributeDescription {
            return composite.elements.flatMap { places("\(path).\($0.name)", $0) }
        }
        return Kind(attribute).map { [Place(path: path, kind: $0, attribute: attribute)] } ?? []
    }

    /// The text of a condition.
    ///
    /// - Throws: `FieldFailure` for an unknown place, a comparison of another kind, and a value of another type.
    static func text(_ path: String, _ comparison: String, _ value: String, of entity: NSEntityDescription) throws
        -> String
    {
        guard let place = places(entity).first(where: { $0.path == path }) else {
            throw FieldFailure("Choose a column.")
        }
        guard let comparison = Comparison(rawValue: comparison), place.kind.comparisons.contains(comparison) else {
            throw FieldFailure("Choose a comparison for \(path).")
        }
        func compared(_ sign: String) throws -> String { "\(path) \(sign) \(try literal(value, place))" }
        return switch comparison {
        case .contains: try compared("CONTAINS[cd]")
        case .equal: try compared("==")
        case .unequal: try compared("!=")
        case .begins: try compared("BEGINSWITH[cd]")
        case .ends: try compared("ENDSWITH[cd]")
        case .less: try compared("<")
        case .atMost: try compared("<=")
        case .greater: try compared(">")
        case .atLeast: try compared(">=")
        case .isTrue: "\(path) == YES"
        case .isFalse: "\(path) == NO"
        case .hasNone: "\(path).@count == 0"
        case .hasSome: "\(path).@count > 0"
        case .includes: "ANY \(path) == \(try object(value))"
        case .moreThan: "\(path).@count > \(try count(value))"
        case .fewerThan: "\(path).@count < \(try count(value))"
        case .empty: "\(path) == nil"
        case .present: "\(path) != nil"
        }
    }

    /// Both conditions, where there is one already.
    static func joined(_ filter: String, _ condition: String) -> String {
        let filter = filter.trimmingCharacters(in: .whitespacesAndNewlines)
        if filter.isEmpty { return condition }
        let isCompound = filter.uppercased().contains(" OR ") || filter.contains("||")
        return isCompound ? "(\(filter)) AND \(condition)" : "\(filter) AND \(condition)"
    }

    private static func literal(_ value: String, _ place: Place) throws -> String {
        guard let attribute = place.attribute else { return try object(value) }
        let known = try ValueText.value(of: value, for: attribute)
        switch place.kind {
        case .number: return value.trimmingCharacters(in: .whitespaces)
        case .date: return quoted((known as? Date).map { Cell.date($0).tableText } ?? value)
        default: return quoted(place.kind == .text ? value : value.trimmingCharacters(in: .whitespaces))
        }
    }

    private static func object(_ value: String) throws -> String {
        let name = value.trimmingCharacters(in: .whitespaces)
        guard name.wholeMatch(of: #/[^\/\s"\\]+\/\d+/#) != nil else {
            throw FieldFailure("The name of an object, such as Book/12, is needed here.")
        }
        return quoted(name)
    }

    private static func count(_ value: String) throws -> String {
        guard let number = Int(value.trimmingCharacters(in: .whitespaces)), number >= 0 else {
            throw FieldFailure("A whole number is needed here.")
        }
        return "\(number)"
    }

    /// A text as the predicate language writes it.
    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\t", with: "\\t").replacing("\r", with: "\\r")
        return "\"" + escaped + "\""
    }
}

extension Site {
    /// The answer to a condition of the menus.
    struct ConditionAnswer: Encodable, Sendable {
        /// The whole filter with the new condition; nil after a mistake.
        var filter: String?
        var message = ""
    }

    /// - Parameter query: `q` is the filter so far; `column`, `comparison` and `value` are the new condition.
    func condition(_ session: StudioSession, _ name: String, _ query: [String: String]) async throws -> ConditionAnswer
    {
        let filter = try ViewDefinition(entityName: name, query: query).filter
        return try await session.read { desk in
            let entity = try desk.entity(name)
            do {
                let condition = try FilterCondition.text(
                    query["column"] ?? "", query["comparison"] ?? "", query["value"] ?? "", of: entity)
                return ConditionAnswer(filter: FilterCondition.joined(filter, condition))
            } catch let failure as FieldFailure {
                return ConditionAnswer(message: failure.message)
            }
        }
    }
}
