// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the notifications of one name that one context, or one coordinator, posts.

public import CoreData
import Foundation

/// All notifications since the log was made.
public final class NotificationLog: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private var list: [Notification] = []
    private var token: (any NSObjectProtocol)?

    /// - Parameter poster: a context, or a coordinator.
    public init(_ name: Notification.Name, of poster: NSObject) {
        token = NotificationCenter.default.addObserver(forName: name, object: poster, queue: nil) {
            [weak self] notification in
            guard let self else { return }
            lock.withLock { list.append(notification) }
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    public var notifications: [Notification] { lock.withLock { list } }

    public var count: Int { notifications.count }

    /// The objects under a key of the last notification.
    public func objects(_ key: String) -> Set<NSManagedObject> {
        notifications.last?.userInfo?[key] as? Set<NSManagedObject> ?? []
    }

    /// The ids under a key of the last notification.
    public func ids(_ key: String) -> Set<NSManagedObjectID> {
        notifications.last?.userInfo?[key] as? Set<NSManagedObjectID> ?? []
    }
}

extension NSManagedObjectContext {
    /// Saves, and returns the error instead of throwing it; nil for success.
    public func saveFailure() -> NSError? {
        do {
            try save()
            return nil
        } catch {
            return error as NSError
        }
    }
}
