// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Marks the key paths of sort descriptors that sort by value.

import Foundation

/// The argument of the key paths that `NSSortDescriptor(keyPath:ascending:)` derives from a program's key path.
///
/// Foundation's descriptors contain a comparator, and closures cannot be compared. So the key path identifies an order
/// by value: a descriptor with a custom comparator keeps the program's key path. Without the distinction a store would
/// sort by value instead of the comparator.
struct ValueOrderPath: Hashable {
    /// nil equals every other path. Used only for that comparison.
    private let path: AnyKeyPath?

    private static var any: ValueOrderPath { ValueOrderPath(path: nil) }

    private init(path: AnyKeyPath?) { self.path = path }

    init(_ path: AnyKeyPath) { self.path = path }

    static func == (left: ValueOrderPath, right: ValueOrderPath) -> Bool {
        left.path == nil || right.path == nil || left.path == right.path
    }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The value by name if the name is known: the getter of a property declared as non-optional traps if the
    /// value is missing.
    fileprivate func value(of object: Any) -> Any? { path.flatMap { NamedPath(path: $0).value(of: object) } }

    /// Whether a descriptor was created by `NSSortDescriptor(keyPath:ascending:)`. False if generic code created it
    /// with a key path from any root type, because that calls Foundation's own initializer.
    static func isPath(of descriptor: NSSortDescriptor) -> Bool {
        func named<Root: KeyValueCoding>(_ root: Root.Type) -> AnyKeyPath { \Root.[byValue: .any] }
        guard type(of: descriptor) == NSSortDescriptor.self else { return false }
        let path = descriptor.keyPath
        if let root = type(of: path).rootType as? any KeyValueCoding.Type { return path == named(root) }
        return path == \NSObject.[objectByValue: .any]
    }
}

extension KeyValueCoding {
    subscript(byValue path: ValueOrderPath) -> Any? { path.value(of: self) }
}

extension NSObject {
    subscript(objectByValue path: ValueOrderPath) -> Any? { path.value(of: self) }
}
