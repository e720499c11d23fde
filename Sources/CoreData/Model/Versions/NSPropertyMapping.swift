// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The mapping of one property: the expression for the value of a new object.

public import Foundation

/// Describes the value of one attribute or relationship of the objects that an entity mapping makes.
///
/// ```swift
/// let title = NSPropertyMapping()
/// title.name = "title"
/// title.valueExpression = NSExpression(format: "$source.name")
/// ```
///
/// Mutable; use it on one thread at a time.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination entity. nil unless set.
    open var name: String?

    /// The expression for the value. It may use the variables `$manager`, `$source`, `$destination`, `$entityMapping`,
    /// `$propertyMapping` and `$entityPolicy`. nil leaves the default value.
    open var valueExpression: NSExpression?

    /// Entries of the author of the mapping, without effect. nil unless set.
    open var userInfo: [AnyHashable: Any]?

    /// Makes a mapping without name and expression.
    public override init() { super.init() }

    init(_ name: String, _ valueExpression: NSExpression?) {
        self.name = name
        self.valueExpression = valueExpression
        super.init()
    }

    /// Compares by content.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return self === other || MappingEquality.areEqual(self, other)
    }

    /// Equal mappings have equal hashes. The hash depends on the name.
    open override var hash: Int { name.hashValue }

    open override var description: String {
        "<NSPropertyMapping \(name ?? ""): \(valueExpression?.description ?? "the default")>"
    }
}
