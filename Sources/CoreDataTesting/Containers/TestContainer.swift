// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A container for one test: its store is new, and goes away with it.

public import CoreData
public import Foundation

/// A container with a new store, which is removed when the container is released.
///
/// ```swift
/// let container = try TestContainer(Notebook.model)  // in memory
/// let onDisk = try TestContainer(Notebook.model, in: .file)
/// ```
///
/// It is an `NSPersistentContainer` with open stores: pass it to the code that a test tries. Keep it until the end of
/// the test: its store goes away with it, and contexts cannot read any more.
///
/// - Important: may be made on any thread, and by parallel tests.
/// - SeeAlso: `StoreTemplate` for a store with data, `watch(_:)` for statements and leaks, `Fixture`, `Seed`.
public final class TestContainer: NSPersistentContainer, @unchecked Sendable {  // `place` and `log` are constants
    let place: OwnPlace
    let log = StatementLog()

    /// The location of the store: "/dev/null" for one in memory. A schema on a server is named in the query.
    public var storeURL: URL { place.url }

    /// Makes an empty store and opens it.
    ///
    /// ```swift
    /// let container = try TestContainer(model, in: .file, options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    /// ```
    ///
    /// - Parameters:
    ///   - model: the model. All containers of a test program may share one.
    ///   - place: `.memory` unless given.
    ///   - options: options of the store, as in `NSPersistentStoreDescription`.
    /// - Throws: the errors of opening a store, and `TestingError.unusablePlace`.
    public convenience init(
        _ model: NSManagedObjectModel, in place: TestPlace = .memory, options: [String: NSObject] = [:]
    ) throws {
        try self.init(model, OwnPlace(place), options)
    }

    /// - Parameter place: nothing, or files of a store. They are removed if the store cannot be opened.
    init(_ model: NSManagedObjectModel, _ place: OwnPlace, _ options: [String: NSObject]) throws {
        self.place = place
        super.init(name: "Test", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: place.url)
        description.type = place.type
        description.shouldAddStoreAsynchronously = false
        for (key, value) in options { description.setOption(value, forKey: key) }
        persistentStoreDescriptions = [description]
        persistentStoreCoordinator.storeObservers = [log]
        Self.countFaults(of: viewContext)
        try open()
    }

    /// A context as the base class makes it. It counts faults that fire one at a time, also in release builds.
    public override func newBackgroundContext() -> NSManagedObjectContext {
        let context = super.newBackgroundContext()
        Self.countFaults(of: context)
        return context
    }

    private static func countFaults(of context: NSManagedObjectContext) {
        if context.repeatedFaultingPolicy.response == .nothing { context.repeatedFaultingPolicy = .warning }
    }

    deinit {
        for store in persistentStoreCoordinator.persistentStores { try? persistentStoreCoordinator.remove(store) }
        if place.isOnServer {
            try? persistentStoreCoordinator.destroyPersistentStore(at: place.url, ofType: place.type)
        }
        if let folder = place.folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Opens the store, which is closed.
    private func open() throws {
        var failure: (any Error)?
        loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }

    /// Runs a block, and puts the store back to its state before the block. What the block saved is gone afterwards,
    /// from whichever context of this container it was saved.
    ///
    /// ```swift
    /// try container.rollBackAfter {
    ///     try importer.run(in: container)
    ///     #expect(try container.viewContext.count(for: Memo.fetchRequest()) == 100)
    /// }
    /// ```
    ///
    /// For test programs that share one container among tests; a container for each test is simpler, and lets tests run
    /// at the same time. All contexts of the container are reset, before the block and after it.
    ///
    /// - Returns: the result of the block. Do not return objects: they have no values any more.
    /// - Throws: the error of the block, after the store is back; errors of the file system;
    ///   `TestingError.notSupported` for a store that has no file. Then the block did not run.
    /// - Important: nothing else may use the container meanwhile. Call it on the main thread if `viewContext` was used.
    /// - Complexity: closes, copies and opens the store twice; a copy takes no time on file systems that share blocks.
    public func rollBackAfter<T>(_ body: () throws -> T) throws -> T {
        let before = try saved()
        defer { try? FileManager.default.removeItem(at: before) }
        let result = Result { try body() }
        try restore(before)
        return try result.get()
    }

    /// The form for asynchronous code.
    public func rollBackAfter<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        let before = try saved()
        defer { try? FileManager.default.removeItem(at: before) }
        let result: Result<T, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try restore(before)
        return try result.get()
    }

    /// Copies the files of the store into a folder beside them.
    private func saved() throws -> URL {
        guard let folder = place.folder else {
            throw TestingError.notSupported(
                "A store \(place.isOnServer ? "on a server" : "in memory") cannot be put back: make a container for each "
                    + "test, or one with `in: .file`.")
        }
        let copy = folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + "-before")
        try closed { try FileClone.copyFolder(folder, to: copy) }
        return copy
    }

    private func restore(_ before: URL) throws {
        guard let folder = place.folder else { return }
        try closed {
            try FileManager.default.removeItem(at: folder)
            try FileClone.copyFolder(before, to: folder)
        }
    }

    /// Resets all contexts, and runs the body while the store is closed.
    private func closed(_ body: () throws -> Void) throws {
        for context in persistentStoreCoordinator.liveContexts.reversed() { context.performAndWait { context.reset() } }
        for store in persistentStoreCoordinator.persistentStores { try persistentStoreCoordinator.remove(store) }
        let result = Result { try body() }
        try open()
        try result.get()
    }
}
