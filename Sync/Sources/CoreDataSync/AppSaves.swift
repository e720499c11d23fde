// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notices the app's saves.
import CoreData
import Foundation

/// The saves of a coordinator's contexts that sync did not make.
struct AppSaves {
    let stream: AsyncStream<Void>

    init(_ coordinator: NSPersistentStoreCoordinator) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = SaveObserver(coordinator) { continuation.yield() }
        continuation.onTermination = { _ in observer.end() }
        self.stream = stream
    }
}

private final class SaveObserver: @unchecked Sendable {  // the token is set once, and ended once
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator, _ body: @escaping @Sendable () -> Void) {
        let wanted = ObjectIdentifier(coordinator)
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { note in
            guard let context = note.object as? NSManagedObjectContext,
                context.persistentStoreCoordinator.map(ObjectIdentifier.init) == wanted,
                !(context.transactionAuthor?.hasPrefix(AppHistory.authorPrefix) ?? false)
            else { return }
            body()
        }
    }

    func end() { token.map(NotificationCenter.default.removeObserver) }
}
