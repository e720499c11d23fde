// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates the expressions of a mapping model: prepared once, evaluated for each object.

import CoreDataFoundation
import Foundation

/// The expressions of one migration.
///
/// `$source` becomes the evaluated object, so that an expression is compiled once for all objects. Only expressions
/// with `$destination` are compiled for each object.
final class MappingExpressions {
    /// An expression with the variables of its mapping.
    private struct Prepared {
        /// A policy may replace the expression of a mapping during the migration.
        let original: NSExpression
        let policy: NSEntityMigrationPolicy
        let expression: ReadyExpression
    }

    /// An expression that can be carried out without evaluation, or the fact that it cannot.
    private final class Plain {
        /// A policy may replace the expression of a mapping during the migration.
        let original: NSExpression
        let copy: PlainCopy?
        let followed: String?

        init(_ original: NSExpression, copy: PlainCopy? = nil, followed: String? = nil) {
            (self.original, self.copy, self.followed) = (original, copy, followed)
        }
    }

    private unowned let manager: NSMigrationManager
    private var prepared: [ObjectIdentifier: Prepared] = [:]
    private var plain: [ObjectIdentifier: Plain] = [:]
    /// A subclass may override functions.
    private let hasPlainManager: Bool

    init(_ manager: NSMigrationManager) {
        self.manager = manager
        hasPlainManager = type(of: manager) == NSMigrationManager.self
    }

    // MARK: Plain expressions

    /// Copies an attribute from slot to slot.
    ///
    /// - Returns: false for any other expression, which then has no effect.
    func copy(
        _ property: NSPropertyMapping, _ expression: NSExpression, _ name: String, _ source: NSManagedObject,
        _ destination: NSManagedObject
    ) -> Bool {
        let known = plain(property, expression) {
            Plain(
                expression,
                copy: PlainCopy(expression.syntax, name, source.table.layout, destination.table.layout))
        }
        return known.copy?.run(source, destination) ?? false
    }

    /// The key of the relationship whose destinations in the other store are requested; nil for any other expression.
    func followedKey(_ property: NSPropertyMapping, _ expression: NSExpression, _ source: NSManagedObject) -> String? {
        guard hasPlainManager else { return nil }
        let known = plain(property, expression) {
            Plain(expression, followed: expression.syntax.followedKey)
        }
        return known.followed.flatMap { source.entity.relationshipsByName[$0] == nil ? nil : $0 }
    }

    private func plain(_ property: NSPropertyMapping, _ expression: NSExpression, _ make: () -> Plain) -> Plain {
        if let known = plain[ObjectIdentifier(property)], known.original === expression { return known }
        let made = make()
        plain[ObjectIdentifier(property)] = made
        return made
    }

    // MARK: All expressions

    /// The value for one pair of objects; nil for null.
    ///
    /// - Parameter source: nil for an object without a source object; `$source` is then null.
    /// - Throws: 134110 with `entity`, `property` and `reason`; the error of a function.
    func value(
        of property: NSPropertyMapping, _ expression: NSExpression, in mapping: NSEntityMapping,
        source: NSManagedObject?, destination: NSManagedObject, policy: NSEntityMigrationPolicy
    ) throws -> Any? {
        do {
            if let known = prepared[ObjectIdentifier(property)], known.original === expression, known.policy === policy
            {
                return presentValue(try known.expression.value(of: source))
            }
            let syntax = expression.syntax.withPlainReads
            try SourceKeyCheck(source: source?.entity, destination: destination.entity).check(syntax)
            var variables = variables(mapping, policy)
            variables[NSMigrationPropertyMappingKey] = property
            if syntax.names(NSMigrationDestinationObjectKey) {
                variables[NSMigrationSourceObjectKey] = source ?? NSNull()
                variables[NSMigrationDestinationObjectKey] = destination
                return presentValue(try ExpressionEvaluator.value(of: syntax, object: source, variables: variables))
            }
            let ready = try ReadyExpression(syntax.withSourceAsObject, variables: variables)
            prepared[ObjectIdentifier(property)] = Prepared(original: expression, policy: policy, expression: ready)
            return presentValue(try ready.value(of: source))
        } catch let error where !error.isComplete {
            throw CoreDataError.unmappable(
                entity: destination.entity.name, property: property.name,
                reason: "The expression '\(expression)' has no value: \(error)", underlying: error,
                isOfMapping: error is KeyValueError)
        }
    }

    /// The value of the source expression of an entity mapping.
    ///
    /// - Throws: 134110 with `entity` and `reason`; the error of a function or a fetch.
    func value(of syntax: ExpressionSyntax, in mapping: NSEntityMapping, policy: NSEntityMigrationPolicy) throws -> Any?
    {
        do {
            return presentValue(
                try ExpressionEvaluator.value(of: syntax, object: nil, variables: variables(mapping, policy)))
        } catch let error where !error.isComplete {
            throw CoreDataError.unmappable(
                entity: mapping.sourceEntityName,
                reason: "The source expression of '\(mapping.name ?? "")' has no value: \(error)", underlying: error)
        }
    }

    private func variables(_ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy) -> [String: Any] {
        [
            NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping, NSMigrationEntityPolicyKey: policy,
        ]
    }
}

extension Error {
    /// Whether the error needs no further details, like those of functions, policies and stores.
    fileprivate var isComplete: Bool {
        // Every error casts to `NSError`, so the type is compared.
        (Swift.type(of: self) as Any.Type) is NSError.Type || self is CocoaError
    }
}

extension ExpressionSyntax {
    /// Rewrites `FUNCTION(x, "valueForKey:", "name")` as `x.name`.
    fileprivate var withPlainReads: ExpressionSyntax {
        replacingExpressions { part in
            guard case .function(PredicateFunctions.call, let arguments) = part, arguments.count == 3,
                case .constant(let selector as String) = arguments[1],
                ["valueForKey:", "valueForKeyPath:"].contains(selector),
                case .constant(let path as String) = arguments[2], !path.isEmpty
            else { return nil }
            return PredicateParser.path(path, on: arguments[0].withPlainReads)
        }
    }

    fileprivate var withSourceAsObject: ExpressionSyntax {
        replacingExpressions { part in
            if case .variable(NSMigrationSourceObjectKey) = part { return .evaluatedObject }
            return nil
        }
    }

    fileprivate func names(_ variable: String) -> Bool {
        var found = false
        visitExpressions { part in
            if case .variable(variable) = part { found = true }
            if case .subquery(_, _, let predicate) = part, predicate.variables.contains(variable) { found = true }
        }
        return found
    }
}

/// Finds keys in an expression that the objects do not have: reading such a key would stop the program.
private struct SourceKeyCheck {
    let source: NSEntityDescription?
    let destination: NSEntityDescription

    /// - Throws: `KeyValueError.unknownKey`.
    func check(_ syntax: ExpressionSyntax) throws {
        try syntax.visitExpressions { part in
            switch part {
            case .keyPathOn(.variable(NSMigrationSourceObjectKey), let path):
                if let source { try check(path, [source]) }
            case .keyPathOn(.variable(NSMigrationDestinationObjectKey), let path): try check(path, [destination])
            default: break
            }
        }
    }

    private func check(_ path: String, _ start: [NSEntityDescription]) throws {
        var entities = start
        for key in path.split(separator: ".").map(String.init) {
            // Keys after an operator or a value are checked when they are read.
            if key.hasPrefix("@") || entities.isEmpty { return }
            if ["self", "objectID", "entity"].contains(key) { return }
            let found = entities.compactMap { $0.propertiesByName[key] }
            guard !found.isEmpty else {
                throw KeyValueError.unknownKey(key, type: entities[0].name ?? "")
            }
            entities = found.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity }.flatMap(\.family)
        }
    }
}

extension NSEntityDescription {
    /// The entity and all its subentities, at any depth.
    fileprivate var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }
}
