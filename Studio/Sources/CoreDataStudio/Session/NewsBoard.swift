// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sends news to all open pages, as server-sent events.

import Foundation
import Synchronization

/// Events for any number of listeners. A slow listener gets the newest events.
final class NewsBoard: Sendable {
    enum Event: String {
        /// The contents of the store have changed.
        case store
        /// Edits were added or removed.
        case edits
    }

    private struct State {
        var listeners: [Int: AsyncThrowingStream<Data, any Error>.Continuation] = [:]
        var last = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The text of server-sent events. It begins with a comment, so that the browser sees the connection at once.
    func listen() -> AsyncThrowingStream<Data, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(16))
        let (number, isClosed) = state.withLock { state in
            state.last += 1
            if !state.isClosed { state.listeners[state.last] = continuation }
            return (state.last, state.isClosed)
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        continuation.yield(Data(": studio\nretry: 1000\n\n".utf8))
        if isClosed { continuation.finish() }
        return stream
    }

    func tell(_ event: Event) {
        let text = Data("event: \(event.rawValue)\ndata: 1\n\n".utf8)
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(text) }
    }

    /// A comment keeps connections open, and detects closed ones.
    func keepAlive() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(Data(":\n\n".utf8)) }
    }

    /// Ends all streams, also later ones, so that the server can stop.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
