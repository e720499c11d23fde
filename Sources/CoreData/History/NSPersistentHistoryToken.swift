// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names a moment in the history of one store or several.

public import Foundation

/// A place in the history of stores: after one transaction of each of them.
///
/// Keep a token to read the saves after it later.
///
/// ```swift
/// if let seen = coordinator.currentPersistentHistoryToken(fromStores: nil) {
///     let archive = try NSKeyedArchiver.archivedData(withRootObject: seen, requiringSecureCoding: true)
///     try archive.write(to: file)
/// }
/// // In the next launch:
/// let last = try NSKeyedUnarchiver.unarchivedObject(
///     ofClass: NSPersistentHistoryToken.self, from: Data(contentsOf: file))
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: last)
/// ```
///
/// Tokens are values: equal tokens are equal in every process, and both `NSKeyedArchiver` and `Codable` encode them.
/// nil in place of a token means the beginning of the history.
///
/// - Important: immutable; may be used on any thread. A request with a token whose following transactions were deleted
///   throws 134301.
/// - SeeAlso: `NSPersistentStoreCoordinator.currentPersistentHistoryToken(fromStores:)`,
///   `NSPersistentHistoryChangeRequest`, `NSPersistentHistoryTransaction.token`.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Codable, Sendable {
    /// The number of the last transaction before the position, by store UUID; 0 if the position is before the first
    /// one.
    package let numbers: [String: Int64]

    package init(_ numbers: [String: Int64]) { self.numbers = numbers }

    /// The number for a store; nil if the token does not name it.
    func number(of store: String) -> Int64? { numbers[store] }

    /// Returns the token itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    public override var hash: Int { numbers.hashValue }

    public override var description: String {
        let parts = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken \(parts.joined(separator: ", "))>"
    }

    // MARK: Coding

    private static let storesKey = "stores"
    private static let numbersKey = "numbers"

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// - Returns: nil for an archive of something else.
    public init?(coder: NSCoder) {
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Self.storesKey)
        let values = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: Self.numbersKey)
        guard
            let numbers = Self.checked(
                Self.elements(stores).compactMap { $0 as? String ?? ($0 as? NSString).map { String($0) } },
                Self.elements(values).compactMap { AttributeValues.number($0)?.int64Value }),
            numbers.count == Self.elements(stores).count
        else { return nil }
        self.numbers = numbers
    }

    /// Encodes only property list values.
    public func encode(with coder: NSCoder) {
        let sorted = numbers.sorted { $0.key < $1.key }
        coder.encode(sorted.map { $0.key as NSString } as NSArray, forKey: Self.storesKey)
        coder.encode(sorted.map { NSNumber(value: $0.value) } as NSArray, forKey: Self.numbersKey)
    }

    /// - Throws: `DecodingError` for numbers that no token can have.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let values = try container.decode([String: Int64].self)
        guard let numbers = Self.checked(Array(values.keys), Array(values.values)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A history token holds a negative transaction number.")
        }
        self.numbers = numbers
    }

    /// Encodes numbers by store UUID.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(numbers)
    }

    private static func elements(_ list: Any?) -> [Any] { list as? [Any] ?? (list as? NSArray).map(Array.init) ?? [] }

    private static func checked(_ stores: [String], _ numbers: [Int64]) -> [String: Int64]? {
        guard stores.count == numbers.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        return Dictionary(zip(stores, numbers), uniquingKeysWith: max)
    }
}
