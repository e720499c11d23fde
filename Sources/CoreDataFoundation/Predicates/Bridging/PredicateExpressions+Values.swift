// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values of typed predicates: constants, variables, key paths and arithmetic.

import Foundation

extension PredicateExpressions.NilLiteral: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode { .value(.constant(nil)) }
}

extension PredicateExpressions.Variable: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .value(try conversion.value(ofVariable: key))
    }
}

extension PredicateExpressions.KeyPath: ConvertibleNode where Root: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let root = try conversion.value(of: root)
        // Before Foundation looks for a collection, which takes longer.
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
        return .call(function, try conversion.value(of: lhs), try conversion.value(of: rhs))
    }
}

extension PredicateExpressions.FloatDivision: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .call("divide:by:", try conversion.value(of: lhs), try conversion.value(of: rhs))
    }
}

extension PredicateExpressions.IntDivision: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .call("divide:by:", try conversion.value(of: lhs), try conversion.value(of: rhs))
    }
}

extension PredicateExpressions.IntRemainder: ConvertibleNode where LHS: ConvertibleNode, RHS: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .call("modulus:by:", try conversion.value(of: lhs), try conversion.value(of: rhs))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertibleNode where Wrapped: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let value = try conversion.value(of: wrapped)
        if case .constant(let value) = value, let number = Number(value) {
            return .value(.constant(Arithmetic.calculate(.subtract, .integer(0), number).value))
        }
        return .call("from:subtract:", .constant(0), value)
    }
}

extension PredicateExpressions.ForceCast: ConvertibleNode where Input: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode { try conversion.node(input) }
}
