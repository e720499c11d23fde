// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public values of paging with cursors: a cursor, a page, and the errors of cursors.

public import Foundation

/// A position in the order of a request, as a text that a client may keep and send back.
///
/// ```swift
/// let request = Memo.fetchRequest()
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let first = try context.page(request, size: 2)
/// let text = first.next?.rawValue ?? ""  // to a browser, and back
/// let second = try context.page(request, after: FetchCursor(rawValue: text), size: 2)
/// ```
///
/// A cursor is made by `NSManagedObjectContext.page(_:after:size:signedWith:)` and holds the sort values of the last
/// result and its id. It fits requests with the same entity, predicate and order, on the same stores and the same
/// version of the entity.
///
/// - Important: a value; may be used on any thread. The text is readable: sign it so that clients cannot change it, and
///   do not sort by values that they must not see.
/// - Complexity: some 200 characters, and the sort values.
public struct FetchCursor: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Letters, digits, `-` and `_`: it needs no escaping in an address.
    public let rawValue: String

    /// A cursor from its text. The text is checked when the cursor is used.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text.
    public var description: String { rawValue }
}

/// Some results of a request, in order, and the cursor of the next ones.
public struct FetchPage<Element> {
    /// At most as many as the size of the page.
    public let results: [Element]
    /// The position after the last result; nil if there are no more results at present.
    public let next: FetchCursor?

    package init(results: [Element], next: FetchCursor?) {
        self.results = results
        self.next = next
    }
}

extension FetchPage: Sendable where Element: Sendable {}

/// The reason why a page cannot be read, with entity and property.
///
/// ```swift
/// do {
///     _ = try context.page(request, after: FetchCursor(rawValue: "not a cursor"), size: 20)
/// } catch let error as FetchCursorError {
///     print(error.reason, error.entityName)  // malformed Memo
/// }
/// ```
public struct FetchCursorError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of reasons.
    public enum Reason: String, Sendable, Hashable {
        /// The text is not that of a cursor.
        case malformed
        /// The text was changed, or it was signed with another key, or only one of both sides has a key.
        case altered
        /// The cursor is of a request for another entity.
        case otherEntity
        /// The entity had another version when the cursor was made.
        case otherModel
        /// The cursor is of a request with another predicate, order, or other stores.
        case otherRequest
        /// The cursor is at an object that was not saved, in another context.
        case unsavedObject
        /// The request sorts by objects or by values without an order.
        case unsupportedOrder
        /// The request has a limit, an offset or another result type than objects, or the size is less than 1.
        case unsupportedRequest
    }

    /// The kind of the reason.
    public let reason: Reason
    /// The entity of the request.
    public let entityName: String
    /// The key path of a sort descriptor; nil for errors about none.
    public let propertyName: String?
    private let sentence: String

    package init(_ reason: Reason, entity: String, property: String? = nil, _ sentence: String) {
        self.reason = reason
        entityName = entity
        propertyName = property
        self.sentence = sentence
    }

    /// Place and reason, in a sentence.
    public var description: String {
        "The page of '\(entityName)\(propertyName.map { ".\($0)" } ?? "")' cannot be read: \(sentence)"
    }

    /// The description.
    public var errorDescription: String? { description }
}
