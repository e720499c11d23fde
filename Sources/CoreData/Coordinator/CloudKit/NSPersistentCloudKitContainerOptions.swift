// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options of a store that syncs.

public import Foundation

/// The iCloud container of a store, which is kept and not used, and the server that the store syncs with.
@available(*, deprecated, message: "Nothing is synchronised with iCloud; set a server, or use NSPersistentContainer.")
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the iCloud container.
    public let containerIdentifier: String

    /// Ours: the server that the store syncs with, in place of iCloud. nil leaves it to the environment.
    public var syncServer: PersistentSyncServer?

    /// Creates options for an iCloud container.
    public init(containerIdentifier: String) { self.containerIdentifier = containerIdentifier }
}

/// Options of `NSPersistentCloudKitContainer.initializeCloudKitSchema(options:)`.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt
    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Only checks the model.
    public static let dryRun = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 2)
    /// Prints the record types.
    public static let printSchema = NSPersistentCloudKitContainerSchemaInitializationOptions(rawValue: 4)
}

extension NSPersistentStoreDescription {
    private static let cloudKitKey = "NSCloudKitMirroringDelegateOptions"

    /// The iCloud container of the store and the server that it syncs with.
    @available(*, deprecated, message: "Nothing is synchronised with iCloud; set a server.")
    public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
        get { options[Self.cloudKitKey] as? NSPersistentCloudKitContainerOptions }
        set { setOption(newValue, forKey: Self.cloudKitKey) }
    }
}
