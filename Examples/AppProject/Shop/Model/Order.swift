// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A class of the model, as Xcode's users write it.

import CoreData

@objc(Order)
public final class Order: NSManagedObject {
    @NSManaged public var customer: String
    @NSManaged public var placed: Date?
    @NSManaged public var lines: Set<Line>

    public var total: Double { lines.reduce(0) { $0 + Double($1.count) * $1.price } }

    @nonobjc static func of(_ customer: String) -> NSFetchRequest<Order> {
        let request = NSFetchRequest<Order>(entityName: "Order")
        request.predicate = NSPredicate(format: "%K == %@", #keyPath(Order.customer), customer)
        return request
    }
}
