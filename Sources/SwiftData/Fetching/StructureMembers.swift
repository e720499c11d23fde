// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the members of structures at the end of key paths that begin at a model: `\Book.address?.city`.

import Foundation

enum StructureMembers {
    /// A key path spells its stored members. Each has to be a member of the structure.
    ///
    /// - Parameters:
    ///   - count: the number of words of the key path up to the structure.
    ///   - type: of the structure.
    /// - Returns: ["city"]; nil where the key path ends in something else than a stored member.
    static func names(of path: AnyKeyPath, after count: Int, in type: any Any.Type) -> [String]? {
        let words = "\(path)".split(separator: ".").map { $0.filter { $0 != "?" && $0 != "!" } }
        guard words.count > count else { return nil }
        var (form, last) = (ValueForms.form(of: type), type)
        for word in words[count...] {
            guard case .structure(let leaves) = form, let leaf = leaves.first(where: { $0.name == word }) else {
                return nil
            }
            (form, last) = (leaf.form, leaf.type)
        }
        guard ValueForms.unwrapped(last) == ValueForms.unwrapped(Swift.type(of: path).valueType) else { return nil }
        return Array(words[count...])
    }
}
