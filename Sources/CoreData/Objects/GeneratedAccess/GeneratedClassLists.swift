// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The classes of a module that the build plug-in knows: their names, and the slots they were written with.

import Foundation
import Synchronization

/// The plug-in writes into each module a type named `_OpenCoreDataClasses`, found by its name. Not for use by
/// hand.
///
/// Extensions cannot override `_slots`, so classes whose accessors were added in extensions have their slots here; and
/// nested classes, which the system cannot find by name, are found through it. A class that is in no model of the
/// plug-in has no slots: its accessors go by name.
public protocol _GeneratedClassList {
    static var _classes: [(NSManagedObject.Type, StaticString)] { get }
}

/// Reads each module's list once.
enum GeneratedClassLists {
    private struct State {
        var modules: Set<String> = []
        var signatures: [ObjectIdentifier: StaticString] = [:]
        /// Classes without slots.
        var withoutSlots: Set<ObjectIdentifier> = []
    }

    private static let state = Mutex(State())

    /// Makes the classes of a module known, if it has a list. Other threads wait meanwhile: without the list
    /// a nested class would not be found.
    static func load(module: String) {
        state.withLock { state in
            guard state.modules.insert(module).inserted else { return }
            let list = "_OpenCoreDataClasses"
            let mangled = "\(module.utf8.count)\(module)\(list.utf8.count)\(list)O"
            guard let found = _typeByName(mangled) as? any _GeneratedClassList.Type else { return }
            for (type, signature) in found._classes {
                if signature.utf8CodeUnitCount > 0 {
                    state.signatures[ObjectIdentifier(type)] = signature
                } else {
                    state.withoutSlots.insert(ObjectIdentifier(type))
                }
                ObjectClasses.register(type)
            }
        }
    }

    /// The slots of the nearest class that says which it was written with; empty where none does.
    static func signature(of type: NSManagedObject.Type) -> StaticString {
        first(of: type) { state, id in state.signatures[id] } ?? type._slots
    }

    /// Whether the class, or a superclass, has generated accessors that go by name.
    static func hasAccessorsByName(_ type: NSManagedObject.Type) -> Bool {
        first(of: type) { state, id in state.withoutSlots.contains(id) ? true : nil } ?? false
    }

    /// The first answer of the class and its superclasses.
    private static func first<Answer: Sendable>(
        of type: NSManagedObject.Type, _ answer: (State, ObjectIdentifier) -> Answer?
    ) -> Answer? {
        if let module = String(reflecting: type).split(separator: ".").first { load(module: String(module)) }
        return state.withLock { state in
            var next: AnyClass? = type
            while let current = next {
                if let found = answer(state, ObjectIdentifier(current)) { return found }
                next = _getSuperclass(current)
            }
            return nil
        }
    }
}
