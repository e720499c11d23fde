// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@ManagedObject private final class Shop: NSManagedObject {
    var name: String = ""
    @Attribute(derivedFrom: "canonical:(name)") var sortName: String?
    @Attribute(derivedFrom: "sales.@count") var saleCount: Int?
    @Relationship(inverse: "shop", deleteRule: .cascade) var sales: Set<Sale>
}

@ManagedObject private final class Sale: NSManagedObject {
    var amount: Decimal = 0
    @Relationship(inverse: "sales") var shop: Shop
}

@Suite("Managed classes with derived attributes") struct DerivedTests {
    @Test("read the values that the store computes") func derived() throws {
        let folder = try Folder()
        let model = try NSManagedObjectModel(classes: [Shop.self, Sale.self])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appending(path: "s.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        let shop = Shop(context: context)
        shop.name = "Été"
        for amount in [1, 2] {
            let sale = Sale(context: context)
            sale.amount = Decimal(amount)
            sale.shop = shop
        }
        try context.save()
        context.refreshAllObjects()
        #expect(shop.sortName == "ete" && shop.saleCount == 2)
        #expect(shop.sales.allSatisfy { $0.shop === shop })
        #expect(model.entitiesByName["Sale"]?.relationshipsByName["shop"]?.isOptional == false)
    }

    @Test("a to-one that is never nil is required when it is saved") func requiredDestination() throws {
        let model = try NSManagedObjectModel(classes: [Shop.self, Sale.self])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let folder = try Folder()
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appending(path: "s.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: NSManagedObjectContextConcurrencyType(rawValue: 0)!)
        context.persistentStoreCoordinator = coordinator
        _ = Sale(context: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
    }
}
