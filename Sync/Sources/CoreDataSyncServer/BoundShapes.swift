// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The shapes of a user with values in place of their variables.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Shapes that a fetch can evaluate.
struct BoundShapes {
    struct Shape {
        let name: String
        let entity: String
        let predicate: NSPredicate?
        /// The words of the predicate's text.
        let words: Set<String>
        let follows: [[String]]
    }

    let shapes: [Shape]
    /// Equal for all users and devices with the same shapes and the same values, which share a scope.
    let key: String

    /// - Parameter chosen: the names of some shapes; empty for all of them.
    /// - Returns: nil if the authority gives the user all records.
    /// - Throws: `SyncError.notPermitted` for the name of a shape that the user does not have, `unavailable` for a
    ///   shape that the model cannot evaluate.
    init?(_ service: ServiceCore, _ user: SyncUser, chosen: [String] = []) throws {
        guard let all = service.authority.shapes(of: user) else { return nil }
        let names = Set(all.map(\.name))
        if let unknown = chosen.first(where: { !names.contains($0) }) {
            throw SyncError(.notPermitted, "The user has no shape '\(unknown)'.")
        }
        let wanted = all.filter { chosen.isEmpty || chosen.contains($0.name) }.sorted { $0.name < $1.name }
        let variables = user.variables.merging(["user": .string(user.id)]) { $1 }
        shapes = try wanted.map { try Shape($0, service, variables) }
        let used = variables.filter { name, _ in wanted.contains { $0.predicate?.contains("$" + name) ?? false } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        key = String(decoding: try encoder.encode(Key(shapes: wanted, variables: used)), as: UTF8.self)
    }

    /// The first changed property that a predicate of the record's entity has; nil if none has one.
    func key(of change: SyncChange) -> String? {
        let words = shapes.filter { $0.entity == change.entity }.reduce(into: Set<String>()) { $0.formUnion($1.words) }
        return change.fields.keys.sorted().first(where: words.contains)
    }

    private struct Key: Encodable {
        let shapes: [SyncShape]
        let variables: [String: SyncValue]
    }
}

extension BoundShapes.Shape {
    fileprivate init(_ shape: SyncShape, _ service: ServiceCore, _ variables: [String: SyncValue]) throws {
        func failure(_ text: String) -> SyncError {
            SyncError(.unavailable, "The shape '\(shape.name)' cannot be evaluated: \(text)")
        }
        guard service.model.entities[shape.entity] != nil else {
            throw failure("the model has no entity '\(shape.entity)'.")
        }
        name = shape.name
        words = Set(
            (shape.predicate ?? "").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        entity = shape.entity
        follows = shape.follows.map { $0.split(separator: ".").map(String.init) }
        for path in follows {
            var present = service.container.managedObjectModel.entitiesByName[shape.entity]
            for key in path {
                present = present?.relationshipsByName[key]?.destinationEntity
                guard present != nil else { throw failure("'\(path.joined(separator: "."))' is no relationship.") }
            }
        }
        do {
            predicate = try shape.predicate.map {
                try NSPredicate.parsing($0).withSubstitutionVariables(variables.compactMapValues(\.constant))
            }
        } catch { throw failure("\(error)") }
    }
}

extension SyncValue {
    /// The value as predicates compare it; nil for values that no variable has.
    fileprivate var constant: Any? {
        switch self {
        case .null: NSNull()
        case .integer(let number): number
        case .bool(let bool): bool
        case .double(let bits): Double(bitPattern: bits)
        case .float(let bits): Float(bitPattern: bits)
        case .decimal(let text): NSDecimalNumber(string: text)
        case .string(let text): text
        case .date(let bits): Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .uri(let text): URL(string: text)
        case .composite, .transformed, .link, .large: nil
        }
    }
}
