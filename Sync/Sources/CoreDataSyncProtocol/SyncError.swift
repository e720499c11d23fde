// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of the protocol.
public import Foundation

/// The reasons for which a server refuses a whole request, and the codes of refusals that are no validation errors.
public enum SyncErrorCode: Int, Hashable, Sendable, Codable, CaseIterable {
    /// The request is not of the protocol's form.
    case malformed = 1
    /// The server does not speak this version of the protocol.
    case version = 2
    /// The device's model is too old; the text names the version that it needs.
    case upgrade = 3
    /// The request has too many changes, or too much data.
    case tooLarge = 4
    /// Too many requests in a short time.
    case tooMany = 5
    /// The credentials are missing or wrong.
    case unauthenticated = 6
    /// The user may not read or write this.
    case notPermitted = 7
    /// The batch has a number that was answered for another batch: two replicas use one id. Take a new id.
    case forked = 8
    /// A batch before this one is missing. Take a new id.
    case gap = 9
    /// The server no longer has the changes after the place. Pull everything.
    case startAnew = 10
    /// The server cannot serve the request now. Try again.
    case unavailable = 11
    /// A change names an entity that the server does not have or does not sync.
    case unknownEntity = 12
    /// A change names a property that the server does not have or does not sync.
    case unknownProperty = 13
    /// A value is not of the attribute's type.
    case wrongType = 14
    /// A link or an update names a record that the server has never had.
    case unknownRecord = 15
    /// A name belongs to a record of another entity.
    case wrongEntity = 16
    /// The server does not have the bytes of a large value that a batch names, or a record no longer has the value that
    /// a request for bytes names.
    case missingData = 17
}

/// An error that a server gives for a whole request. Nothing of the request was applied.
public struct SyncError: Error, Hashable, Sendable, Codable {
    /// The domain of errors with these codes.
    public static let domain = "CoreDataSync"
    /// The reason.
    public var code: SyncErrorCode
    /// For people; without values of records and without credentials.
    public var text: String

    /// Creates an error.
    public init(_ code: SyncErrorCode, _ text: String) {
        self.code = code
        self.text = text
    }
}

extension SyncError: CustomNSError, LocalizedError {
    /// `CoreDataSync`.
    public static var errorDomain: String { domain }
    /// The number of the code in `Documentation/Protocol.md`.
    public var errorCode: Int { code.rawValue }
    /// The text.
    public var errorDescription: String? { text }
    /// The text, for programs that see an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
}
