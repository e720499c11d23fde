// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on collections of values and on subclasses, which no store can evaluate. SwiftData-P4, P6.

import CoreDataFoundation
import Foundation
import PredicateLanguage

/// The properties in a predicate that no store compares: those with collections of values, and those of classes that it
/// casts to.
struct UnsupportedProperties {
    private(set) var names: Set<String> = []
    private var classes: Set<ObjectIdentifier> = []

    mutating func note(_ name: String, _ path: AnyKeyPath, isCollection: Bool) {
        let isCast = classes.contains(ObjectIdentifier(Swift.type(of: path).rootType))
        guard isCollection || isCast, let last = name.split(separator: ".").last else { return }
        names.insert(String(last))
    }

    /// Notes a class that the predicate casts to, or tests for.
    mutating func note(class type: any PersistentModel.Type) { classes.insert(ObjectIdentifier(type)) }
}

/// Gives stores the other conditions, and evaluates the whole predicate on the models that these leave.
struct CollectionConditions<T: PersistentModel> {
    let predicate: Predicate<T>
    let collections: UnsupportedProperties

    /// - Parameter converted: the predicate in the form for stores.
    func split(_ converted: NSPredicate) -> NSPredicate {
        let predicate = predicate
        let code = PredicateBlock { object, _ in
            guard let model = (object as? ModelRow)?.model(as: T.self) else { return false }
            // As in a store, a predicate that unwraps nil does not match.
            return (try? predicate.evaluate(model)) ?? false
        }
        let answered = converted.syntax.conjuncts.filter { !usesCollection($0) }
        return PredicateSyntax.and(answered + [.block(code)]).predicate
    }

    private func usesCollection(_ part: PredicateSyntax) -> Bool {
        var found = false
        part.visitExpressions { expression in
            switch expression {
            case .keyPath(let path), .keyPathOn(_, let path):
                found = found || path.split(separator: ".").contains { collections.names.contains(String($0)) }
            default: break
            }
        }
        return found
    }
}
