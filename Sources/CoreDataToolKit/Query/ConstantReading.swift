// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts texts in a predicate to the type they are compared with: dates, UUIDs, objects.

import CoreData
import CoreDataFoundation
import Foundation

/// On a command line dates, UUIDs and objects can only be written as text.
///
/// - A date: "2024-05-01", "2024-05-01T12:30", "2024-05-01T12:30:00.5Z", "… 12:30:00 +0200"; without a time zone
///   it is UTC.
/// - An object, for SELF, `objectID` and relationships: "Car/3", "x-coredata://…/Car/p3".
struct ConstantReading {
    private enum Kind {
        case date
        case uuid
        case object(NSEntityDescription)
    }

    private let store: OpenedStore
    private let entity: NSEntityDescription

    init(_ store: OpenedStore, _ entity: NSEntityDescription) {
        self.store = store
        self.entity = entity
    }

    /// - Throws: `ToolError` with the expected format.
    func read(_ predicate: PredicateSyntax) throws -> PredicateSyntax {
        switch predicate {
        case .constant, .block: return predicate
        case .and(let parts): return .and(try parts.map(read))
        case .or(let parts): return .or(try parts.map(read))
        case .not(let part): return .not(try read(part))
        case .comparison(var comparison):
            (comparison.left, comparison.right) = (Self.withoutIDs(comparison.left), Self.withoutIDs(comparison.right))
            switch comparison.operation {
            case .beginsWith, .endsWith, .like, .matches, .matching, .custom: return .comparison(comparison)
            default: break
            }
            let (left, right) = (kind(comparison.left), kind(comparison.right))
            if let left { comparison.right = try read(comparison.right, as: left, of: comparison.left) }
            if let right { comparison.left = try read(comparison.left, as: right, of: comparison.right) }
            return .comparison(comparison)
        }
    }

    /// `objectID` becomes the object, `author.objectID` the author.
    private static func withoutIDs(_ expression: ExpressionSyntax) -> ExpressionSyntax {
        guard case .keyPath(let path) = expression else { return expression }
        if path == "objectID" || path == "SELF.objectID" || path == "self.objectID" { return .evaluatedObject }
        return path.hasSuffix(".objectID") ? .keyPath(String(path.dropLast(".objectID".count))) : expression
    }

    private func kind(_ expression: ExpressionSyntax) -> Kind? {
        switch expression {
        case .evaluatedObject: return .object(entity)
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path):
            let steps = KeyCheck.withoutSelf(path)
            guard !steps.contains("@"), let last = try? KeyCheck.properties(steps, of: entity).last else { return nil }
            if let destination = (last as? NSRelationshipDescription)?.destinationEntity { return .object(destination) }
            switch (last as? NSAttributeDescription)?.attributeType {
            case .dateAttributeType: return .date
            case .UUIDAttributeType: return .uuid
            default: return nil
            }
        default: return nil
        }
    }

    private func read(_ expression: ExpressionSyntax, as kind: Kind, of owner: ExpressionSyntax) throws
        -> ExpressionSyntax
    {
        switch expression {
        case .constant(let text as String): return .constant(try value(text, kind, owner))
        case .constant(let texts as [Any]):
            return .constant(try texts.map { try ($0 as? String).map { try value($0, kind, owner) } ?? $0 })
        case .aggregate(let members): return .aggregate(try members.map { try read($0, as: kind, of: owner) })
        case .constant(let number as NSNumber):
            guard case .object = kind else { return expression }
            throw ToolError(
                "\(Self.name(owner)) is an object: write \"Car/3\" (with its entity's name), not \(number).")
        default: return expression
        }
    }

    private func value(_ text: String, _ kind: Kind, _ owner: ExpressionSyntax) throws -> Any {
        switch kind {
        case .date:
            if let date = Self.date(text) { return date }
            throw ToolError(
                "\(Self.name(owner)) holds dates: write \"2024-05-01\" or \"2024-05-01T12:30:00Z\", not \"\(text)\".")
        case .uuid:
            if let uuid = UUID(uuidString: text) { return uuid }
            throw ToolError(
                "\(Self.name(owner)) holds UUIDs: write \"7A4F6E0C-3B5D-4C8E-9F1A-2B3C4D5E6F70\", not \"\(text)\".")
        case .object(let entity):
            if let id = try store.objectID(text, of: entity) { return id }
            let example = entity.name ?? "Entity"
            throw ToolError(
                "\(Self.name(owner)) is an object: write \"\(example)/3\" or its URI, not \"\(text)\".")
        }
    }

    private static func name(_ expression: ExpressionSyntax) -> String {
        switch expression {
        case .keyPath(let path), .keyPathOn(_, let path): "'\(path)'"
        default: "SELF"
        }
    }

    /// Parses the usual forms of ISO 8601; nil for others.
    static func date(_ text: String) -> Date? {
        let pattern = #/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/#
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let parts = match.output
        var components = DateComponents()
        (components.year, components.month, components.day) = (number(parts.1), number(parts.2), number(parts.3))
        (components.hour, components.minute, components.second) = (number(parts.4), number(parts.5), number(parts.6))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // The calendar would convert 30 February to 2 March.
        guard (0...23).contains(number(parts.4)), number(parts.5) < 60, number(parts.6) < 60,
            components.isValidDate(in: calendar), let date = calendar.date(from: components)
        else { return nil }
        return date.addingTimeInterval(parts.7.flatMap { Double("0\($0)") } ?? 0).addingTimeInterval(-zone(parts.8))
    }

    /// Seconds east of Greenwich.
    private static func zone(_ text: Substring?) -> Double {
        guard let text, text != "Z" else { return 0 }
        let digits = text.filter(\.isNumber)
        let seconds = Double((Int(digits.prefix(2)) ?? 0) * 3600 + (Int(digits.suffix(2)) ?? 0) * 60)
        return text.hasPrefix("-") ? -seconds : seconds
    }
}
