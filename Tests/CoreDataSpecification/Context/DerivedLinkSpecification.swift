// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that derived attributes follow members without an inverse, and members of objects of subentities.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Derived attributes over unusual members") struct DerivedLinkSpecification {
    /// Carts have items without an inverse; large carts have helpers, and share the table of carts.
    private static func model() -> NSManagedObjectModel {
        let (cart, large) = (NSEntityDescription("Cart"), NSEntityDescription("LargeCart"))
        let (item, helper) = (NSEntityDescription("Item"), NSEntityDescription("Helper"))
        item.attribute("price", .integer64AttributeType)
        helper.attribute("wage", .integer64AttributeType)
        cart.attribute("name", .stringAttributeType)
        cart.relationship("items", .many, to: item)
        cart.derived("total", .integer64AttributeType, "sum:(items.price)")
        cart.derived("size", .integer64AttributeType, "items.@count")
        cart.subentities = [large]
        large.relate("helpers", .many, to: helper, inverse: "cart", .one)
        large.derived("wages", .integer64AttributeType, "sum:(helpers.wage)")
        return NSManagedObjectModel(cart, large, item, helper)
    }

    private func values(_ object: NSManagedObject, _ keys: [String], in stack: Stack) -> [Int?] {
        let context = stack.newContext()
        return withExtendedLifetime(context) {
            let fresh = context.object(with: object.objectID)
            return keys.map { fresh.value(forKey: $0) as? Int }
        }
    }

    @Test(
        "a sum over members without an inverse follows changes of the members alone",
        arguments: StoreKind.builtIn.filter { $0 != .sqlite })
    func withoutInverse(kind: StoreKind) throws {
        let stack = try Stack(kind, Self.model())
        let cart = stack.insert("Cart")
        let items = [1, 10, 100].map { price in
            let item = stack.insert("Item")
            item.setValue(price, forKey: "price")
            return item
        }
        cart.setValue(NSSet(array: Array(items.prefix(2))), forKey: "items")
        try stack.context.save()
        #expect(values(cart, ["total", "size"], in: stack) == [11, 2])
        items[0].setValue(5, forKey: "price")
        try stack.context.save()
        #expect(values(cart, ["total"], in: stack) == [15])
        items[2].setValue(200, forKey: "price")
        try stack.context.save()
        #expect(values(cart, ["total"], in: stack) == [15])
        stack.context.delete(items[1])
        try stack.context.save()
        #expect(values(cart, ["total"], in: stack) == [5])
    }

    @Test("a sum of a subentity's members concerns its own rows of the shared table", arguments: StoreKind.builtIn)
    func subentity(kind: StoreKind) throws {
        let model = Self.model()
        if kind == .sqlite {
            let cart = try #require(model.entitiesByName["Cart"])
            cart.properties.removeAll { $0 is NSDerivedAttributeDescription }
        }
        let stack = try Stack(kind, model)
        let (plain, large) = (stack.insert("Cart"), stack.insert("LargeCart"))
        plain.setValue("plain", forKey: "name")
        let helpers = [3, 4].map { wage in
            let helper = stack.insert("Helper")
            helper.setValue(wage, forKey: "wage")
            helper.setValue(large, forKey: "cart")
            return helper
        }
        try stack.context.save()
        #expect(values(large, ["wages"], in: stack) == [7])
        helpers[0].setValue(30, forKey: "wage")
        try stack.context.save()
        #expect(values(large, ["wages"], in: stack) == [34])
        helpers[1].setValue(nil, forKey: "cart")
        try stack.context.save()
        #expect(values(large, ["wages"], in: stack) == [30])
    }
}
