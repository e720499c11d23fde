// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads one element of a collection.

enum IndexedElement {
    /// The element by index of an array, or by key of a dictionary; nil for a missing one.
    static func value(of collection: Any?, at index: Any?) throws -> Any? {
        if let dictionary = collection as? any ValueDictionary, let index {
            if case .decimal(let key) = ComparableValue(index) {
                return presentValue(dictionary.entry(AnyHashable(key)))
            }
            if let key = index as? AnyHashable { return presentValue(dictionary.entry(key)) }
        }
        guard let index = Number(index)?.integer else {
            throw PredicateEvaluationError.wrongArgument(
                function: "[]", type: index.map { String(describing: type(of: $0)) } ?? "nil")
        }
        return try pick(from: collection) { $0.indices.contains(Int(index)) ? $0[Int(index)] : nil }
    }

    static func pick(from value: Any?, _ pick: ([Any]) -> Any?) throws -> Any? {
        guard let value = presentValue(value) else { return nil }
        guard let members = members(of: value) else {
            throw PredicateEvaluationError.notACollection(
                operation: "an index", type: String(describing: type(of: value)))
        }
        return presentValue(pick(members))
    }
}
