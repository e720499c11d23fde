// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Errors of the client that are no answers of the server.
public import Foundation

/// Why a client cannot sync.
public enum SyncFailure: Error, Equatable, Sendable {
    /// The container's store cannot be synced; the text says why.
    case unsuitableStore(String)
    /// The address cannot be that of a server; the text says why.
    case unsuitableServer(String)
    /// The app's history does not have the place up to which it was captured, nor an earlier known one: the history was
    /// purged, or the store was replaced by one that this sidecar does not belong to.
    case unknownStore
    /// The app saves faster than a request takes, so that pulled pages could not be applied between two saves.
    case busy
    /// A batch that waits cannot be read any more, because the file next to the app's store is damaged. Its changes are
    /// captured again, and the next sync sends them.
    case damagedBatch(number: Int64)
    /// No refused change has this id.
    case unknownChange(UUID)
}

extension SyncFailure: CustomNSError, LocalizedError {
    /// The domain of errors with these codes.
    public static var errorDomain: String { "CoreDataSyncClient" }
    /// 1 to 6, in the order of the cases.
    public var errorCode: Int {
        switch self {
        case .unsuitableStore: 1
        case .unsuitableServer: 2
        case .unknownStore: 3
        case .busy: 4
        case .damagedBatch: 5
        case .unknownChange: 6
        }
    }
    /// A sentence for people.
    public var errorDescription: String? {
        switch self {
        case .unsuitableStore(let text), .unsuitableServer(let text): text
        case .unknownStore: "The store next to the app's store belongs to another one, or its history was deleted."
        case .busy: "The app saved so often that the changes of others could not be applied."
        case .damagedBatch(let number):
            "The waiting batch \(number) could not be read. Its changes are captured again for the next sync; deletions "
                + "and differences of counters among them may be lost."
        case .unknownChange(let id): "No refused change has the id \(id.uuidString)."
        }
    }
    /// The sentence, for programs that see an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
