// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The container class of apps that synchronize with iCloud; it only stores locally.

public import Foundation
import Synchronization

/// A container that keeps its stores locally, as Apple's class does without an iCloud account.
///
/// Programs that name Apple's class compile and run with this one. It opens its stores with a history, synchronizes
/// nothing, and logs that once.
@available(*, deprecated, message: "Nothing is synchronised with iCloud; use NSPersistentContainer.")
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Posted by Apple's framework when a synchronization begins or ends; never posted here.
    open class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// User info key of `eventChangedNotification`.
    open class var eventNotificationUserInfoKey: String { "event" }

    private static let isLogged = Atomic<Bool>(false)

    /// Opens the stores, with a history unless their descriptions say otherwise.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        if !Self.isLogged.exchange(true, ordering: .relaxed) {
            DiagnosisLog.warn("NSPersistentCloudKitContainer synchronises nothing with iCloud: its stores stay local.")
        }
        for description in persistentStoreDescriptions
        where description.options[NSPersistentHistoryTrackingKey] == nil {
            description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        }
        super.loadPersistentStores(completionHandler: block)
    }

    /// Creates the record types of the model in iCloud, on Apple's systems.
    ///
    /// - Throws: 134400 always: there is no iCloud account.
    open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
        throw CoreDataError.make(
            CocoaError.Code(rawValue: 134_400),
            "The schema of '\(name)' cannot be created in iCloud: this framework does not synchronise with it.")
    }
}

/// The iCloud container of a store. Kept with its description, and not used.
@available(*, deprecated, message: "Nothing is synchronised with iCloud.")
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The identifier of the iCloud container.
    public let containerIdentifier: String

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

    /// The iCloud container of the store. Kept, and not used.
    @available(*, deprecated, message: "Nothing is synchronised with iCloud.")
    public var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions? {
        get { options[Self.cloudKitKey] as? NSPersistentCloudKitContainerOptions }
        set { setOption(newValue, forKey: Self.cloudKitKey) }
    }
}
