// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifies a moment of the stores, so that contexts can read the rows of that moment and no newer ones.

public import Foundation

/// The token of a context's query generation, in its notifications.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

/// A moment of the stores that contexts may be pinned to.
///
/// `current` means the moment of the next read. All other tokens come from
/// `NSManagedObjectContext.queryGenerationToken`, and are equal if they refer to the same moment. While such a token is
/// in use, the stores preserve that moment: the WAL of a SQLite store grows in the meantime. Tokens may be used on any
/// thread.
///
/// An archived token can be unarchived only in the process that created it, and only while a token of the same moment
/// is in use there. `current` can always be unarchived.
public final class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // immutable
    /// Pins a context to the moment of its next read.
    public static let current = NSQueryGenerationToken(nil)

    /// nil means the moment of the next read.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) { self.generation = generation }

    /// Returns the token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var hash: Int { generation.map { ObjectIdentifier($0).hashValue } ?? 0 }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSQueryGenerationToken)?.generation === generation && object is NSQueryGenerationToken
    }

    public override var description: String {
        "<NSQueryGenerationToken: \(generation?.identifier.uuidString ?? "current")>"
    }

    // MARK: Archiving

    private static let key = "generation"

    /// True. A decoded token is valid only in the process that encoded it.
    public static var supportsSecureCoding: Bool { true }

    /// - Parameter coder: a keyed one.
    public func encode(with coder: NSCoder) {
        coder.encode((generation?.identifier.uuidString ?? "") as NSString, forKey: Self.key)
    }

    /// - Returns: nil if no token of that moment is in use in this process.
    public init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: Self.key) as String? else { return nil }
        if text.isEmpty {
            generation = nil
        } else {
            guard let known = UUID(uuidString: text).flatMap(QueryGeneration.known) else { return nil }
            generation = known
        }
    }
}
