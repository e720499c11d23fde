// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Properties of classes that generated code cannot see.

import Foundation

extension NSManagedObject {
    /// An object, or a collection of objects, of a class that is private in a file: generated code can only name a
    /// superclass, so this checks the class at run time.
    ///
    /// Traps if an object is of another class. A private class is found by name once the program has used it.
    public final func _hidden<Value>(_ value: Value, _ className: StaticString, _ key: StaticString) -> Value {
        switch value as Any {
        case let object as NSObject where !(object is NSSet) && !(object is NSArray): check(object, className, key)
        case let members as any Sequence: for member in members { check(member, className, key) }
        default: break
        }
        return value
    }

    private final func check(_ object: Any, _ className: StaticString, _ key: StaticString) {
        let name = className.description
        var next: AnyClass? = type(of: object as AnyObject)
        while let current = next {
            if String(describing: current) == name { return }
            next = _getSuperclass(current)
        }
        preconditionFailure(
            "'\(table.layout.name).\(key)' has an object of the class \(type(of: object)), not \(name). A private class is not found by its "
                + "name before the program has used it: make it internal, or ask for its entity() first.")
    }
}
