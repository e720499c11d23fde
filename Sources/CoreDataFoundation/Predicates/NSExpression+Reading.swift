// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of expressions. Reading a part that the kind of expression lacks traps; on Darwin it raises an exception.

public import Foundation

extension NSExpression {
    /// The value of a constant; nil represents NULL.
    public var constantValue: Any? {
        guard case .constant(let value) = syntax else { return missing("constantValue") }
        return value
    }

    /// The path of a key path expression, relative to its operand.
    public var keyPath: String {
        switch syntax {
        case .keyPath(let path), .keyPathOn(_, let path): path
        default: missing("keyPath")
        }
    }

    /// The name of a variable, without the dollar sign.
    public var variable: String {
        switch syntax {
        case .variable(let name), .subquery(_, let name, _): name
        default: missing("variable")
        }
    }

    /// The selector name of a function.
    public var function: String {
        switch syntax {
        case .function(PredicateFunctions.call, let arguments):
            guard arguments.count > 1, case .constant(let name as String) = arguments[1] else {
                return missing("function")
            }
            return name
        case .function(let name, _): return name
        case .index: return PredicateFunctions.element
        default: return missing("function")
        }
    }

    /// The receiver of a key path or a method call.
    public var operand: NSExpression {
        switch syntax {
        case .keyPath: return NSExpression(.evaluatedObject)
        case .keyPathOn(let operand, _): return NSExpression(operand)
        case .function(PredicateFunctions.call, let arguments):
            guard let operand = arguments.first else { return missing("operand") }
            return NSExpression(operand)
        default: return missing("operand")
        }
    }

    /// The arguments of a function or a block; nil if it has none.
    public var arguments: [NSExpression]? {
        switch syntax {
        case .function(PredicateFunctions.call, let arguments): arguments.dropFirst(2).map { NSExpression($0) }
        case .function(_, let arguments), .block(_, let arguments): arguments.map { NSExpression($0) }
        case .index(let operand, .at(let index)): [NSExpression(operand), NSExpression(index)]
        case .index(let operand, .first): [NSExpression(operand), NSExpression(.constant("FIRST"))]
        case .index(let operand, .last): [NSExpression(operand), NSExpression(.constant("LAST"))]
        case .index(let operand, .size): [NSExpression(operand), NSExpression(.constant("SIZE"))]
        default: missing("arguments")
        }
    }

    /// The members of an aggregate, as an array of expressions, or the collection of a subquery.
    public var collection: Any {
        switch syntax {
        case .aggregate(let members): members.map { NSExpression($0) }
        case .subquery(let collection, _, _): NSExpression(collection)
        case .constant(let value?): value
        default: missing("collection")
        }
    }

    /// The predicate of a subquery or a conditional expression.
    public var predicate: NSPredicate {
        switch syntax {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate.predicate
        default: missing("predicate")
        }
    }

    /// The left side of a set operation.
    public var left: NSExpression {
        guard case .setOperation(_, let left, _) = syntax else { return missing("left") }
        return NSExpression(left)
    }

    /// The right side of a set operation.
    public var right: NSExpression {
        guard case .setOperation(_, _, let right) = syntax else { return missing("right") }
        return NSExpression(right)
    }

    /// The first value of a conditional expression.
    public var `true`: NSExpression {
        guard case .conditional(_, let first, _) = syntax else { return missing("true") }
        return NSExpression(first)
    }

    /// The second value of a conditional expression.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let second) = syntax else { return missing("false") }
        return NSExpression(second)
    }

    /// The closure of a block expression.
    public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any? {
        guard case .block(let block, _) = syntax else { return missing("expressionBlock") }
        return block.value
    }

    private func missing<Part>(_ part: String) -> Part {
        preconditionFailure("'\(self)' has no \(part): ask for its expressionType (\(expressionType)) first.")
    }
}
