// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A bookshop with nested contexts.

public import CoreData
import Foundation

/// A root context on a store, its child, and a grandchild. Those on the main queue are used directly there.
public final class Family {
    public let shop: Bookshop
    public let root: NSManagedObjectContext
    public let child: NSManagedObjectContext
    public let grandchild: NSManagedObjectContext

    public init(
        in kind: StoreKind, _ type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
    ) throws {
        shop = try Bookshop(in: kind)
        root = shop.stack.newContext(type)
        root.name = "root"
        child = Self.child(of: root, type, "child")
        grandchild = Self.child(of: child, type, "grandchild")
    }

    private static func child(
        of parent: NSManagedObjectContext, _ type: NSManagedObjectContextConcurrencyType, _ name: String
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.parent = parent
        context.name = name
        return context
    }

    /// Another child of the root.
    public func sibling(
        _ type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
    ) -> NSManagedObjectContext { Self.child(of: root, type, "sibling") }

    /// A context on the same coordinator that is no relative of the others.
    public func outsider(
        _ type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
    ) -> NSManagedObjectContext { shop.stack.newContext(type) }

    /// The titles in a context, sorted.
    public func titles(in context: NSManagedObjectContext) throws -> [String] {
        try shop.titles(Book.request(), in: context).sorted()
    }
}
