// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statuses of errors.
import CoreDataSyncProtocol
import Foundation
import HTTPTypes

/// An error that is answered, with the headers that HTTP needs for it.
struct Refusal: Error {
    var error: SyncError
    /// The whole seconds of the header `Retry-After`.
    var retryAfter: Int?
    /// Whether the connection ends, because the rest of the request may never arrive.
    var closes = false

    init(_ code: SyncErrorCode, _ text: String, retryAfter seconds: Double? = nil, closes: Bool = false) {
        error = SyncError(code, text)
        retryAfter = seconds.map { Int(max(1, $0.rounded(.up))) }
        self.closes = closes
    }

    /// - Returns: nil for an error that the client shall not see the text of.
    init?(_ error: any Error) {
        switch error {
        case let error as Refusal: self = error
        case let error as SyncError:
            self.init(error.code, error.text, retryAfter: error.code == .unavailable ? 1 : nil)
        case let error as DecodingError: self.init(.malformed, error.place)
        default: return nil
        }
    }
}

extension SyncErrorCode {
    /// The status of an answer with this code. Codes that occur in refusals of groups only are never answered so.
    var status: HTTPResponse.Status {
        switch self {
        case .malformed, .version, .unknownEntity, .unknownProperty, .wrongType, .unknownRecord, .wrongEntity:
            .badRequest
        case .upgrade: .upgradeRequired
        case .tooLarge: .contentTooLarge
        case .tooMany: .tooManyRequests
        case .unauthenticated: .unauthorized
        case .notPermitted: .forbidden
        case .forked, .gap: .conflict
        case .startAnew: .gone
        case .missingData: .notFound
        case .unavailable: .serviceUnavailable
        }
    }
}

extension DecodingError {
    /// The place of the fault in the JSON, without values.
    fileprivate var place: String {
        let path: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        guard !path.isEmpty else { return "The body is not of the protocol's form." }
        let names = path.map { key in key.intValue.map { "[\($0)]" } ?? String(key.stringValue.prefix(64)) }
        return "The body is not of the protocol's form at '\(names.joined(separator: ".").prefix(256))'."
    }
}
