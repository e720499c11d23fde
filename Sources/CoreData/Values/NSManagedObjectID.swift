// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The identity of an object in every context and launch: temporary before the first save, permanent after.

import CRuntime
public import Foundation
import Synchronization

/// A compact identity of a managed object, valid in every context on the same store.
///
/// Use it to hand a record to another context, thread or process.
///
/// ```swift
/// let uri = note.objectID.uriRepresentation()  // a file may keep its text
/// if let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) {
///     let same = try context.existingObject(with: id)
///     print(same.objectID == note.objectID)  // true
/// }
/// ```
///
/// Two ids are equal when they name the same row of the same store, in all contexts. An id is temporary until the
/// object's first save (or `NSManagedObjectContext.obtainPermanentIDs(for:)`); then the object has another, permanent
/// one. Take ids after the save: a temporary one means nothing to unrelated contexts, and ends with the program.
///
/// - Important: immutable; may be used on any thread. The URI of a permanent id stays valid as long as the row is in
///   the store, over launches and processes.
/// - Complexity: an id holds no values and keeps no object alive; comparing two costs no look-up.
/// - SeeAlso: `NSManagedObject.objectID`, `NSManagedObjectContext.existingObject(with:)`,
///   `NSPersistentStoreCoordinator.managedObjectID(forURIRepresentation:)`.
public final class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {  // immutable
    let layout: EntityLayout
    let key: Int64
    /// nil for a temporary id.
    let home: StoreIdentity?

    init(layout: EntityLayout, key: Int64, home: StoreIdentity?) {
        self.layout = layout
        self.key = key
        self.home = home
    }

    /// The object's entity.
    public var entity: NSEntityDescription { layout.entity }

    /// The store of the object; nil for a temporary id, and after the store was removed from its coordinator.
    public weak var persistentStore: NSPersistentStore? { home?.store }

    /// Whether the object has not been saved yet.
    public var isTemporaryID: Bool { key < 0 }

    /// The id as a URI: `x-coredata://<store's UUID>/<entity>/p<key>`; `x-coredata:///<entity>/t<key>` for a temporary
    /// one. Custom stores have their references in place of keys (`Documentation/Internals/Stores.md`).
    ///
    /// The URI of a permanent id stays valid as long as the row is in the store, across launches and processes;
    /// `NSPersistentStoreCoordinator.managedObjectID(forURIRepresentation:)` converts it back to the id.
    public func uriRepresentation() -> URL {
        if !isTemporaryID, let home, home.references == nil,
            let text = PlainURI.text(store: home.identifier, entity: layout.name, key: key), let url = URL(string: text)
        {
            return url
        }
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = home?.identifier ?? ""
        if let reference {
            let name = layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
            components.percentEncodedPath = "/\(name)/p\(reference.text)"
        } else {
            components.path = "/\(layout.name)/" + (isTemporaryID ? "t\(key.magnitude)" : "p\(key)")
        }
        return components.url ?? URL(filePath: "/")  // unreachable: URLComponents encodes any name
    }

    /// The custom store's reference of the record; nil for a temporary id, and for built-in stores, which have keys.
    var reference: ReferenceValue? {
        isTemporaryID ? nil : home?.references?.reference(of: key, root: layout.rootIndex)
    }

    var objectKey: ObjectKey { ObjectKey(layout.index, key) }

    /// Returns the id itself. A temporary id may become permanent later.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var hash: Int { Int(truncatingIfNeeded: key) &+ layout.rootIndex << 48 }  // sets hash it again

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        if self === other { return true }
        // Keys are unique below the root entity of one store; temporary keys are unique in the process.
        return key == other.key && home === other.home && (key < 0 || layout.rootIndex == other.layout.rootIndex)
    }

    public override var description: String { "\(uriRepresentation().absoluteString)" }
}

/// The identity of a store in ids. It outlives the store, so that ids of a removed store stay comparable.
///
/// A migrated store passes its identity to its replacement, if that keeps the keys: so existing ids refer to the same
/// objects as before. For the same reason a store that is removed and added again gets its former identity
/// (Stores-K30).
///
/// May be read on any thread, even while another thread removes the store (Stores-K20 to K24).
///
/// Not Swift's `weak`: with one such reference all reference counting of the store, at each look-up, takes three times
/// as long.
final class StoreIdentity: @unchecked Sendable {  // `link` is guarded by `lock`
    /// The UUID of the store, upper case.
    var identifier: String { name.withLock { $0 } }
    private let name: Mutex<String>
    /// Retained for the caller; nil after the store was removed from its coordinator or deallocated.
    var store: NSPersistentStore? {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        // The store's deinitializer takes the lock, so its memory still exists.
        return link?.object
    }
    /// Whether there is a store. One load.
    @inline(__always) var hasStore: Bool { linkNumber != 0 }
    /// A different number for each store that had the identity; 0 while no store has it. One load.
    @inline(__always) var linkNumber: Int { number.load(ordering: .acquiring) }
    private let number: Atomic<Int>
    /// The number of the last link.
    @exclusivity(unchecked) private var links: Int
    @exclusivity(unchecked) private var link: WeakWord<NSPersistentStore>?
    @exclusivity(unchecked) private var lock = ocd_lock()
    /// The references of a custom store's records; nil for stores that only have keys.
    let references: ReferenceTable?
    /// For stores that need to know which of their records have objects.
    let registrations: RegistrationLog?
    init(
        identifier: String, store: NSPersistentStore?, references: ReferenceTable? = nil,
        registrations: RegistrationLog? = nil
    ) {
        name = Mutex(identifier)
        link = store.map { WeakWord($0) }
        links = store == nil ? 0 : 1
        number = Atomic(links)
        self.references = references
        self.registrations = registrations
    }

    /// Makes all ids refer to the rows of another store. Only for identities without references.
    func pass(to successor: NSPersistentStore, identifier: String) {
        ocd_acquire(&lock)
        link = WeakWord(successor)
        links += 1
        number.store(links, ordering: .releasing)
        ocd_release(&lock)
        name.withLock { $0 = identifier }
    }

    /// Clears it, unless it was passed on to another store.
    func end(of store: NSPersistentStore) {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        guard link?.isOf(store) == true else { return }
        link = nil
        number.store(0, ordering: .releasing)
    }
}

/// A row as a URI identifies it.
struct StoredRow {
    /// The UUID of the store.
    let store: String
    let layout: EntityLayout
    let key: Int64

    func isIn(_ other: String) -> Bool { store.caseInsensitiveCompare(other) == .orderedSame }
}

extension StoredRow {
    /// - Parameter references: those of the URI's store; nil if it uses keys.
    /// - Returns: nil for other URIs, and for an entity that the model does not have.
    init?(_ url: URL, _ model: ModelLayout, _ references: ReferenceTable?) {
        // Slashes of a reference are percent-encoded.
        let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath ?? ""
        let parts = path.split(separator: "/")
        guard url.scheme == "x-coredata", parts.count == 2, parts[1].first == "p",
            let name = String(parts[0]).removingPercentEncoding,
            let layout = model.layout(named: name) ?? model.layout(formerlyNamed: name)
        else { return nil }
        let key: Int64
        if let references {
            guard let reference = ReferenceValue(text: parts[1].dropFirst()) else { return nil }
            key = references.key(of: reference, layout)
        } else {
            guard let number = Int64(parts[1].dropFirst()), number > 0 else { return nil }
            key = number
        }
        self.init(store: url.host ?? "", layout: layout, key: key)
    }
}

extension NSManagedObjectID {
    /// The key in its store; negative for a temporary id.
    package var recordKey: Int64 { key }
    /// The identifier of the store that has the record; nil for a temporary id.
    package var storeIdentifier: String? { home?.identifier }
    /// The reference of a custom store; nil for a temporary id, and for built-in stores.
    package var customReference: Any? { reference?.object }
    /// The last part of the URI: "p12", "t3".
    package var keyText: String {
        if let reference { return "p\(reference.text)" }
        return isTemporaryID ? "t\(key.magnitude)" : "p\(key)"
    }
}
