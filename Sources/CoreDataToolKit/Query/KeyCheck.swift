// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds unknown keys in a query before it is run.

package import CoreData
import CoreDataFoundation
import Foundation

/// Checks key paths against entities.
package enum KeyCheck {
    /// The properties at the steps of a key path.
    ///
    /// - Throws: an error with the names of the existing keys.
    @discardableResult
    package static func properties(_ path: String, of entity: NSEntityDescription) throws -> [NSPropertyDescription] {
        var current: NSEntityDescription? = entity
        var elements: [NSAttributeDescription]?
        var result: [NSPropertyDescription] = []
        let steps = path.split(separator: ".", omittingEmptySubsequences: false)
        for (position, name) in steps.enumerated() where name.hasPrefix("@") {
            try checkOperator(String(name), at: position, of: steps.map(String.init), in: path)
        }
        for step in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            if step.hasPrefix("@") {
                if step == "@count" { break }
                continue
            }
            if step == "objectID", let entity = current, entity.propertiesByName[step] == nil, path.hasSuffix(step) {
                break
            }
            if let found = elements?.first(where: { $0.name == step }) {
                elements = (found as? NSCompositeAttributeDescription)?.elements
                result.append(found)
            } else if let property = current?.propertiesByName[step] {
                current = (property as? NSRelationshipDescription)?.destinationEntity
                elements = (property as? NSCompositeAttributeDescription)?.elements
                result.append(property)
            } else {
                throw UnknownKey(
                    key: step, owner: current?.name ?? result.last?.name ?? "", known: known(current, elements))
            }
        }
        return result
    }

    private static let operators = ["@count", "@sum", "@avg", "@min", "@max"]
    private static let unions = [
        "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays", "@distinctUnionOfArrays", "@unionOfSets",
        "@distinctUnionOfSets",
    ]

    private static func checkOperator(_ name: String, at position: Int, of steps: [String], in path: String) throws {
        guard (operators + unions).contains(name) else {
            throw ToolError("There is no operator '\(name)'; there are: \((operators + unions).list).")
        }
        guard name == "@count" || position + 1 < steps.count else {
            throw ToolError(
                "'\(path)' lacks the attribute that '\(name)' is computed of: write '\(path).price' or the like.")
        }
    }

    /// - Throws: as for a path in a string.
    static func properties(_ path: ArraySlice<String>, of entity: NSEntityDescription) throws -> [NSPropertyDescription]
    {
        try properties(path.joined(separator: "."), of: entity)
    }

    static func withoutSelf(_ path: String) -> String {
        path.hasPrefix("self.") || path.hasPrefix("SELF.") ? String(path.dropFirst(5)) : path
    }

    /// - Throws: a `ToolError` that marks the position in the text.
    static func check(_ predicate: PredicateSyntax, format: String, entity: NSEntityDescription) throws {
        guard let (error, offset) = try unknownKey(in: predicate, format: format, entity: entity) else { return }
        throw ToolError(
            "\(PredicateFormatError(error.sentence, format: format, offset: offset))\n\(error.knownSentence)")
    }

    /// The first unknown key of a predicate with its position in the text, in Unicode scalars; nil if all are known.
    static func unknownKey(in predicate: PredicateSyntax, format: String, entity: NSEntityDescription) throws
        -> (error: UnknownKey, offset: Int)?
    {
        do {
            try PredicateKeys { try properties($0, of: entity) }.visit(predicate)
            return nil
        } catch let error as UnknownKey {
            return (error, offset(of: error.key, in: format))
        }
    }

    private static func known(_ entity: NSEntityDescription?, _ elements: [NSAttributeDescription]?) -> [String] {
        elements?.map(\.name) ?? entity?.propertiesByName.keys.sorted() ?? []
    }

    /// The position of a key as a whole word, in Unicode scalars; 0 if it does not occur.
    private static func offset(of key: String, in format: String) -> Int {
        let text = Array(format.unicodeScalars)
        let word = Array(key.unicodeScalars)
        func isPart(_ position: Int) -> Bool {
            text.indices.contains(position)
                && (text[position].properties.isAlphabetic || text[position] == "_"
                    || ("0"..."9").contains(text[position]))
        }
        guard !word.isEmpty, text.count >= word.count else { return 0 }
        for start in 0...(text.count - word.count)
        where Array(text[start..<(start + word.count)]) == word && !isPart(start - 1) && !isPart(start + word.count) {
            return start
        }
        return 0
    }
}

/// An unknown key.
struct UnknownKey: Error, CustomStringConvertible {
    var key: String
    var owner: String
    var known: [String]

    var sentence: String {
        known.isEmpty ? "'\(owner)' has no keys, and so no '\(key)'." : "There is no key '\(key)' in \(owner)."
    }
    var knownSentence: String { known.isEmpty ? "" : "Its keys: \(known.list)" }
    var description: String { "\(sentence) \(knownSentence)" }
}

/// Visits the key paths that a predicate reads from the evaluated object.
private struct PredicateKeys {
    let check: (String) throws -> Void

    func visit(_ predicate: PredicateSyntax) throws {
        switch predicate {
        case .constant, .block: return
        case .comparison(let comparison):
            try visit(comparison.left)
            try visit(comparison.right)
        case .and(let parts), .or(let parts): try parts.forEach(visit)
        case .not(let part): try visit(part)
        }
    }

    private func visit(_ expression: ExpressionSyntax) throws {
        switch expression {
        case .keyPath(let path):
            try check(KeyCheck.withoutSelf(path))
        case .keyPathOn(.evaluatedObject, let path): try check(path)
        case .function(_, let arguments), .block(_, let arguments), .aggregate(let arguments):
            try arguments.forEach(visit)
        case .subquery(let collection, _, _): try visit(collection)
        case .setOperation(_, let one, let other):
            try visit(one)
            try visit(other)
        case .conditional(let condition, let one, let other):
            try visit(condition)
            try visit(one)
            try visit(other)
        case .index(let collection, _): try visit(collection)
        default: return
        }
    }
}
