// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates predicates, expressions and sort descriptors from Foundation's typed ones, for example from `#Predicate`.

public import Foundation

/// The reason why a typed predicate or expression cannot be converted to the format language.
public enum PredicateConversionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An operation that the format language lacks, with Foundation's name.
    case unsupportedOperation(String)
    /// A key path without names: its class is in no model in use, or its property is in no entity.
    case unnamedKeyPath(String)
    /// An unwrapped captured optional that is nil, or a missing member of a captured collection, with the type.
    case missingValue(String)

    /// A sentence that names the operation or the key path, with a remedy if there is one.
    public var description: String {
        switch self {
        case .unsupportedOperation(let name): "\(name) of a typed predicate cannot be said in the format language."
        case .unnamedKeyPath(let path):
            "The key path \(path) stands for no known names. Use properties of a model. Where the accessors of the class "
                + "are written by hand, make a coordinator or a container with the model first."
        case .missingValue(let value):
            "The typed predicate unwraps a captured value that is nil (\(value)): unwrap it before, or compare with the "
                + "optional itself."
        }
    }
}

extension NSPredicate {
    /// Converts a typed predicate to the format language, so that stores can translate it.
    ///
    /// - Throws: an error that names the operation or key path without counterpart.
    public static func converting<Input>(
        _ predicate: Foundation.Predicate<Input>
    ) throws(PredicateConversionError) -> NSPredicate {
        try PredicateConversion.syntax(of: predicate).predicate
    }
}

extension NSPredicate {
    /// - Parameter forms: describes types other than managed objects.
    package static func converting<Input>(
        _ predicate: Foundation.Predicate<Input>, forms: any TypedPredicateForms
    ) throws(PredicateConversionError) -> NSPredicate {
        try PredicateConversion.syntax(of: predicate, forms: forms).predicate
    }
}

extension PredicateParsing where Self: NSPredicate {
    /// Converts a typed predicate to the format language, so that stores can translate it; nil if that is impossible.
    ///
    /// The compiler checks the properties and the types of a `#Predicate`.
    ///
    /// ```swift
    /// let pinned = try await container.performBackgroundTask { context in
    ///     let request = Memo.fetchRequest()
    ///     request.predicate = NSPredicate(#Predicate<Memo> { $0.isPinned && $0.title.contains("oc") })
    ///     request.sortDescriptors = [NSSortDescriptor(keyPath: \Memo.title, ascending: true)]
    ///     return try context.fetch(request).map(\.title)
    /// }
    /// ```
    ///
    /// The result is nil for an operation that the format language lacks, for a key path without known names, and for a
    /// captured optional that is unwrapped and nil. `NSPredicate.converting(_:)` throws the reason as a
    /// `PredicateConversionError`: use it where a missing condition would give all objects.
    ///
    /// - Important: for a class with accessors by hand the names are known once a coordinator uses the model.
    /// - SeeAlso: `NSPredicate.converting(_:)`, `NSFetchRequest.predicate`.
    public init?<Input>(_ predicate: Foundation.Predicate<Input>) {
        guard let converted = try? NSPredicate.converting(predicate) as? Self else { return nil }
        self = converted
    }
}

extension NSExpression {
    /// Converts a typed expression to the format language, so that stores can translate it.
    ///
    /// - Throws: an error that names the operation or key path without counterpart.
    public static func converting<Input, Output>(
        _ expression: Foundation.Expression<Input, Output>
    ) throws(PredicateConversionError) -> NSExpression {
        NSExpression(try PredicateConversion.syntax(of: expression))
    }

    /// Converts a typed expression to the format language; nil if that is impossible.
    public convenience init?<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
        guard let syntax = try? PredicateConversion.syntax(of: expression) else { return nil }
        self.init(syntax)
    }

    /// The value at a typed key path of the evaluated object. Traps if the key path has no names.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        guard let name = KeyPathNames.name(of: keyPath) else {
            preconditionFailure(PredicateConversionError.unnamedKeyPath("\(keyPath)").description)
        }
        self.init(.keyPath(name))
    }
}

extension SortDescriptorMaking where Self: NSSortDescriptor {
    /// Sorts like a typed descriptor. A store can do so if the names of the key path are known.
    public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
        self = Self.made(KeySortDescriptor(sortDescriptor))
    }
}

extension KeySortDescriptor {
    fileprivate convenience init<Compared>(_ typed: SortDescriptor<Compared>) {
        guard let path = typed.keyPath, let name = KeyPathNames.name(of: path) else {
            let code = SortCode { left, right in
                guard let left = left as? Compared, let right = right as? Compared else {
                    preconditionFailure("A sort descriptor for \(Compared.self) cannot compare \(left) and \(right).")
                }
                return typed.compare(left, right)
            }
            // The comparison result already includes the descriptor's direction.
            self.init(nil, ascending: true, order: .code(code))
            return
        }
        self.init(name, ascending: typed.order == .forward, order: .comparison(.standard))
    }
}
