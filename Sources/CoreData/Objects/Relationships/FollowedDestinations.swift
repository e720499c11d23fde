// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Retains the destinations of the objects of one table, without a block of memory for each object.

import CRuntime

/// Known destinations of to-one relationships, by key and ordinal: strong references, because related objects retain
/// each other.
///
/// Most objects with followed to-one relationships are only read. Half a word here for each relationship is an eighth
/// of the memory of an extension, and is neither allocated nor freed separately. When an object gets an extension, its
/// destinations move there.
///
/// # Invariants
/// (1) The cells of a key belong to the registered object of that key, which has the flag `followed` and no extension;
///     they are cleared when the object is deallocated.
/// (2) Nothing is released under the lock: the deallocation of an object takes it again.
/// (3) A key may have passed to another object while the previous one is still being deallocated on another thread,
///     so a reader compares the key of the object that it finds. An object that lost its destinations in this way
///     finds them again through the identity map.
///
/// Objects may be deallocated on any thread, hence the lock.
final class FollowedDestinations: @unchecked Sendable {  // everything is guarded by `lock`
    private let sharedLock: ObjectLock
    private let lock: UnsafeMutablePointer<ocd_lock>
    @exclusivity(unchecked) private var references: CompactReferences<NSManagedObject>
    private let toOneCount: Int

    init(_ layout: EntityLayout, _ lock: ObjectLock = ObjectLock()) {
        sharedLock = lock
        self.lock = lock.word
        toOneCount = layout.toOneSlots.count
        references = CompactReferences(width: toOneCount)
    }

    /// The object in the cell of a to-one relationship, unless the cell belongs to another object (3), or else the
    /// registered destination, which is stored in the cell: all under one lock.
    ///
    /// - Parameters:
    ///   - destination: the key in the to-one relationship.
    ///   - isKnown: whether the key may have cells (1).
    ///   - map: of the same context; nil if registered objects do not count.
    /// - Returns: nil if there is neither, or no room for the second.
    @inline(__always) func destination(
        _ key: Int64, _ ordinal: Int, _ destination: Int64, isKnown: Bool, in map: Uncounted<IdentityMap>?
    ) -> NSManagedObject? {
        ocd_acquire(lock)
        if isKnown, let known = references[key, ordinal], known.look({ $0.key == destination }) {
            let object = known.object
            ocd_release(lock)
            return object
        }
        guard CompactReferences<NSManagedObject>.hasPlace(key),
            let found = map?.look({ $0.lockedObject(destination) }) ?? nil
        else {
            ocd_release(lock)
            return nil
        }
        let (isPlaced, old) = references.place(found, key, ordinal)
        ocd_release(lock)
        withExtendedLifetime(old) {}
        return isPlaced ? found : nil
    }

    /// - Returns: false if there is no room for the key, or the object has no compact address.
    @inline(__always) func set(_ object: NSManagedObject, _ key: Int64, _ ordinal: Int) -> Bool {
        guard CompactReferences<NSManagedObject>.hasPlace(key) else { return false }
        ocd_acquire(lock)
        let (isPlaced, old) = references.place(object, key, ordinal)
        ocd_release(lock)
        withExtendedLifetime(old) {}
        return isPlaced
    }

    func forget(_ key: Int64) { forget(key, from: 0) }

    private func forget(_ key: Int64, from first: Int) {
        for ordinal in stride(from: first, to: toOneCount, by: Row.capacity) { _ = take(key, ordinal) }
    }

    /// For an object that is being deallocated: also unregisters it.
    @inline(__always) func forget(_ object: NSManagedObject, _ key: Int64, registeredIn map: IdentityMap) {
        ocd_acquire(lock)
        let isOwn = map.lockedUnregister(object, key)
        let taken = references.take(key, from: 0)
        ocd_release(lock)
        if isOwn { map.noteEnd(of: object, key) }
        _ = consume taken
        if toOneCount > Row.capacity { forget(key, from: Row.capacity) }
    }

    private typealias Row = CompactRow<NSManagedObject>

    @inline(__always) private func take(_ key: Int64, _ first: Int) -> Row {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        return references.take(key, from: first)
    }

    /// Moves all destinations of a key to the object's new extension.
    func move(_ key: Int64, to destinations: ObjectExtension.Destinations) {
        for first in stride(from: 0, to: toOneCount, by: Row.capacity) {
            var taken = take(key, first)
            for ordinal in first..<min(first + Row.capacity, toOneCount) {
                if let object = taken.takeObject(ordinal - first) { destinations[ordinal] = object }
            }
        }
    }
}

extension NSManagedObject {
    /// The extension, or nil. Destinations that the table retains for the object move there first.
    @inline(__always) final var objectExtension: ObjectExtension? {
        get {
            if flags.contains(.followed) { takeDestinations() }
            return storedExtension
        }
        set {
            if flags.contains(.followed) { forgetDestinations() }
            storedExtension = newValue
        }
    }

    /// Passes `objectExtension` to the body without retaining it. Returns nil if the object has no extension.
    @inline(__always) final func withExistingExtension<Result>(_ body: (ObjectExtension) throws -> Result) rethrows
        -> Result?
    {
        if flags.contains(.followed) { takeDestinations() }
        return try heldExtension?.look(body)
    }

    /// The same; makes the extension if necessary.
    @inline(__always) final func withExtension<Result>(_ body: (ObjectExtension) throws -> Result) rethrows -> Result {
        if flags.contains(.followed) { takeDestinations() }
        return try (heldExtension ?? makeExtension()).look(body)
    }

    @inline(never) private final func makeExtension() -> Uncounted<ObjectExtension> { Uncounted(extensionMade) }

    /// The same, for a change that follows at once.
    @inline(__always) final func withChangedExtension(_ body: (ObjectExtension) -> Void) {
        if flags.contains(.followed) { takeDestinations(forChange: true) }
        if heldExtension == nil { storedExtension = .make(table.layout, forChange: true) }
        heldExtension?.look(body)
    }

    /// The known destination of a to-one relationship; or the registered one, if it is found without a search in
    /// several maps.
    @inline(__always) final func cachedDestination(_ ordinal: Int, _ reference: Reference) -> NSManagedObject? {
        if let heldExtension {
            return heldExtension.look { $0.destination(ordinal) } ?? registeredNeighbour(ordinal, reference)
        }
        let isKnown = flags.contains(.followed)
        let found = heldTable.look { table in
            table.followed.destination(
                key, ordinal, reference.key, isKnown: isKnown, in: table.neighbourMap(ordinal, reference))
        }
        if found != nil { flags.insert(.followed) }
        return found
    }

    /// For an object with an extension: the table has no destinations for it.
    private final func registeredNeighbour(_ ordinal: Int, _ reference: Reference) -> NSManagedObject? {
        let found = heldTable.look { $0.neighbourMap(ordinal, reference)?.look { $0.object(reference.key) } ?? nil }
        if let found { rememberDestination(found, ordinal) }
        return found
    }

    @inline(__always) final func rememberDestination(_ object: NSManagedObject, _ ordinal: Int) {
        if heldExtension == nil, heldTable.look({ $0.followed.set(object, key, ordinal) }) {
            flags.insert(.followed)
        } else {
            extensionMade.destinations[ordinal] = object
        }
    }

    /// Moves the destinations to an extension. Needed whenever an extension is made, and before the object changes its
    /// table or its key.
    ///
    /// - Parameter forChange: as of `ObjectExtension.make`.
    final func takeDestinations(forChange: Bool = false) {
        guard flags.contains(.followed) else { return }
        flags.remove(.followed)
        let made = ObjectExtension.make(table.layout, forChange: forChange)
        table.followed.move(key, to: made.destinations)
        storedExtension = made
    }

    final func forgetDestinations() {
        guard flags.contains(.followed) else { return }
        flags.remove(.followed)
        table.followed.forget(key)
    }
}
