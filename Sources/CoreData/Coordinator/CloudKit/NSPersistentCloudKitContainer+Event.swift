// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The events that a container posts while its store syncs with a server.

public import Foundation
import Synchronization

@available(*, deprecated, message: "Nothing is synchronised with iCloud; set a server, or use NSPersistentContainer.")
extension NSPersistentCloudKitContainer {
    /// A setup, an import or an export: posted when it begins, and again with the same identifier when it ends.
    ///
    /// ```swift
    /// let value = notification.userInfo?[NSPersistentCloudKitContainer.eventNotificationUserInfoKey]
    /// if let event = value as? NSPersistentCloudKitContainer.Event, let error = event.error { print(error) }
    /// ```
    /// An instance does not change; the end is another instance.
    public final class Event: NSObject, Sendable {
        /// Identifies the setup, import or export.
        public let identifier: UUID
        /// The identifier of the store.
        public let storeIdentifier: String
        /// Setup, import or export.
        public let type: EventType
        /// The time of its beginning.
        public let startDate: Date
        /// The time of its end; nil until then.
        public let endDate: Date?
        /// Whether it ended without an error; false until the end.
        public let succeeded: Bool
        /// The error that ended it; nil for success, and until the end.
        public let error: (any Error)?

        fileprivate init(_ type: EventType, _ storeIdentifier: String) {
            identifier = UUID()
            self.storeIdentifier = storeIdentifier
            self.type = type
            startDate = Date()
            endDate = nil
            succeeded = false
            error = nil
        }

        /// The end of an event.
        fileprivate init(_ event: Event, endedWith error: (any Error)?) {
            identifier = event.identifier
            storeIdentifier = event.storeIdentifier
            type = event.type
            startDate = event.startDate
            endDate = Date()
            succeeded = error == nil
            self.error = error
        }
    }
}

/// Makes the events of one store, and posts them.
@available(*, deprecated, message: "Nothing is synchronised with iCloud; set a server, or use NSPersistentContainer.")
final class CloudSyncEvents: @unchecked Sendable {  // `container` is read only
    private weak var container: NSPersistentCloudKitContainer?
    private let storeIdentifier: String
    private let open = Mutex<[PersistentSyncStage: NSPersistentCloudKitContainer.Event]>([:])

    init(container: NSPersistentCloudKitContainer, storeIdentifier: String) {
        self.container = container
        self.storeIdentifier = storeIdentifier
    }

    func note(_ step: PersistentSyncStep) {
        guard let container else { return }
        let event: NSPersistentCloudKitContainer.Event?
        switch step {
        case .began(let stage):
            let new = NSPersistentCloudKitContainer.Event(stage, storeIdentifier)
            open.withLock { $0[stage] = new }
            event = new
        case .ended(let stage, let error):
            event = open.withLock { $0.removeValue(forKey: stage) }.map { .init($0, endedWith: error) }
        }
        guard let event else { return }
        NotificationCenter.default.post(
            name: type(of: container).eventChangedNotification, object: container,
            userInfo: [type(of: container).eventNotificationUserInfoKey: event])
    }
}
