// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands notes of new revisions to the streams of devices.
import CoreDataSyncProtocol
import Foundation
import Synchronization

/// Each reader gets the latest note; a slow one misses those between.
final class NewsBoard: Sendable {
    private struct Readers {
        var streams: [Int: AsyncStream<SyncNews>.Continuation] = [:]
        var count = 0
    }

    private let readers = Mutex(Readers())

    func post(_ news: SyncNews) {
        for stream in readers.withLock({ Array($0.streams.values) }) { stream.yield(news) }
    }

    func stream() -> AsyncStream<SyncNews> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncNews.self, bufferingPolicy: .bufferingNewest(1))
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
