// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The methods that add and remove members of to-many relationships, with Xcode's names.

struct ToManyMutators {
    let key: String
    let destination: String
    let isOrdered: Bool
    let style: GenerationOptions.Style

    /// Declarations without access modifier and `func`, each with its body.
    var methods: [(declaration: String, body: String)] {
        let name = SwiftNames.capitalized(key)
        let members =
            isOrdered
            ? (style == .xcode ? "NSOrderedSet" : "[\(destination)]")
            : (style == .xcode ? "NSSet" : "Set<\(destination)>")
        let shared = [
            ("addTo\(name)(_ value: \(destination))", Self.body(.add, key, isOrdered)),
            ("removeFrom\(name)(_ value: \(destination))", Self.body(.remove, key, isOrdered)),
            ("addTo\(name)(_ values: \(members))", Self.body(.addAll, key, isOrdered)),
            ("removeFrom\(name)(_ values: \(members))", Self.body(.removeAll, key, isOrdered)),
        ]
        guard isOrdered else { return shared }
        let indexes = style == .xcode ? "NSIndexSet" : "IndexSet"
        let kind: Action.Indexes = style == .xcode ? .object : .value
        return [
            ("insertInto\(name)(_ value: \(destination), at idx: Int)", Self.body(.insert, key, true)),
            ("removeFrom\(name)(at idx: Int)", Self.body(.removeAt, key, true)),
            (
                "insertInto\(name)(_ values: [\(destination)], at indexes: \(indexes))",
                Self.body(.insertAll(kind), key, true)
            ),
            ("removeFrom\(name)(at indexes: \(indexes))", Self.body(.removeAllAt(kind), key, true)),
            ("replace\(name)(at idx: Int, with value: \(destination))", Self.body(.replace, key, true)),
            (
                "replace\(name)(at indexes: \(indexes), with values: [\(destination)])",
                Self.body(.replaceAll(kind), key, true)
            ),
        ] + shared
    }

    enum Action: Equatable {
        enum Indexes { case object, value }
        case add, remove, addAll, removeAll
        case insert, removeAt, replace
        case insertAll(Indexes), removeAllAt(Indexes), replaceAll(Indexes)
    }

    /// A statement that uses `value`, `values`, `idx`, `indexes`.
    static func body(_ action: Action, _ key: String, _ isOrdered: Bool) -> String {
        let members = "\(isOrdered ? "mutableOrderedSetValue" : "mutableSetValue")(forKey: \(SwiftNames.quoted(key)))"
        func set(_ kind: Action.Indexes) -> String { kind == .object ? "indexes._bridgeToSwift()" : "indexes" }
        switch action {
        case .add: return "\(members).add(value)"
        case .remove: return "\(members).remove(value)"
        case .addAll:
            return "let members = \(members)\n        for value in values { members.add(value) }"
        case .removeAll:
            return "let members = \(members)\n        for value in values { members.remove(value) }"
        case .insert: return "\(members).insert(value, at: idx)"
        case .removeAt: return "\(members).removeObject(at: idx)"
        case .replace: return "\(members).replaceObject(at: idx, with: value)"
        case .insertAll(let kind): return "\(members).insert(values, at: \(set(kind)))"
        case .removeAllAt(let kind): return "\(members).removeObjects(at: \(set(kind)))"
        case .replaceAll(let kind): return "\(members).replaceObjects(at: \(set(kind)), with: values)"
        }
    }
}
