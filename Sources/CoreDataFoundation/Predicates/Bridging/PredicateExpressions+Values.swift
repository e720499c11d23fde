// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values of typed predicates: constants, variables, key paths and arithmetic.

import Foundation

extension PredicateExpressions.NilLiteral: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode { .value(.constant(nil)) }

    func captured(_ conversion: PredicateConversion) throws -> Output? { .some(nil) }
}

extension PredicateExpressions.Variable: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = conversion.capturedValue(of: self) { return .value(try conversion.constant(value)) }
        return .value(try conversion.value(ofVariable: key))
    }

    func captured(_ conversion: PredicateConversion) throws -> Output? { conversion.capturedValue(of: self) }
}

extension PredicateExpressions.Value: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(try conversion.constant(value))
    }

    func captured(_ conversion: PredicateConversion) throws -> Output? { value }
}

extension PredicateExpressions.KeyPath: ConvertibleNode where Root: ConvertibleNode {
    /// A member of a captured structure. Objects of `CoreData` are read by name when the predicate is prepared.
    func captured(_ conversion: PredicateConversion) throws -> Output? {
        guard let value = try root.captured(conversion), !(Root.Output.self is any KeyPathRoot.Type) else { return nil }
        return value[keyPath: keyPath]
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = try captured(conversion) { return .value(try conversion.constant(value)) }
        let root = try conversion.value(of: root)
        // Before Foundation tests for a collection, which takes longer.
        if let name = conversion.forms?.name(of: keyPath) { return .path(name, on: root) }
        let isText = Root.Output.self == String.self
        switch kind {
        case .collectionCount where isText: return .call("length:", root)
        case .collectionCount: return .value(PredicateParser.path("@count", on: root))
        case .collectionIsEmpty where isText: return .comparison(root, .equalTo, .constant(""))
        case .collectionIsEmpty: return .comparison(PredicateParser.path("@count", on: root), .equalTo, .constant(0))
        case .collectionFirst where !isText: return .value(.index(root, .first))
        case .bidirectionalCollectionLast where !isText: return .value(.index(root, .last))
        default: break
        }
        guard let name = KeyPathNames.name(of: keyPath) else {
            throw PredicateConversionError.unnamedKeyPath("\(keyPath)")
        }
        return .path(name, on: root)
    }
}

extension ConvertedNode {
    fileprivate static func path(_ name: String, on root: ExpressionSyntax) -> ConvertedNode {
        .value(name.isEmpty ? root : PredicateParser.path(name, on: root))
    }
}

extension PredicateExpressions.Arithmetic: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let function =
            switch op {
            case .add: "add:to:"
            case .subtract: "from:subtract:"
            case .multiply: "multiply:by:"
            @unknown default: throw PredicateConversion.unsupported(self)
            }
        return try .arithmetic(function, conversion.value(of: lhs), conversion.value(of: rhs), Output.self)
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try .arithmetic("divide:by:", conversion.value(of: lhs), conversion.value(of: rhs), Output.self)
    }
}

extension PredicateExpressions.IntDivision: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try .arithmetic("divide:by:", conversion.value(of: lhs), conversion.value(of: rhs), Output.self)
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try .arithmetic("modulus:by:", conversion.value(of: lhs), conversion.value(of: rhs), Output.self)
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleNode where Wrapped: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try .arithmetic("from:subtract:", .constant(0), conversion.value(of: wrapped), Output.self)
    }
}

extension PredicateExpressions.ForceCast: ConvertibleNode where Input: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode { try conversion.node(input) }
}
