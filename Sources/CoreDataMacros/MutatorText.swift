// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the methods that add and remove members of to-many relationships, with Xcode's names.

import SwiftSyntax
import SwiftSyntaxBuilder

enum MutatorText {
    static func members(_ property: ManagedProperty, of managed: ManagedClass) -> [DeclSyntax] {
        guard let element = property.elementType else { return [] }
        let name = property.name.prefix(1).uppercased() + property.name.dropFirst()
        let all = property.isOrdered ? ordered(property, name, element) : unordered(property, name, element)
        return all.filter { !managed.functions.contains($0.name) }
            .map { "\(raw: property.accessPrefix)func \(raw: $0.name)\(raw: $0.parameters) { \(raw: $0.body) }" }
    }

    private typealias Method = (name: String, parameters: String, body: String)

    private static func unordered(_ property: ManagedProperty, _ name: String, _ element: String) -> [Method] {
        shared("mutableSetValue(forKey: \(quoted(property.name)))", name, element, "Set<\(element)>")
    }

    private static func ordered(_ property: ManagedProperty, _ name: String, _ element: String) -> [Method] {
        let members = "mutableOrderedSetValue(forKey: \(quoted(property.name)))"
        return shared(members, name, element, "[\(element)]") + [
            ("insertInto\(name)", "(_ value: \(element), at idx: Int)", "\(members).insert(value, at: idx)"),
            ("removeFrom\(name)", "(at idx: Int)", "\(members).removeObject(at: idx)"),
            (
                "replace\(name)", "(at idx: Int, with value: \(element))",
                "\(members).replaceObject(at: idx, with: value)"
            ),
        ]
    }

    private static func shared(_ members: String, _ name: String, _ element: String, _ all: String) -> [Method] {
        [
            ("addTo\(name)", "(_ value: \(element))", "\(members).add(value)"),
            ("removeFrom\(name)", "(_ value: \(element))", "\(members).remove(value)"),
            (
                "addTo\(name)", "(_ values: \(all))",
                "let members = \(members); for value in values { members.add(value) }"
            ),
            (
                "removeFrom\(name)", "(_ values: \(all))",
                "let members = \(members); for value in values { members.remove(value) }"
            ),
        ]
    }
}
