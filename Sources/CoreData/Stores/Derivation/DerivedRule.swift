// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes a derived attribute from rows or objects, with an expression that is compiled once.

import CoreDataFoundation
import Foundation

package struct DerivedRule {
    /// The entity that declares the attribute.
    package let layout: EntityLayout
    package let slot: Int
    /// The relationships on the expression's key paths.
    package let paths: RelationshipPaths
    private let derivation: Derivation
    private let expression: ReadyExpression
    private let type: NSAttributeType
    /// The names of all properties that affect the value, including properties of related entities.
    private let names: Set<String>

    /// The rules of all derived attributes of some entities, without duplicates.
    ///
    /// - Throws: `UnsupportedDerivation` for the first one that cannot be computed.
    package static func all(_ model: ModelLayout, _ entities: [NSEntityDescription]) throws -> [DerivedRule] {
        try slots(model, entities).map { try DerivedRule($0, slot: $1, model) }
    }

    /// The rules of the computable derived attributes.
    package static func possible(_ model: ModelLayout, _ entities: [NSEntityDescription]) -> [DerivedRule] {
        slots(model, entities).compactMap { try? DerivedRule($0, slot: $1, model) }
    }

    private static func slots(_ model: ModelLayout, _ entities: [NSEntityDescription]) -> [(EntityLayout, Int)] {
        entities.compactMap(model.layout(of:)).filter(\.hasDerivedAttributes).flatMap { layout in
            let inherited = layout.superIndex >= 0 ? model.layouts[layout.superIndex].slotCount : 0
            return (inherited..<layout.slotCount).filter { layout[$0].isDerived }.map { (layout, $0) }
        }
    }

    /// An attribute that cannot be computed, with a sentence that names it.
    package struct UnsupportedDerivation: Error {
        package let reason: String
    }

    package init(_ layout: EntityLayout, slot: Int, _ model: ModelLayout) throws {
        self.layout = layout
        self.slot = slot
        let property = layout.properties[slot]
        guard let syntax = (property as? NSDerivedAttributeDescription)?.derivationExpression?.syntax,
            let derivation = Derivation(layout, slot: slot, model: model)
        else { throw UnsupportedDerivation(reason: "\(property.qualifiedName) says nothing of how it is derived.") }
        self.derivation = derivation
        let plain = Self.plain(syntax, layout, model)
        do {
            if case .computed = derivation, let reason = DerivationCheck(model: model, layout: layout).reason(plain) {
                throw UnsupportedDerivation(reason: "\(property.qualifiedName) cannot be computed: \(reason).")
            }
            expression = try ReadyExpression(plain)
        } catch let unfit as UnsupportedDerivation {
            throw unfit
        } catch {
            throw UnsupportedDerivation(reason: "\(property.qualifiedName) cannot be computed: \(error).")
        }
        type = layout.attribute(slot)?.attributeType ?? .undefinedAttributeType
        paths = RelationshipPaths(plain, from: layout, in: model)
        names = Self.names(plain).union(paths.inverseNames(model))
    }

    /// Whether a change of these properties of any row may change the value.
    package func concerns(_ changed: SlotSet, of row: EntityLayout) -> Bool {
        changed.contains { $0 < row.slotCount && names.contains(row.properties[$0].name) }
    }

    /// Whether the value changes with every save of a row of the entity.
    package var isTime: Bool { derivation == .now }

    /// - Parameters:
    ///   - object: a view of a row, or an object.
    ///   - count: the number of members of a to-many relationship, by slot.
    /// - Returns: the value; nil also if the expression cannot be evaluated on the object, as in SQL.
    package func value(of object: Any, now: Date, count: (Int) throws -> Int) throws -> Any? {
        switch derivation {
        case .now: return now
        case .count(let slot): return NSNumber(value: try count(slot))
        case .computed:
            do {
                return ResultCoercion.value(try expression.value(of: object), type)
            } catch is PredicateEvaluationError {
                return nil
            } catch is KeyValueError {
                return nil
            }
        }
    }

    // MARK: Expressions

    private static let operations = [
        "count:": "@count", "sum:": "@sum", "average:": "@avg", "min:": "@min", "max:": "@max",
    ]

    /// Rewrites aggregates in the form of key-value coding: `pages.words.@sum` and
    /// `sum:(pages.words)` become `pages.@sum.words`.
    private static func plain(_ expression: ExpressionSyntax, _ layout: EntityLayout, _ model: ModelLayout)
        -> ExpressionSyntax
    {
        expression.replacingExpressions { part -> ExpressionSyntax? in
            switch part {
            case .keyPath(let path):
                let names = path.split(separator: ".").map(String.init)
                guard let last = names.last, operations.values.contains(last) else { return nil }
                return aggregate(last, Array(names.dropLast()), layout, model)
            case .function(let name, let arguments):
                guard let operation = operations[name], arguments.count == 1, case .keyPath(let path) = arguments[0]
                else { return nil }
                return aggregate(operation, path.split(separator: ".").map(String.init), layout, model)
            default: return nil
            }
        }
    }

    /// nil if the path contains no to-many relationship.
    private static func aggregate(
        _ operation: String, _ names: [String], _ layout: EntityLayout, _ model: ModelLayout
    ) -> ExpressionSyntax? {
        let way = names.indices.first { index in
            let path = names[...index].joined(separator: ".")
            guard let step = try? KeyPathResolver(model: model).resolve(path, from: layout).steps.last else {
                return false
            }
            return model.layouts[step.layoutIndex][step.slot].kind == .toMany
        }
        guard let way else { return nil }
        let members = names[...way].joined(separator: ".")
        let value = names[(way + 1)...].joined(separator: ".")
        if value.isEmpty { return .keyPath("\(members).\(operation)") }
        guard operation == "@count" else { return .keyPath("\(members).\(operation).\(value)") }
        // SQL counts only values that are not null.
        let isPresent = ComparisonSyntax(.keyPathOn(.variable("member"), value), .notEqualTo, .constant(nil))
        return .keyPathOn(
            .subquery(
                collection: .keyPath(members), variable: "member", predicate: .comparison(isPresent)), "@count")
    }

    private static func names(_ expression: ExpressionSyntax) -> Set<String> {
        var names: Set<String> = []
        expression.visitExpressions { part in
            switch part {
            case .keyPath(let path), .keyPathOn(_, let path):
                names.formUnion(path.split(separator: ".").map(String.init))
            default: break
            }
        }
        return names
    }
}

extension RelationshipPaths {
    /// The inverse relationships of all relationships on the paths.
    package func inverseNames(_ model: ModelLayout) -> Set<String> {
        branches.reduce(into: []) { names, branch in
            let relationship = model.layouts[branch.step.layoutIndex].relationship(branch.step.slot)
            if let inverse = relationship?.mutualInverse { names.insert(inverse.name) }
            names.formUnion(branch.rest.inverseNames(model))
        }
    }
}
