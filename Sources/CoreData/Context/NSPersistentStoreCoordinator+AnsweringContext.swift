// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts for stores that answer with managed objects. They post no notifications, and their saves are not merged
// (B3).

extension NSPersistentStoreCoordinator: AnsweringCoordinator {
    func makeAnsweringContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinedType)
        context.persistentStoreCoordinator = self
        context.state.registry.isSilent = true
        context.state.notices.isSilent = true
        return context
    }
}

extension NSManagedObjectContextConcurrencyType {
    /// The confinement type, which is deprecated for programs.
    static var confinedType: Self { Self(rawValue: 0) ?? .privateQueueConcurrencyType }
}
