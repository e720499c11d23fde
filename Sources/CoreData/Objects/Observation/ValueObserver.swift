// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One observer of one value, and its notifications before and after a change.

import CoreDataFoundation
import Foundation

/// Members that are added to a to-many relationship, or removed from it.
struct MemberChange {
    let kind: NSKeyValueChange
    var objects: [NSManagedObject]
    /// For an ordered relationship.
    var indexes: IndexSet?

    /// Two changes of a set may be reported as one.
    func joined(_ other: MemberChange) -> MemberChange? {
        guard kind == other.kind, indexes == nil, other.indexes == nil else { return nil }
        return MemberChange(kind: kind, objects: objects + other.objects)
    }
}

/// # States
///     idle ──willChange──▶ changing (n) ──didChange, n times──▶ idle, and the handler is called
/// # Invariants
/// (1) Overlapping changes are reported when the last of them is complete; changes of the same kind as one.
/// (2) A change that begins by setting the value is reported as one setting, with all changes inside it.
/// (3) `cancel()` may be called on any thread; everything else runs on the observed object's queue.
class ValueObserver: @unchecked Sendable {  // (3); state that `cancel()` touches is guarded by a lock in the subclass
    let options: NSKeyValueObservingOptions
    /// The properties that the value depends on. Their objects are not retained.
    private var watched: [WatchedProperty] = []

    init(options: NSKeyValueObservingOptions) { self.options = options }

    var isCancelled: Bool { true }
    /// Releases the handler.
    func cancel() {}
    /// Calls the handler for the first time, if the options request it.
    func start() {}
    /// - Parameter members: nil if the whole value changes.
    func willChange(_ members: MemberChange?) {}
    func didChange() {}
    /// Called after a primitive value was set; views of the relationship follow it.
    func didSetPrimitive() {}

    /// Whether the value is that of one property, and not computed from several.
    final var watchesOneProperty: Bool { watched.count == 1 }
    final var watchesNothing: Bool { watched.isEmpty }

    /// Observes these properties from now on, and no others.
    final func watch(_ reads: [PropertyRead]) {
        let isSame =
            reads.count == watched.count
            && zip(reads, watched).allSatisfy { $0.object === $1.object && $0.key == $1.key }
        guard !isSame else { return }
        for old in watched { old.object?.objectExtension?.observers?.remove(self, old.key) }
        for read in reads { read.object.observersMade.add(self, read.key) }
        watched = reads.map { WatchedProperty(object: $0.object, key: $0.key) }
    }

    private struct WatchedProperty {
        weak var object: NSManagedObject?
        let key: String
    }
}

/// An observer that knows the type of its value.
final class TypedValueObserver<Root: AnyObject, Value>: ValueObserver, @unchecked Sendable {
    typealias Change = NSKeyValueObservedChange<Value>
    typealias Handler = (Root, Change) -> Void

    private enum Pending {
        case setting(old: Value?)
        case members(MemberChange)
    }

    private weak var root: Root?
    private let read: (Root, ValueObserver?) -> Value
    private let lock = NSLock()
    private var handler: Handler?
    private var depth = 0
    private var pending: [Pending] = []

    /// - Parameter read: returns the value; an observer that is passed to it observes from then on the properties that
    ///   the value depends on.
    init(
        _ root: Root, options: NSKeyValueObservingOptions, read: @escaping (Root, ValueObserver?) -> Value,
        handler: @escaping Handler
    ) {
        self.root = root
        self.read = read
        self.handler = handler
        super.init(options: options)
    }

    override var isCancelled: Bool { lock.withLock { handler == nil } }

    override func cancel() {
        // Released outside the lock: the handler may retain objects with observations, and their end takes a lock.
        let old = lock.withLock {
            defer { handler = nil }
            return handler
        }
        withExtendedLifetime(old) {}
    }

    override func start() {
        guard let root else { return }
        let value = read(root, self)
        if options.contains(.initial) { notify(.setting, new: value) }
    }

    override func willChange(_ members: MemberChange?) {
        depth += 1
        guard !isCancelled else { return }
        if case .setting = pending.last { return }
        let members = members.flatMap { watchesOneProperty && collection([], $0) != nil ? $0 : nil }
        if let members, case .members(let last) = pending.last, let joined = last.joined(members) {
            pending[pending.count - 1] = .members(joined)
            return
        }
        if let members {
            pending.append(.members(members))
            if options.contains(.prior) { notify(members, isPrior: true) }
        } else {
            let old = options.contains(.old) ? root.map { read($0, nil) } : nil
            pending.append(.setting(old: old))
            if options.contains(.prior) { notify(.setting, old: old, isPrior: true) }
        }
    }

    override func didChange() {
        guard depth > 0 else { return }  // registered while the change was in progress
        depth -= 1
        guard depth == 0, let root, !isCancelled else { return }
        let changes = pending
        pending = []
        // The properties that a chain or a computed property depends on may have changed.
        let new = options.contains(.new) || !watchesOneProperty ? read(root, self) : nil
        for change in changes {
            switch change {
            case .setting(let old): notify(.setting, old: old, new: new)
            case .members(let members): notify(members, isPrior: false)
            }
        }
    }

    private func notify(_ members: MemberChange, isPrior: Bool) {
        let value = collection(members.objects, members)
        let isInsertion = members.kind == .insertion
        notify(
            members.kind, old: isInsertion ? nil : value, new: isInsertion && !isPrior ? value : nil,
            indexes: members.indexes, isPrior: isPrior)
    }

    private func notify(
        _ kind: NSKeyValueChange, old: Value? = nil, new: Value? = nil, indexes: IndexSet? = nil, isPrior: Bool = false
    ) {
        guard let root, let handler = lock.withLock({ handler }) else { return }
        handler(
            root,
            Change(
                kind: kind, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil,
                indexes: indexes, isPrior: isPrior))
    }

    /// Members in the type of the value; nil if the value is not a collection that represents a to-many relationship.
    private func collection(_ objects: [NSManagedObject], _ change: MemberChange) -> Value? {
        guard change.indexes != nil else { return NSSet(array: objects) as Any as? Value }
        return NSOrderedSet(array: objects) as Any as? Value ?? objects as Any as? Value
    }
}
