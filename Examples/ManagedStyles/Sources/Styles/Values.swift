// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Numbers, objects and values.

import CoreData

class Scalars: NSManagedObject {
    @NSManaged var small: Int16
    @NSManaged var middle: Int32
    @NSManaged var big: Int64, plain: Int
    @NSManaged var flag: Bool
    @NSManaged var ratio: Double
    @NSManaged var part: Float
    @NSManaged var moment: TimeInterval
}

final class Objects: NSManagedObject {
    @NSManaged var number: NSNumber?
    @NSManaged var real: NSNumber!
    @NSManaged var truth: NSNumber?
    @NSManaged var price: NSDecimalNumber?
    @NSManaged var exact: Decimal
    @NSManaged var text: NSString?
    @NSManaged var day: NSDate?
}

public class Values: NSManagedObject {
    @NSManaged public var title: String
    @NSManaged public var born: Foundation.Date?
    @NSManaged public var bytes: Data?
    @NSManaged public var id: UUID?
    @NSManaged public var link: URL?
}

// The class name in the model is CDAnything.
#if canImport(ObjectiveC)
    @objc(CDAnything)
#endif
class Anything: NSManagedObject {
    typealias Words = [String]
    @NSManaged var words: Words?
    @NSManaged var counts: [String: Int]
    @NSManaged var some: NSObject?
}
