// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The relationships through which a request depends on other objects.

import CoreDataFoundation
import Foundation

/// A tree of relationships: the root is the entity of the request, each node the destination of one step.
struct RelatedPaths {
    private struct Node {
        let layoutIndex: Int
        /// The previous node, and the relationship's slot there; -1 for the root.
        let origin: Int
        let slot: Int
        /// Whether the request reads properties of these objects.
        var isRead = false
    }

    private let model: ModelLayout
    private let paths: KeyPathResolver
    private var nodes: [Node]
    /// Key paths of the predicate through to-one relationships to a value.
    private(set) var watched: [String] = []
    /// Key paths of to-one relationships to objects that the request reads.
    private(set) var toOneKeyPaths: Set<String> = []

    init(_ layout: EntityLayout, in model: ModelLayout) {
        self.model = model
        paths = KeyPathResolver(model: model)
        nodes = [Node(layoutIndex: layout.index, origin: -1, slot: -1)]
    }

    /// Whether the request only reads properties of its entity's objects.
    var isEmpty: Bool { !nodes.dropFirst().contains(where: \.isRead) }

    // MARK: Collecting

    private typealias Variables = [String: (node: Int, layout: EntityLayout)]

    /// Adds a key path that begins at the request's entity.
    mutating func add(keyPath: String, isWatched: Bool = false) {
        let root = model.layouts[nodes[0].layoutIndex]
        guard let path = add(keyPath, from: 0, root), path.tail == .value, path.steps.count > 1 else { return }
        let inner = path.steps.dropLast()
        guard inner.allSatisfy({ model.layouts[$0.layoutIndex][$0.slot].kind == .reference }) else { return }
        toOneKeyPaths.insert(
            inner.map { model.layouts[$0.layoutIndex].properties[$0.slot].name }.joined(separator: "."))
        if isWatched, !watched.contains(keyPath) { watched.append(keyPath) }
    }

    /// Adds all key paths of a predicate.
    mutating func add(_ predicate: PredicateSyntax) { visit(predicate, [:]) }

    @discardableResult
    private mutating func add(_ keyPath: String, from node: Int, _ layout: EntityLayout) -> ResolvedKeyPath? {
        guard let path = try? paths.resolve(keyPath, from: layout) else { return nil }
        var steps = path.steps
        if case .collection(_, let inner) = path.tail { steps += inner }
        var current = node
        for step in steps {
            nodes[current].isRead = true
            let place = model.layouts[step.layoutIndex][step.slot]
            guard place.kind == .reference || place.kind == .toMany, place.destination >= 0 else { break }
            current = self.node(after: current, step.slot, Int(place.destination))
        }
        return path
    }

    private mutating func node(after origin: Int, _ slot: Int, _ layoutIndex: Int) -> Int {
        if let known = nodes.firstIndex(where: { $0.origin == origin && $0.slot == slot }) { return known }
        nodes.append(Node(layoutIndex: layoutIndex, origin: origin, slot: slot))
        return nodes.count - 1
    }

    private mutating func visit(_ predicate: PredicateSyntax, _ variables: Variables) {
        switch predicate {
        case .constant, .block: break
        case .and(let parts), .or(let parts): for part in parts { visit(part, variables) }
        case .not(let part): visit(part, variables)
        case .comparison(let comparison):
            visit(comparison.left, variables)
            visit(comparison.right, variables)
            if comparison.operation == .matching { readSearched(comparison.left, variables) }
        }
    }

    /// A search reads the texts of the objects that its left side names.
    private mutating func readSearched(_ objects: ExpressionSyntax, _ variables: Variables) {
        if case .variable(let name) = objects {
            if let variable = variables[name] { nodes[variable.node].isRead = true }
        } else if let target = members(of: objects, variables) {
            nodes[target.node].isRead = true
        }
    }

    private mutating func visit(_ expression: ExpressionSyntax, _ variables: Variables) {
        switch expression {
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path): add(keyPath: path, isWatched: true)
        case .keyPathOn(.variable(let name), let path):
            if let variable = variables[name] { add(path, from: variable.node, variable.layout) }
        case .keyPathOn(let base, _): visit(base, variables)
        case .function(_, let arguments), .aggregate(let arguments), .block(_, let arguments):
            for argument in arguments { visit(argument, variables) }
        case .subquery(let collection, let variable, let predicate):
            var inner = variables
            if let members = members(of: collection, variables) { inner[variable] = members }
            visit(predicate, inner)
        case .setOperation(_, let one, let other):
            visit(one, variables)
            visit(other, variables)
        case .conditional(let condition, let one, let other):
            visit(condition, variables)
            visit(one, variables)
            visit(other, variables)
        case .index(let base, _): visit(base, variables)
        case .constant, .evaluatedObject, .variable, .anyKey: break
        }
    }

    /// The node for the members of a subquery's collection.
    private mutating func members(of collection: ExpressionSyntax, _ variables: Variables) -> (
        node: Int, layout: EntityLayout
    )? {
        let start: (node: Int, layout: EntityLayout)
        let keyPath: String
        switch collection {
        case .keyPath(let path), .keyPathOn(.evaluatedObject, let path):
            (start, keyPath) = ((0, model.layouts[nodes[0].layoutIndex]), path)
        case .keyPathOn(.variable(let name), let path):
            guard let variable = variables[name] else { return nil }
            (start, keyPath) = (variable, path)
        default:
            visit(collection, variables)
            return nil
        }
        guard let path = add(keyPath, from: start.node, start.layout),
            let layout = paths.destination(of: path.steps, from: start.layout)
        else { return nil }
        var node = start.node
        for step in path.steps { node = self.node(after: node, step.slot, layoutIndex(after: step)) }
        return (node, layout)
    }

    private func layoutIndex(after step: PathStep) -> Int {
        Int(model.layouts[step.layoutIndex][step.slot].destination)
    }

    // MARK: Following

    /// Whether the request reads objects of an entity other than as its results.
    func concern(_ layout: EntityLayout) -> Bool {
        nodes.dropFirst().contains { $0.isRead && layout.isKind(of: model.layouts[$0.layoutIndex]) }
    }

    /// The objects of the request's entity that depend on changed ones, found through inverse relationships.
    ///
    /// - Parameter faults: reads relationships, for many objects in one statement.
    func dependents(on changed: [NSManagedObject], _ faults: FaultFulfilment) -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        for number in nodes.indices.dropFirst() where nodes[number].isRead {
            let layout = model.layouts[nodes[number].layoutIndex]
            var level = changed.filter { $0.table.layout.isKind(of: layout) }
            var node = nodes[number]
            while !level.isEmpty, node.origin >= 0 {
                let inverse = Int(model.layouts[nodes[node.origin].layoutIndex][node.slot].inverse)
                level = inverse < 0 ? [] : others(at: inverse, of: level, faults)
                node = nodes[node.origin]
            }
            result += level
        }
        return result.distinct
    }

    private func others(at slot: Int, of objects: [NSManagedObject], _ faults: FaultFulfilment) -> [NSManagedObject] {
        // Objects that lost a link to a deleted object are changed themselves. The deleted object's stored members are
        // out of date.
        let kept = objects.filter { $0.table.owner != nil && !$0.isMarkedDeleted }
        faults.realizeAll(kept.filter(\.isFault))
        let present = kept.filter { !$0.isFault || $0.flags.contains(.inserted) }
        guard let first = present.first else { return [] }
        if first.table.layout[slot].kind == .reference { return present.compactMap { $0.destination(slot) }.distinct }
        for group in Dictionary(grouping: present, by: { ObjectIdentifier($0.table.layout) }).values {
            faults.realizeMembers(of: slot, in: group)
        }
        return present.flatMap { $0.members(slot) }.distinct
    }
}

extension [NSManagedObject] {
    /// Each object once, in order.
    var distinct: [NSManagedObject] {
        if count < 2 { return self }
        var seen: Set<ObjectIdentifier> = []
        return filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
