// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows the stores of one coordinator, and informs the listeners of their commits.

public import Foundation
import Synchronization

extension NSNotification.Name {
    /// A store of the notification's object, a coordinator, was changed by this or another process.
    ///
    /// Posted after each transaction of any coordinator if the store was added with
    /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`; bursts of other processes may be joined. The user
    /// info has the store's `NSStoreUUIDKey` and `NSPersistentStoreURLKey`, and with a history the
    /// `NSPersistentHistoryTokenKey` of the last transaction. Posted on a queue of the coordinator's own.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// User info key of `NSPersistentStoreRemoteChange`; an `NSPersistentHistoryToken`.
public let NSPersistentHistoryTokenKey = "historyToken"

/// A context that merges the transactions of others.
protocol TransactionMerging: AnyObject {
    /// Merges the changes later, on the context's queue, if the context merges automatically.
    func mergeLater(inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID])
}

/// The followed stores of a coordinator. Thread-safe.
final class CoordinatorRemoteChanges: @unchecked Sendable {  // everything mutable is guarded by `lock`
    private let lock = NSLock()
    private var followers: [ObjectIdentifier: StoreFollower] = [:]
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastListener = 0
    let queue = DispatchQueue(label: "OpenCoreData.RemoteChanges")

    /// Called after a store was added to a coordinator.
    func storeWasAdded(_ store: NSPersistentStore, to coordinator: NSPersistentStoreCoordinator) {
        let posts = StoreFlag.isSet(NSPersistentStoreRemoteChangeNotificationPostOptionKey, in: store.options)
        if posts || lock.withLock({ !listeners.isEmpty }) { follow(store, of: coordinator, posts: posts) }
    }

    /// Called before a store is removed from its coordinator; after this it posts nothing.
    func storeWillBeRemoved(_ store: NSPersistentStore) {
        lock.withLock { followers.removeValue(forKey: ObjectIdentifier(store)) }?.end()
    }

    private func follow(_ store: NSPersistentStore, of coordinator: NSPersistentStoreCoordinator, posts: Bool) {
        guard let store = store as? any HistoryKeeping else { return }
        let follower = lock.withLock { () -> StoreFollower? in
            guard followers[ObjectIdentifier(store)] == nil else { return nil }
            let follower = StoreFollower(store, coordinator, self, posts: posts)
            followers[ObjectIdentifier(store)] = follower
            return follower
        }
        follower?.start()
    }

    /// Yields an element for each commit; commits are joined while the consumer is busy.
    func news(of coordinator: NSPersistentStoreCoordinator) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = lock.withLock {
            lastListener += 1
            listeners[lastListener] = continuation
            return lastListener
        }
        continuation.onTermination = { [weak self] _ in self?.endListener(number) }
        for store in coordinator.attachedStores { follow(store, of: coordinator, posts: false) }
        return stream
    }

    /// Once the last listener has ended, stores that do not post notifications are no longer followed.
    private func endListener(_ number: Int) {
        let ended = lock.withLock { () -> [StoreFollower] in
            listeners[number] = nil
            guard listeners.isEmpty else { return [] }
            let ended = followers.filter { !$0.value.posts }
            for key in ended.keys { followers[key] = nil }
            return Array(ended.values)
        }
        for follower in ended { follower.end() }
    }

    func tellListeners() {
        for listener in lock.withLock({ Array(listeners.values) }) { listener.yield() }
    }
}
