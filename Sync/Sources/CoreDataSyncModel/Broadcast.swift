// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands values to any number of streams.
import Foundation
import Synchronization

/// Each stream gets every value that is posted after it was made. A slow reader misses the oldest ones.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct Readers {
        var streams: [Int: AsyncStream<Element>.Continuation] = [:]
        var count = 0
    }

    private let readers = Mutex(Readers())
    private let most: Int

    /// - Parameter most: the number of unread values that a stream keeps.
    package init(keeping most: Int) { self.most = most }

    package func post(_ element: Element) {
        for stream in readers.withLock({ Array($0.streams.values) }) { stream.yield(element) }
    }

    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(most))
        let number = readers.withLock { readers in
            readers.count += 1
            readers.streams[readers.count] = continuation
            return readers.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.readers.withLock { readers in _ = readers.streams.removeValue(forKey: number) }
        }
        return stream
    }
}
