// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Encodes predicates and expressions in keyed archives, and decodes them.

import Foundation

/// The keys are those of Apple's classes. Closures cannot be archived, as on Darwin: encoding one traps.
struct PredicateArchive {
    private let coder: NSCoder

    init(_ coder: NSCoder) { self.coder = coder }

    /// The limit for archives from unknown sources; deeper ones would overflow the stack. Equal to the limit for texts.
    static let maximumDepth = PredicateParser.maximumDepth + PredicateParser.maximumOperators
    private static let depthKey = "OpenCoreData.PredicateArchive.depth"

    /// - Returns: nil, with the coder's error set, beyond the depth limit.
    static func nested<Part>(_ coder: NSCoder, _ body: (PredicateArchive) -> Part?) -> Part? {
        let thread = Thread.current.threadDictionary
        let depth = thread[depthKey] as? Int ?? 0
        guard depth < maximumDepth else {
            coder.failWithError(
                CocoaError(
                    .coderReadCorrupt,
                    userInfo: [
                        NSDebugDescriptionErrorKey: "The predicate is nested deeper than \(maximumDepth) levels."
                    ]))
            return nil
        }
        thread[depthKey] = depth + 1
        defer { thread[depthKey] = depth }
        return body(PredicateArchive(coder))
    }

    // MARK: Writing

    /// Traps beyond the depth limit, because the archive would be unreadable.
    static func writing(_ coder: NSCoder, _ body: (PredicateArchive) -> Void) {
        let thread = Thread.current.threadDictionary
        let depth = thread[depthKey] as? Int ?? 0
        precondition(depth < maximumDepth, "A predicate deeper than \(maximumDepth) levels cannot be archived.")
        thread[depthKey] = depth + 1
        defer { thread[depthKey] = depth }
        body(PredicateArchive(coder))
    }

    func write(_ syntax: ExpressionSyntax) {
        // Lists are encoded member by member, because they equal lists of constants.
        if case .constant(let value) = syntax, let list = presentValue(value) as? any ValueCollection {
            return write(.aggregate(list.members.map { .constant(presentValue($0)) }))
        }
        coder.encode(Int(syntax.type.rawValue), forKey: "NSExpressionType")
        switch syntax {
        case .constant(let value): write(value)
        case .evaluatedObject, .anyKey: break
        case .variable(let name): write(name, "NSVariable")
        case .keyPath(let path): write(path, "NSKeyPath")
        case .keyPathOn(let operand, let path):
            write(path, "NSKeyPath")
            write(operand, "NSOperand")
        case .function(let name, let arguments):
            write(name, "NSSelectorName")
            write(arguments, "NSArguments")
        case .aggregate(let members): write(members, "NSCollection")
        case .subquery(let collection, let variable, let predicate):
            write(collection, "NSCollection")
            write(variable, "NSVariable")
            write(predicate, "NSPredicate")
        case .setOperation(_, let left, let right):
            write(left, "NSLeftExpression")
            write(right, "NSRightExpression")
        case .conditional(let predicate, let first, let second):
            write(predicate, "NSPredicate")
            write(first, "NSTrueExpression")
            write(second, "NSFalseExpression")
        case .index:
            write(PredicateFunctions.element, "NSSelectorName")
            write(NSExpression(syntax).arguments?.map(\.syntax) ?? [], "NSArguments")
        case .block: preconditionFailure("'\(syntax)' is code, which cannot be archived.")
        }
    }

    func write(_ comparison: ComparisonSyntax) {
        precondition(comparison.match == nil, "'\(comparison)' is code, which cannot be archived.")
        coder.encode(Int(comparison.operation.rawValue), forKey: "NSOperatorType")
        coder.encode(Int(comparison.modifier.rawValue), forKey: "NSModifier")
        coder.encode(Int(comparison.options.rawValue), forKey: "NSOptions")
        write(comparison.left, "NSLeftExpression")
        write(comparison.right, "NSRightExpression")
    }

    private func write(_ expression: ExpressionSyntax, _ key: String) {
        coder.encode(NSExpression(expression), forKey: key)
    }

    func write(_ predicates: [NSPredicate], _ key: String) {
        coder.encode(NSArray(array: predicates.map(Self.archivable)), forKey: key)
    }

    private func write(_ text: String, _ key: String) { coder.encode(text as NSString, forKey: key) }

    private func write(_ expressions: [ExpressionSyntax], _ key: String) {
        coder.encode(NSArray(array: expressions.map { NSExpression($0) }), forKey: key)
    }

    private func write(_ predicate: PredicateSyntax, _ key: String) {
        coder.encode(Self.archivable(predicate.predicate), forKey: key)
    }

    private static func archivable(_ predicate: NSPredicate) -> NSPredicate {
        let copy = predicate.faithfulCopy
        precondition(copy is any NSSecureCoding, "'\(predicate)' is code, which cannot be archived.")
        return copy
    }

    private func write(_ constant: Any?) {
        guard let value = presentValue(constant) else { return }
        // As text: the archiver hashes its objects, and hashing an `NSDecimalNumber` overflows the stack.
        if case .decimal(let number) = ComparableValue(value) { return write(number.description, "NSDecimalValue") }
        guard let object = ArchivedConstant.object(for: value) else {
            preconditionFailure("A constant of type \(type(of: value)) cannot be archived.")
        }
        coder.encode(object, forKey: "NSConstantValue")
    }

    // MARK: Reading

    /// - Returns: nil if a part is missing or invalid.
    func syntax() -> ExpressionSyntax? {
        guard let type = number("NSExpressionType").flatMap(NSExpression.ExpressionType.init) else { return nil }
        switch type {
        case .constantValue: return .constant(constant())
        case .evaluatedObject: return .evaluatedObject
        case .anyKey: return .anyKey
        case .variable: return text("NSVariable").map { .variable($0) }
        case .keyPath: return keyPath()
        case .function, .fetchRequest: return function()
        case .aggregate: return expressions("NSCollection").map { .aggregate($0) }
        case .subquery: return subquery()
        case .unionSet: return setOperation(.union)
        case .intersectSet: return setOperation(.intersection)
        case .minusSet: return setOperation(.minus)
        case .conditional: return conditional()
        case .block: return nil
        }
    }

    /// - Returns: nil if a part is missing or invalid.
    func comparison() -> ComparisonSyntax? {
        guard let operation = number("NSOperatorType").flatMap(ComparisonSyntax.Operator.init), operation != .custom,
            let modifier = number("NSModifier").flatMap(ComparisonSyntax.Modifier.init),
            let options = number("NSOptions"), options < 16,
            let left = expression("NSLeftExpression"), let right = expression("NSRightExpression")
        else { return nil }
        return ComparisonSyntax(
            left, operation, right, modifier: modifier, options: ComparisonSyntax.Options(rawValue: options))
    }

    private func number(_ key: String) -> UInt? {
        coder.containsValue(forKey: key) ? UInt(exactly: coder.decodeInteger(forKey: key)) : nil
    }

    private func expression(_ key: String) -> ExpressionSyntax? {
        coder.decodeObject(of: NSExpression.self, forKey: key)?.syntax
    }

    func predicates(_ key: String) -> [NSPredicate]? {
        coder.decodeObject(of: [NSArray.self] + Self.predicateClasses, forKey: key) as? [NSPredicate]
    }

    private static let predicateClasses: [AnyClass] = [
        NSComparisonPredicate.self, CompoundPredicate.self, ConstantPredicate.self,
    ]

    private func text(_ key: String) -> String? { coder.decodeObject(of: NSString.self, forKey: key).map(String.init) }

    private func expressions(_ key: String) -> [ExpressionSyntax]? {
        (coder.decodeObject(of: [NSArray.self, NSExpression.self], forKey: key) as? [NSExpression])?.map(\.syntax)
    }

    private func predicate() -> PredicateSyntax? {
        (coder.decodeObject(of: Self.predicateClasses, forKey: "NSPredicate") as? NSPredicate)?.syntax
    }

    private func constant() -> Any? {
        if coder.containsValue(forKey: "NSDecimalValue") {
            return text("NSDecimalValue").flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
        }
        guard coder.containsValue(forKey: "NSConstantValue") else { return nil }
        return coder.decodeObject(of: ArchivedConstant.classes, forKey: "NSConstantValue")
    }

    private func keyPath() -> ExpressionSyntax? {
        guard let path = text("NSKeyPath") else { return nil }
        guard coder.containsValue(forKey: "NSOperand") else { return .keyPath(path) }
        return expression("NSOperand").map { .keyPathOn($0, path) }
    }

    private func function() -> ExpressionSyntax? {
        guard let name = text("NSSelectorName"), let arguments = expressions("NSArguments") else { return nil }
        return .calling(name, arguments)
    }

    private func subquery() -> ExpressionSyntax? {
        guard let collection = expression("NSCollection"), let variable = text("NSVariable"),
            let predicate = predicate()
        else { return nil }
        return .subquery(collection: collection, variable: variable, predicate: predicate)
    }

    private func setOperation(_ operation: ExpressionSyntax.SetOperation) -> ExpressionSyntax? {
        guard let left = expression("NSLeftExpression"), let right = expression("NSRightExpression") else { return nil }
        return .setOperation(operation, left, right)
    }

    private func conditional() -> ExpressionSyntax? {
        guard let predicate = predicate(), let first = expression("NSTrueExpression"),
            let second = expression("NSFalseExpression")
        else { return nil }
        return .conditional(predicate, first, second)
    }
}

/// Converts constants to archivable objects.
private enum ArchivedConstant {
    static let classes: [AnyClass] = [
        NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self, NSNull.self, NSArray.self,
        NSDictionary.self,
    ]

    /// nil for a value without an archivable counterpart.
    static func object(for value: Any) -> NSObject? {
        switch ComparableValue(value) {
        case .null: NSNull()
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal: nil
        case .string(let value): NSString(string: value)
        case .date(let value): value as NSDate
        case .uuid(let value): value as NSUUID
        case .url(let value): value as NSURL
        case .data(let value): value as NSData
        case .object(let value): collection(value)
        case .other(let value): collection(value)
        }
    }

    private static func collection(_ value: Any) -> NSObject? {
        if let list = value as? any ValueCollection {
            let members = list.members.compactMap(object)
            guard members.count == list.memberCount else { return nil }
            return NSArray(array: members)
        }
        guard let dictionary = value as? any ValueDictionary else { return nil }
        let copy = NSMutableDictionary()
        for (key, value) in dictionary.entries {
            guard let key = key.base as? String, let value = object(for: value) else { return nil }
            copy[NSString(string: key)] = value
        }
        return copy
    }
}
