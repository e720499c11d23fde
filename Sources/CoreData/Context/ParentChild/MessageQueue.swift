// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Messages from any thread to one context.

import Synchronization

/// Any thread posts, one queue takes.
final class MessageQueue<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let count = Atomic<Int>(0)

    /// Costs one load.
    @inline(__always) var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// - Returns: whether the queue was empty before: then the receiver must be called.
    @discardableResult
    func post(_ message: Message) -> Bool {
        messages.withLock { messages in
            messages.append(message)
            count.store(messages.count, ordering: .releasing)
            return messages.count == 1
        }
    }

    func take() -> [Message] {
        messages.withLock { messages in
            count.store(0, ordering: .relaxed)
            defer { messages = [] }
            return messages
        }
    }
}
