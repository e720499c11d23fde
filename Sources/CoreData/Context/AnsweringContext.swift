// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts for stores that answer with managed objects.

extension NSManagedObjectContext {
    /// A context for the time of one answer, on the thread that asked. Its objects are registered nowhere else.
    static func answering(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .confinedType)
        context.persistentStoreCoordinator = coordinator
        context.registry.isSilent = true
        return context
    }
}

extension NSManagedObjectContextConcurrencyType {
    /// The confinement type, which is deprecated for programs.
    static var confinedType: Self { Self(rawValue: 0) ?? .privateQueueConcurrencyType }
}
