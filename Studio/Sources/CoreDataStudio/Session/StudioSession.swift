// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The open store of one run of Studio: its context, its views, and the news about it.

package import CoreData
import CoreDataSyncServer
import CoreDataToolKit
import Foundation
import Synchronization

/// One store, as all pages see it. Work on objects is done in `read` and `edit`, on the queue of the context.
package final class StudioSession: Sendable {
    private struct State {
        var desk: Desk
        var watch: Task<Void, Never>?
    }

    private let state: Mutex<State>
    let news = NewsBoard()
    let isWritable: Bool
    let path: String
    let modelPath: String?
    private let modelVersion: String?
    private let overlayPath: String?
    /// The versions of the model file; nil without one.
    let versions: BrowsedModel?

    /// Opens a store.
    ///
    /// - Parameter observer: receives the operations of the store until it is opened anew; nil for none.
    /// - Throws: `BrowsingError`.
    package init(
        path: String, model: String? = nil, modelVersion: String? = nil, overlay: String? = nil,
        isWritable: Bool = false, observer: (any StoreObserver)? = nil
    ) throws {
        // Taken before the store is read, so that no change is missed.
        let stamp = FileStamp(path: path)
        let store = try BrowsedStore(
            path: path, model: model, modelVersion: modelVersion, overlay: overlay, isWritable: isWritable,
            observer: observer)
        self.path = path
        modelPath = model
        self.modelVersion = modelVersion
        overlayPath = overlay
        self.isWritable = isWritable
        versions = try model.map { path in try BrowsedModel(path: path) }
        state = Mutex(State(desk: Desk(store)))
        if isWritable { prepareEditing(store) }
        follow(since: stamp)
    }

    deinit { state.withLock { $0.watch }?.cancel() }

    /// The store at this moment. A store for reading is opened anew after each change of its file.
    var store: BrowsedStore { desk.store }
    private var desk: Desk { state.withLock { $0.desk } }

    /// Whether the store is that of a sync server.
    var isOfSyncServer: Bool { SyncHealth.isServer(store.model) }

    /// Does work on the queue of the context.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Desk) throws -> Result) async throws -> Result {
        let desk = desk
        return try await desk.context.perform { try body(desk) }
    }

    // MARK: News

    private func prepareEditing(_ store: BrowsedStore) {
        store.context.performAndWait {
            let manager = UndoManager()
            manager.groupsByEvent = false
            store.context.undoManager = manager
            store.context.transactionAuthor = "Studio"
        }
    }

    /// Observes the commits of others, according to the mode of the store.
    private func follow(since stamp: FileStamp) {
        let watch =
            isWritable
            ? Task { [weak self, commits = Self.commits(to: store.context.persistentStoreCoordinator)] in
                for await _ in commits { await self?.storeDidChange() }
            }
            : Task { [weak self, path] in
                // A store for reading leaves no trace, so it has no connection that is notified of commits.
                var stamp = stamp
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(300))
                    let now = FileStamp(path: path)
                    guard now != stamp else { continue }
                    guard let self else { return }
                    if reopen() { stamp = now }
                }
            }
        state.withLock { $0.watch = watch }
    }

    /// An element for commits to the stores of a coordinator; unread ones are joined.
    private static func commits(to coordinator: NSPersistentStoreCoordinator?) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { _ in continuation.yield() }
            let observation = Observation(observer: observer)
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(observation.observer) }
        }
    }

    /// Holds an observer, which is only ever removed.
    private struct Observation: @unchecked Sendable {
        let observer: any NSObjectProtocol
    }

    /// Opens the store anew; a file that cannot be opened at this moment is tried again later.
    private func reopen() -> Bool {
        guard
            let store = try? BrowsedStore(
                path: path, model: modelPath, modelVersion: modelVersion, overlay: overlayPath)
        else {
            return false
        }
        state.withLock { $0.desk = Desk(store) }
        news.tell(.store)
        return true
    }

    /// Studio-E4: objects without edits become faults, so that they are read again. Studio-R2.
    private func storeDidChange() async {
        let desk = desk
        await desk.context.perform {
            for object in desk.context.registeredObjects where !object.hasChanges && !object.isFault {
                desk.context.refresh(object, mergeChanges: false)
            }
            desk.views.end()
        }
        news.tell(.store)
    }
}

/// An open store with all that belongs to the queue of its context.
final class Desk: Sendable {
    let store: BrowsedStore
    let views = ViewCache()
    var context: NSManagedObjectContext { store.context }

    /// Studio-Q2: of requests, only statements and searches are cancelled.
    init(_ store: BrowsedStore) {
        self.store = store
        store.context.stopsStatementsOfCancelledTasks = true
    }

    func entity(_ name: String) throws -> NSEntityDescription {
        guard let entity = store.model.entitiesByName[name] else {
            throw SiteFailure(status: 404, message: "The store has no entity '\(name)'.")
        }
        return entity
    }
}

/// The state of a file and its log, as far as it reveals a write.
struct FileStamp: Equatable {
    private let parts: [Int]

    init(path: String) {
        parts = ["", "-wal"].flatMap { suffix -> [Int] in
            var info = stat()
            guard stat(path + suffix, &info) == 0 else { return [0] }
            return [
                Int(info.st_ino), Int(info.st_size), Int(info.st_mtim.tv_sec), Int(info.st_mtim.tv_nsec),
            ]
        }
    }
}
