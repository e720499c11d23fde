// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names what stores held at one moment, so that contexts can read that and nothing newer.

public import Foundation

/// The token of a context's query generation, in its notifications.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

/// A moment of the stores that contexts may be pinned to.
///
/// `current` means the moment of the next read. All others are had from `NSManagedObjectContext.queryGenerationToken`,
/// and are equal when they mean the same moment. Whoever holds such a token keeps the stores from forgetting that
/// moment: a SQLite store's write-ahead log grows meanwhile. Tokens may be used on any thread.
///
/// An archived token leads back to its moment as long as somebody in this process holds that; elsewhere, and later, it
/// cannot be unarchived. `current` always can.
public final class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {  // immutable
    /// Tells a context to pin itself to what the stores hold when it next reads.
    public static let current = NSQueryGenerationToken(nil)

    /// nil: the moment of the next read.
    let generation: QueryGeneration?

    init(_ generation: QueryGeneration?) { self.generation = generation }

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

    public static var supportsSecureCoding: Bool { true }

    /// - Parameter coder: a keyed one.
    public func encode(with coder: NSCoder) {
        coder.encode((generation?.identifier.uuidString ?? "") as NSString, forKey: Self.key)
    }

    /// - Returns: nil when nobody in this process holds that moment any more.
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
