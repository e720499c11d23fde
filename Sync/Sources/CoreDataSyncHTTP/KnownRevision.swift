// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers the latest revision that a service gave a note of.
import CoreDataSyncProtocol
import Synchronization

/// Listens to a service's notes from the first request on.
///
/// A revision is a number of the whole server and says nothing about records, so one user's notes serve all.
final class KnownRevision: Sendable {
    private let revision = Mutex<Int64>(0)
    private let listening = Mutex<Task<Void, Never>?>(nil)

    deinit { listening.withLock { $0?.cancel() } }

    /// The latest one; 0 if there was no note yet.
    var latest: Int64 { revision.withLock { $0 } }

    /// Begins to listen, unless that was done before.
    func listen(to service: any SyncServing, as user: SyncUser) {
        listening.withLock { listening in
            guard listening == nil else { return }
            let notes = service.news(user: user)
            listening = Task { [weak self] in
                for await note in notes { self?.revision.withLock { $0 = max($0, note.revision) } }
            }
        }
    }
}
