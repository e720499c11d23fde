// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The classes of a module that the build plug-in knows, with the slots that their accessors were generated for.

import Foundation
import Synchronization

/// The plug-in adds a type named `_OpenCoreDataClasses` to each module, which is found by its name. For generated code
/// only.
///
/// Extensions cannot override `_slots`, so the list has the slots of classes with accessors in extensions. It also
/// makes nested classes known, which the system cannot find by name. A class that no model of the plug-in contains has
/// no slots: its accessors use the names of properties.
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

    /// Registers the classes of a module, if it has a list. Other threads wait until the list is read: without it they
    /// would not find a nested class.
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

    /// The slots that the nearest class in the superclass chain declares; empty if none does.
    static func signature(of type: NSManagedObject.Type) -> StaticString {
        first(of: type) { state, id in state.signatures[id] } ?? type._slots
    }

    /// Whether the class, or a superclass, has generated accessors that use the names of properties.
    static func hasAccessorsByName(_ type: NSManagedObject.Type) -> Bool {
        first(of: type) { state, id in state.withoutSlots.contains(id) ? true : nil } ?? false
    }

    /// The first answer along the class and its superclasses.
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
