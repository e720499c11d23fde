// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds inheritance cycles of entities, and inheritance that is too deep.

/// The distance of each entity of a model from its root, computed with one step for each entity.
struct InheritanceCheck {
    private enum Position {
        /// The number of entities from this one up to its root, both included.
        case depth(Int)
        /// The entities on the cycle, from this one back to it.
        case cycle([String])
        /// The entity inherits from an entity on a cycle.
        case belowCycle
    }

    private var positions: [ObjectIdentifier: Position] = [:]

    init(_ entities: [NSEntityDescription]) {
        for entity in entities { walk(from: entity) }
    }

    /// Whether own and inherited properties of an entity can be distinguished.
    func isSound(_ entity: NSEntityDescription) -> Bool {
        guard case .depth(let depth)? = positions[ObjectIdentifier(entity)] else { return false }
        return depth < NSEntityDescription.deepestInheritance
    }

    /// The fault of an entity; nil if its superentity already reports the fault.
    func sentence(_ entity: NSEntityDescription) -> String? {
        switch positions[ObjectIdentifier(entity)] {
        case .cycle(let names)?: "it inherits from itself: \(names.joined(separator: " from "))"
        case .depth(NSEntityDescription.deepestInheritance)?:
            "it inherits through \(NSEntityDescription.deepestInheritance) entities, which is more than a model can have"
        default: nil
        }
    }

    private mutating func walk(from entity: NSEntityDescription) {
        var path: [NSEntityDescription] = []
        var places: [ObjectIdentifier: Int] = [:]
        var next: NSEntityDescription? = entity
        while let current = next {
            guard positions[ObjectIdentifier(current)] == nil, places[ObjectIdentifier(current)] == nil else { break }
            places[ObjectIdentifier(current)] = path.count
            path.append(current)
            next = current.superentity
        }
        var depth = 0
        var isBelowCycle = false
        if let end = next, let start = places[ObjectIdentifier(end)] {
            addCycle(path[start...])
            path.removeSubrange(start...)
            isBelowCycle = true
        } else if let end = next {
            if case .depth(let known)? = positions[ObjectIdentifier(end)] {
                depth = known
            } else {
                isBelowCycle = true
            }
        }
        for member in path.reversed() {
            depth += 1
            positions[ObjectIdentifier(member)] = isBelowCycle ? .belowCycle : .depth(depth)
        }
    }

    private mutating func addCycle(_ members: ArraySlice<NSEntityDescription>) {
        let names = members.map { $0.name ?? "" }
        for (place, member) in members.enumerated() {
            // The whole of a long cycle is reported once.
            let isNamed = place == 0 || names.count <= 10
            positions[ObjectIdentifier(member)] =
                isNamed ? .cycle(Array(names[place...] + names[...place])) : .belowCycle
        }
    }
}
