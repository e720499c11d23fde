// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Marks the key paths of sort descriptors that sort by value.

import Foundation

/// The argument of the key paths that `NSSortDescriptor(keyPath:ascending:)` makes of a user's key path.
///
/// A descriptor of Foundation's has a comparator, and closures cannot be compared. So an order by value is recognized by its key
/// path: a descriptor with a comparator of the user's keeps the user's key path. A store that sorted by value in place of a
/// comparator would give another order.
struct ValueOrderPath: Hashable {
    /// Nil equals every other path, and is used for that comparison alone.
    private let path: AnyKeyPath?

    private static var any: ValueOrderPath { ValueOrderPath(path: nil) }

    private init(path: AnyKeyPath?) { self.path = path }

    init(_ path: AnyKeyPath) { self.path = path }

    static func == (left: ValueOrderPath, right: ValueOrderPath) -> Bool {
        left.path == nil || right.path == nil || left.path == right.path
    }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The value by name where the name is known: a getter of a property that is declared as never nil traps where the value
    /// is missing.
    fileprivate func value(of object: Any) -> Any? { path.flatMap { NamedPath(path: $0).value(of: object) } }

    /// Whether a descriptor was made by `NSSortDescriptor(keyPath:ascending:)`. False of one that generic code made with a key path
    /// whose root may be any type: that is Foundation's own initializer.
    static func isPath(of descriptor: NSSortDescriptor) -> Bool {
        func named<Root: KeyValueCoding>(_ root: Root.Type) -> AnyKeyPath { \Root.[byValue: .any] }
        func plain<Root: NSObject>(_ root: Root.Type) -> AnyKeyPath { \Root.[objectByValue: .any] }
        guard type(of: descriptor) == NSSortDescriptor.self else { return false }
        let path = descriptor.keyPath
        let root = type(of: path).rootType
        if let root = root as? any KeyValueCoding.Type { return path == named(root) }
        if let root = root as? NSObject.Type { return path == plain(root) }
        return false
    }
}

extension KeyValueCoding {
    subscript(byValue path: ValueOrderPath) -> Any? { path.value(of: self) }
}

extension NSObject {
    subscript(objectByValue path: ValueOrderPath) -> Any? { path.value(of: self) }
}
