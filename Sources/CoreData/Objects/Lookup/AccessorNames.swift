// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the property for a key of key-value coding that is spelled differently, by the names of its accessors.

/// Key-value coding asks for accessors by name, and the accessors of `date` are `date` and `setDate:`. So it sets
/// `date` by the key "Date", and it reads and sets `isDone` by the key "done".
///
/// - Source: Key-Value Coding Programming Guide, "Accessor Search Patterns": getters `get<Key>`, `<key>`, `is<Key>`,
///   `_<key>`; setter `set<Key>:`. A setter of `isDone` by the key "done" is an assumption.
enum AccessorNames {
    /// The property with the getter that a key refers to, or nil.
    static func getter(of key: String, in layout: EntityLayout) -> String? {
        let capitalized = key.capitalizedFirst
        return ["get\(capitalized)", "is\(capitalized)", "_\(key)"].first { layout.slotNumbers[$0] != nil }
    }

    /// The property with the setter that a key refers to, or nil.
    static func setter(of key: String, in layout: EntityLayout) -> String? {
        [key.uncapitalizedFirst, key.capitalizedFirst, "is\(key.capitalizedFirst)"]
            .first { layout.slotNumbers[$0] != nil }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
    fileprivate var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }
}
