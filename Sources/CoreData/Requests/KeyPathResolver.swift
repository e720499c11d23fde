// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Looks up the names of a key path in a model: "department.employees.@count" as steps over slots.

import Foundation

/// One step of a key path over the model.
package struct PathStep: Equatable {
    /// The entity that the step starts at.
    package var layoutIndex: Int
    package var slot: Int
    /// The name of the element, if the slot is a composite.
    package var element: String?
}

/// A key path with every name looked up in the model.
package struct ResolvedKeyPath: Equatable {
    /// To-one and to-many relationships to follow, then the last property; the tail gives its meaning.
    package var steps: [PathStep]
    package var tail: Tail

    package enum Tail: Equatable {
        /// The value of the last step; the object itself if there are no steps or the last one is a relationship.
        case value
        /// The entity of the object at the end of the steps.
        case entity
        /// The number of members of the to-many relationship at the last step.
        case count
        /// An aggregate (`sum`, `avg`, `min`, `max` or a union operator) over a key path of the members at the last
        /// step.
        case collection(operation: String, steps: [PathStep])
    }
}

/// Resolves key paths of one model.
package struct KeyPathResolver {
    package let model: ModelLayout

    /// - Throws: a Cocoa error (134060) that names the entity and the missing key.
    package func resolve(_ keyPath: String, from layout: EntityLayout) throws -> ResolvedKeyPath {
        var names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var steps: [PathStep] = []
        var current: EntityLayout? = layout
        while !names.isEmpty {
            let name = names.removeFirst()
            if name.hasPrefix("@") {
                return try operation(name, names, steps, current, keyPath, layout)
            }
            guard let here = current else { throw unknown(name, after: steps, keyPath, layout) }
            switch name.lowercased() {
            case "self" where here.slot(name) == nil, "objectid" where here.slot(name) == nil:
                continue
            case "entity" where here.slot(name) == nil && names.isEmpty:
                return ResolvedKeyPath(steps: steps, tail: .entity)
            default: break
            }
            let inside = InsidePath(key: name)
            guard let slot = here.slot(inside?.attribute ?? name) else {
                throw unknown(name, after: steps, keyPath, layout)
            }
            var step = PathStep(layoutIndex: here.index, slot: slot, element: inside?.key)
            let place = here[slot]
            if place.kind == .reference || place.kind == .toMany {
                current = place.destination >= 0 ? model.layouts[Int(place.destination)] : nil
            } else {
                if let composite = here.properties[slot] as? NSCompositeAttributeDescription, !names.isEmpty {
                    try check(names, of: composite, keyPath, layout)
                    step.element = names.joined(separator: ".")
                    names = []
                } else if !names.isEmpty, !names[0].hasPrefix("@"), hasMembers(slot, of: here) {
                    step.element = InsidePath(name, names).key
                    names = []
                }
                current = nil
            }
            steps.append(step)
        }
        return ResolvedKeyPath(steps: steps, tail: .value)
    }

    private func hasMembers(_ slot: Int, of layout: EntityLayout) -> Bool {
        (layout.properties[slot] as? NSAttributeDescription)?.hasMembers ?? false
    }

    /// The key path with one key for an attribute and the path into its value: "author.meta/tags/name"
    /// (StructuredValues-2).
    ///
    /// - Returns: nil for a key path that ends at a property, and for an unknown one.
    package func pathInside(_ keyPath: String, from layout: EntityLayout) -> String? {
        guard model.hasPathsInside, keyPath.utf8.contains(UInt8(ascii: ".")),
            let path = try? resolve(keyPath, from: layout),
            path.tail == .value, let last = path.steps.last, let element = last.element,
            hasMembers(last.slot, of: model.layouts[last.layoutIndex])
        else { return nil }
        let names = path.steps.dropLast().map { model.layouts[$0.layoutIndex].properties[$0.slot].name }
        return (names + [element]).joined(separator: ".")
    }

    private func check(
        _ names: [String], of composite: NSCompositeAttributeDescription, _ keyPath: String, _ layout: EntityLayout
    ) throws {
        var current: NSAttributeDescription = composite
        for name in names {
            let elements = (current as? NSCompositeAttributeDescription)?.elements
            guard let next = elements?.first(where: { $0.name == name }) else {
                let known =
                    elements.map { "it has \($0.map(\.name).sorted().joined(separator: ", "))" } ?? "it is a value"
                throw CoreDataError.general(
                    "The key path '\(keyPath)' leads nowhere from '\(layout.name)': '\(current.name)' has no element "
                        + "'\(name)'; \(known).")
            }
            current = next
        }
    }

    /// The layout at the end of a chain of relationships; nil if the chain ends at an attribute.
    package func destination(of steps: [PathStep], from layout: EntityLayout) -> EntityLayout? {
        guard let last = steps.last else { return layout }
        let place = model.layouts[last.layoutIndex][last.slot]
        return place.kind == .reference || place.kind == .toMany ? model.layouts[Int(place.destination)] : nil
    }

    private func operation(
        _ name: String, _ rest: [String], _ steps: [PathStep], _ current: EntityLayout?, _ keyPath: String,
        _ layout: EntityLayout
    ) throws -> ResolvedKeyPath {
        if name == "@count", rest.isEmpty { return ResolvedKeyPath(steps: steps, tail: .count) }
        let known: Set = ["@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects"]
        guard known.contains(name), let current, !rest.isEmpty else {
            throw unknown(name, after: steps, keyPath, layout)
        }
        let inner = try resolve(rest.joined(separator: "."), from: current)
        guard inner.tail == .value else { throw unknown(name, after: steps, keyPath, layout) }
        return ResolvedKeyPath(steps: steps, tail: .collection(operation: String(name.dropFirst()), steps: inner.steps))
    }

    private func unknown(_ name: String, after steps: [PathStep], _ keyPath: String, _ layout: EntityLayout) -> NSError
    {
        let owner = destination(of: steps, from: layout)
        let sentence =
            owner.map { "'\($0.name)' has no property '\(name)'.\($0.names(near: name))" }
            ?? "'\(name)' follows an attribute, which has no properties."
        return CoreDataError.general("The key path '\(keyPath)' leads nowhere from '\(layout.name)': \(sentence)")
    }
}
