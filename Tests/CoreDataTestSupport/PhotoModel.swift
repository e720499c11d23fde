// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for large data.

public import CoreData

/// A photo has a name and data.
public enum PhotoModel {
    /// - Parameter external: whether large data is in external files.
    public static func make(external: Bool = true) -> NSManagedObjectModel {
        let photo = NSEntityDescription("Photo")
        photo.attribute("name", .stringAttributeType)
        photo.attribute("data", .binaryDataAttributeType).allowsExternalBinaryDataStorage = external
        return NSManagedObjectModel(photo)
    }
}
