// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps one connection of news for all readers, and knows the revision of the last pull (H9).
import CoreDataSyncProtocol
import Foundation
import Synchronization

/// The connection of news of a transport.
///
/// # Invariants
/// (1) A reader gets a note if the server gave a greater revision than the last pull brought, also while nobody read.
/// (2) After a lost connection there is a note, because some may have been missed; a pull that begins later answers it.
/// (3) One connection at most; none without readers after the time of lingering.
final class NewsLine: Sendable {
    typealias Listen = @Sendable (_ receive: (SyncNews) -> Void) async throws -> Void
    typealias Reader = AsyncThrowingStream<SyncNews, any Error>.Continuation

    private struct State {
        var readers: [Int: Reader] = [:]
        var count = 0
        var heard: Int64 = 0
        var pulled: Int64 = 0
        /// (2)
        var isUnsure = false
        var connection: Task<Void, Never>?
        /// Changes with each reader, so that the end of lingering finds out whether one came.
        var visit = 0
        var isClosed = false

        var news: SyncNews? { heard > pulled || isUnsure ? SyncNews(revision: heard) : nil }
    }

    private let pauses: RetryPauses
    private let lingering: Duration
    private let state = Mutex(State())

    init(pauses: RetryPauses, lingering: Duration) {
        self.pauses = pauses
        self.lingering = lingering
    }

    /// A stream for one reader.
    ///
    /// - Parameter listen: makes one connection, and ends with it.
    func stream(_ listen: @escaping Listen) -> AsyncThrowingStream<SyncNews, any Error> {
        let (stream, reader) = AsyncThrowingStream.makeStream(
            of: SyncNews.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.count += 1
            state.visit += 1
            state.readers[state.count] = reader
            if let news = state.news { reader.yield(news) }
            if state.connection == nil { state.connection = Task { await self.keep(listen) } }
            return state.count
        }
        guard let number else {
            reader.finish(throwing: HTTPTransportError.closed)
            return stream
        }
        reader.onTermination = { [weak self] _ in self?.leave(number) }
        return stream
    }

    func close() { end(HTTPTransportError.closed) { $0.isClosed = true } }

    /// A pull that begins now has all changes before now.
    func beginPull() { state.withLock { $0.isUnsure = false } }

    /// - Parameter revision: that of the last page.
    func endPull(_ revision: Int64) { state.withLock { $0.pulled = revision } }

    // MARK: Connection

    private func keep(_ listen: Listen) async {
        var pauses = pauses
        var isFirst = true
        while !Task.isCancelled {
            var isNew = true
            do {
                try await listen { note in
                    pauses.reset()
                    receive(note, isUnsure: isNew && !isFirst, isNew: isNew)
                    isNew = false
                    isFirst = false
                }
            } catch {
                // A cancelled connection has no readers, or those of the next one.
                guard !Task.isCancelled else { return }
                guard RetryDecision(error) == .again else { return end(error) { _ in } }
            }
            try? await Task.sleep(for: pauses.next())
        }
    }

    private func receive(_ note: SyncNews, isUnsure: Bool, isNew: Bool) {
        let readers: [Reader] = state.withLock { state in
            // The first note of a connection counts alone: a restored server may have an older revision.
            state.heard = isNew ? note.revision : max(state.heard, note.revision)
            state.isUnsure = state.isUnsure || isUnsure
            return state.news == nil ? [] : Array(state.readers.values)
        }
        for reader in readers { reader.yield(note) }
    }

    private func end(_ error: any Error, _ change: (inout State) -> Void) {
        let (readers, connection) = state.withLock { state in
            change(&state)
            defer {
                state.readers = [:]
                state.connection = nil
            }
            return (Array(state.readers.values), state.connection)
        }
        connection?.cancel()
        for reader in readers { reader.finish(throwing: error) }
    }

    private func leave(_ number: Int) {
        let visit: Int? = state.withLock { state in
            state.readers[number] = nil
            return state.readers.isEmpty && state.connection != nil ? state.visit : nil
        }
        guard let visit else { return }
        Task { [weak self, lingering] in
            try? await Task.sleep(for: lingering)
            self?.hangUp(visit)
        }
    }

    /// (3)
    private func hangUp(_ visit: Int) {
        let connection: Task<Void, Never>? = state.withLock { state in
            guard state.readers.isEmpty, state.visit == visit else { return nil }
            defer { state.connection = nil }
            return state.connection
        }
        connection?.cancel()
    }
}
