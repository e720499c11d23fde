// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the comparisons of a typed predicate without converting it. SwiftData-P8.

import CoreData
import CoreDataFoundation
import CoreDataModeling
import Foundation
import PredicateLanguage
import Synchronization

/// A condition that compares properties of the fetched model with captured values, joined by `&&`.
///
/// The type of a predicate's tree says whether it is one (`LookUpTypes`). All that the type does not say is read from
/// the tree at each fetch: key paths, operators, values.
protocol LookUpNode: PredicateExpression, SendableMetatype {
    /// Adds the comparisons; false if one of them needs the conversion.
    func add(to lookUp: inout LookUp) -> Bool
}

/// A property of the fetched model.
protocol LookUpProperty: PredicateExpression {
    var variable: PredicateExpressions.VariableID { get }
    var path: AnyKeyPath { get }
}

/// The variable of a predicate.
protocol LookUpVariable: PredicateExpression {
    var identifier: PredicateExpressions.VariableID { get }
}

/// A captured value.
protocol LookUpValue: PredicateExpression {
    /// nil for nil, and for a value that stores do not compare as it is.
    var comparable: ComparableValue? { get }
}

extension PredicateExpressions.Variable: LookUpVariable {
    var identifier: PredicateExpressions.VariableID { key }
}

extension PredicateExpressions.KeyPath: LookUpProperty where Root: LookUpVariable {
    var variable: PredicateExpressions.VariableID { root.identifier }
    var path: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: LookUpValue {
    var comparable: ComparableValue? { LookUpValues.comparable(value) }
}

extension PredicateExpressions.Conjunction: LookUpNode where LHS: LookUpNode, RHS: LookUpNode {
    func add(to lookUp: inout LookUp) -> Bool { lhs.add(to: &lookUp) && rhs.add(to: &lookUp) }
}

extension PredicateExpressions.Equal: LookUpNode where LHS: LookUpProperty, RHS: LookUpValue {
    func add(to lookUp: inout LookUp) -> Bool { lookUp.add(lhs, .equalTo, rhs) }
}

extension PredicateExpressions.NotEqual: LookUpNode where LHS: LookUpProperty, RHS: LookUpValue {
    func add(to lookUp: inout LookUp) -> Bool { lookUp.add(lhs, .notEqualTo, rhs) }
}

extension PredicateExpressions.Comparison: LookUpNode where LHS: LookUpProperty, RHS: LookUpValue {
    func add(to lookUp: inout LookUp) -> Bool {
        switch op {
        case .lessThan: lookUp.add(lhs, .lessThan, rhs)
        case .lessThanOrEqual: lookUp.add(lhs, .lessThanOrEqualTo, rhs)
        case .greaterThan: lookUp.add(lhs, .greaterThan, rhs)
        case .greaterThanOrEqual: lookUp.add(lhs, .greaterThanOrEqualTo, rhs)
        @unknown default: false
        }
    }
}

/// The comparisons of one predicate, for one entity.
struct LookUp {
    private(set) var comparisons: [FetchShape.Comparison] = []
    /// The entity of the predicate's class; nil before the first comparison.
    private(set) var layout: EntityLayout?
    private let variable: PredicateExpressions.VariableID
    private let root: ObjectIdentifier
    private let context: ModelContext

    /// nil for a predicate that has to be converted.
    @inline(__always) init?<T: PersistentModel>(_ predicate: Predicate<T>, _ context: ModelContext) {
        variable = predicate.variable.key
        root = ObjectIdentifier(T.self)
        self.context = context
        let expression = predicate.expression
        guard let type = LookUpTypes.node(of: type(of: expression)), read(expression, as: type) else { return nil }
    }

    private mutating func read<Node: LookUpNode>(
        _ expression: any StandardPredicateExpression<Bool>, as type: Node.Type
    ) -> Bool {
        // A conditional cast would ask for the type of an optional node.
        switch expression {
        case let node as Node: node.add(to: &self)
        default: false
        }
    }

    mutating func add(
        _ property: some LookUpProperty, _ operation: ComparisonSyntax.Operator, _ value: some LookUpValue
    ) -> Bool {
        guard property.variable == variable, let value = value.comparable,
            let place = context.container.lookUpPlaces.place(of: property.path, in: context), place.root == root,
            let comparison = FetchShape.comparison(place.slot, operation, value, place.layout)
        else { return false }
        layout = place.layout
        // A list that begins with a member costs less than one that grows from nothing.
        if comparisons.isEmpty { comparisons = [comparison] } else { comparisons.append(comparison) }
        return true
    }
}

/// The types of predicates' trees that are look-ups.
private enum LookUpTypes {
    /// By type; nil for other trees. A program has few types of predicates.
    private static let known = Mutex<[ObjectIdentifier: (any LookUpNode.Type)?]>([:])

    static func node(of type: any Any.Type) -> (any LookUpNode.Type)? {
        let key = ObjectIdentifier(type)
        if let known = known.withLock({ $0[key] }) { return known }
        // This cast looks at all parts of the type, and takes longer than the whole look-up.
        let found = type as? any LookUpNode.Type
        known.withLock { $0[key] = .some(found) }
        return found
    }
}

/// The values that look-ups compare: those that a conversion leaves as they are.
private enum LookUpValues {
    static func comparable<Value>(_ value: Value) -> ComparableValue? {
        if Value.self == Int.self { return (value as? Int).map { .integer(Int64($0)) } }
        if Value.self == String.self { return (value as? String).map { .string($0) } }
        if Value.self == Int64.self { return (value as? Int64).map { .integer($0) } }
        if Value.self == Double.self { return (value as? Double).map { .double($0) } }
        if Value.self == Date.self { return (value as? Date).map { .date($0) } }
        if Value.self == Bool.self { return (value as? Bool).map { .integer($0 ? 1 : 0) } }
        if Value.self == Int32.self { return (value as? Int32).map { .integer(Int64($0)) } }
        if Value.self == Int16.self { return (value as? Int16).map { .integer(Int64($0)) } }
        if Value.self == Int?.self { return (value as? Int).map { .integer(Int64($0)) } }
        if Value.self == String?.self { return (value as? String).map { .string($0) } }
        if Value.self == Int64?.self { return (value as? Int64).map { .integer($0) } }
        if Value.self == Double?.self { return (value as? Double).map { .double($0) } }
        if Value.self == Date?.self { return (value as? Date).map { .date($0) } }
        return nil
    }
}

/// The attributes that look-ups of a container compare, by key path.
final class LookUpPlaces: Sendable {
    struct Place: @unchecked Sendable {  // key paths of models capture nothing that changes
        /// Held, so that no other key path gets its address.
        let path: AnyKeyPath
        let root: ObjectIdentifier
        let layout: EntityLayout
        let slot: Int
    }

    /// A program has few key paths. If it makes new ones without end, the list is emptied when it is full.
    private static let capacity = 1000

    /// By the identity of the key path: equal ones of two places in the source are two objects.
    private let known = Mutex<[ObjectIdentifier: Place]>([:])

    /// nil for a key path that is no attribute of the class itself.
    func place(of path: AnyKeyPath, in context: ModelContext) -> Place? {
        let key = ObjectIdentifier(path)
        if let known = known.withLock({ $0[key] }) { return known }
        guard let type = type(of: path).rootType as? any PersistentModel.Type, let name = ModelKeyPaths.name(of: path),
            let entity = context.container.schemaModel.entity(of: type),
            let layout = context.below.layout(of: entity), let slot = layout.slot(name)
        else { return nil }
        let place = Place(path: path, root: ObjectIdentifier(type), layout: layout, slot: slot)
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[key] = place
        }
        return place
    }
}
