// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contents of notifications that are made for observers only: every way of observing receives them.

import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Documentation/Internals/Changes.md, "The notifications".
@Suite("Contents of a notification") struct DeferredNotificationTests {
    private final class Sender: NSObject, Sendable {}

    /// Counts the contents that were made, and keeps the notifications that observers received.
    private final class Record: Sendable {
        let made = Atomic<Int>(0)
        let received = Mutex<[String]>([])

        func contents() -> [AnyHashable: Any] {
            made.add(1, ordering: .relaxed)
            return ["members": Set([1, 2])]
        }

        func receive(_ notification: Notification, as observer: String) {
            let members = notification.userInfo?["members"] as? Set<Int>
            received.withLock { $0.append("\(observer): \(notification.name.rawValue) \(members?.sorted() ?? [])") }
        }
    }

    private let name = Notification.Name("DeferredNotificationTests-\(UUID())")

    private func post(_ record: Record, _ sender: Sender) {
        NotificationCenter.default.post(name, of: sender) { record.contents() }
    }

    /// Whether the compiler is one with which contents are made for observers only (Changes-N3).
    #if canImport(FoundationEssentials) && compiler(>=6.3) && compiler(<6.4)
        private static let defersContents = !PortableMode.isOn
    #else
        private static let defersContents = false
    #endif

    /// Changes-N1
    @Test("are not made without an observer", .enabled(if: Self.defersContents)) func unobserved() {
        let (record, sender, other) = (Record(), Sender(), Sender())
        let token = NotificationCenter.default.addObserver(forName: name, object: other, queue: nil) { notification in
            record.receive(notification, as: "another sender's")
        }
        post(record, sender)
        NotificationCenter.default.removeObserver(token)
        #expect(record.made.load(ordering: .relaxed) == 0)
        #expect(record.received.withLock { $0 } == [])
    }

    /// Changes-N1, N2
    @Test("are made once for observers of the name, of the sender, of both and of everything") func observed() {
        let (record, sender) = (Record(), Sender())
        let center = NotificationCenter.default
        let name = name
        let tokens = [
            center.addObserver(forName: name, object: nil, queue: nil) { record.receive($0, as: "name") },
            center.addObserver(forName: nil, object: sender, queue: nil) { record.receive($0, as: "sender") },
            center.addObserver(forName: name, object: sender, queue: nil) { record.receive($0, as: "both") },
            center.addObserver(forName: nil, object: nil, queue: nil) { notification in
                if notification.name == name { record.receive(notification, as: "everything") }
            },
        ]
        post(record, sender)
        for token in tokens { center.removeObserver(token) }
        post(record, sender)
        let received = record.received.withLock { $0.sorted() }
        let expected = ["both", "everything", "name", "sender"].map { "\($0): \(name.rawValue) [1, 2]" }
        #expect(received == expected)
        if Self.defersContents { #expect(record.made.load(ordering: .relaxed) == 1) }
    }

    /// Changes-N2
    @Test("reach an observer on an operation queue") func queued() {
        let (record, sender, queue) = (Record(), Sender(), OperationQueue())
        let token = NotificationCenter.default.addObserver(forName: name, object: sender, queue: queue) {
            record.receive($0, as: "queue")
        }
        post(record, sender)
        queue.waitUntilAllOperationsAreFinished()
        NotificationCenter.default.removeObserver(token)
        #expect(record.received.withLock { $0 } == ["queue: \(name.rawValue) [1, 2]"])
    }
}
