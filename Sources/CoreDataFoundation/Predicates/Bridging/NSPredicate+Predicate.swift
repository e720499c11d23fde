// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes predicates, expressions and sort descriptors of Foundation's typed ones, such as `#Predicate` writes.

public import Foundation

/// Why a typed predicate or expression has no counterpart in the format language.
public enum PredicateConversionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An operation that the language lacks, by Foundation's name.
    case unsupportedOperation(String)
    /// A key path whose names nobody knows: of a class that is in no model in use, or of a property that is in none.
    case unnamedKeyPath(String)

    public var description: String {
        switch self {
        case .unsupportedOperation(let name): "\(name) of a typed predicate cannot be said in the format language."
        case .unnamedKeyPath(let path):
            "The key path \(path) stands for no known names. Use properties of a model. Where the accessors of the class "
                + "are written by hand, make a coordinator or a container with the model first."
        }
    }
}

extension NSPredicate {
    /// Says in the format language what a typed predicate says, so that stores can translate it.
    ///
    /// - Throws: an error that names the operation or the key path which cannot be said.
    public static func converting<Input>(
        _ predicate: Foundation.Predicate<Input>
    ) throws(PredicateConversionError) -> NSPredicate {
        try PredicateConversion.syntax(of: predicate).predicate
    }
}

extension PredicateParsing where Self: NSPredicate {
    /// Says in the format language what a typed predicate says; nil where it cannot. `NSPredicate.converting(_:)` tells
    /// why.
    public init?<Input>(_ predicate: Foundation.Predicate<Input>) {
        guard let converted = try? NSPredicate.converting(predicate) as? Self else { return nil }
        self = converted
    }
}

extension NSExpression {
    /// Says in the format language what a typed expression says, so that stores can translate it.
    ///
    /// - Throws: an error that names the operation or the key path which cannot be said.
    public static func converting<Input, Output>(
        _ expression: Foundation.Expression<Input, Output>
    ) throws(PredicateConversionError) -> NSExpression {
        NSExpression(try PredicateConversion.syntax(of: expression))
    }

    /// Says in the format language what a typed expression says; nil where it cannot.
    public convenience init?<Input, Output>(_ expression: Foundation.Expression<Input, Output>) {
        guard let syntax = try? PredicateConversion.syntax(of: expression) else { return nil }
        self.init(syntax)
    }

    /// The value at a typed key path of the evaluated object. Traps when its names are not known.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        guard let name = KeyPathNames.name(of: keyPath) else {
            preconditionFailure(PredicateConversionError.unnamedKeyPath("\(keyPath)").description)
        }
        self.init(.keyPath(name))
    }
}

extension SortDescriptorMaking where Self: NSSortDescriptor {
    /// Sorts as a typed descriptor does. A store can do so where the key path's names are known.
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
            // The typed descriptor's own direction is in what it answers.
            self.init(nil, ascending: true, order: .code(code))
            return
        }
        self.init(name, ascending: typed.order == .forward, order: .comparison(.standard))
    }
}
