// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for one attribute of any type.

public import CoreData

/// A reading has a value.
public enum ReadingModel {
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - value: a default, which makes the value mandatory.
    ///   - transformer: the name of the transformer of a transformable value.
    public static func make(
        _ type: NSAttributeType, default value: Any? = nil, transformer: String? = nil
    ) -> NSManagedObjectModel {
        let reading = NSEntityDescription("Reading")
        let attribute = reading.attribute("value", type, optional: value == nil, default: value)
        if let transformer { attribute.valueTransformerName = transformer }
        return NSManagedObjectModel(reading)
    }
}
