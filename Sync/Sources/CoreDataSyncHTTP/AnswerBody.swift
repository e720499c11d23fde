// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes answers, compressed if the client accepts that, and errors with their bodies.
import CoreDataSyncCompression
import CoreDataSyncProtocol
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

struct AnswerBody {
    let response: Response

    /// - Parameter request: its headers say which forms the client reads.
    init(_ value: some Encodable, to request: HTTPFields, _ limits: HTTPLimits) throws {
        let packed = (value as? SyncPage).flatMap { Self.isPacked(request[.accept]) ? $0.packed : nil }
        var body = try packed ?? Self.json(value)
        var headers: HTTPFields = [
            .contentType: packed == nil ? "application/json" : syncPackedType, .cacheControl: "no-store",
        ]
        if let name = HTTPField.Name("Accept-Post") { headers[name] = "application/json, \(syncPackedType)" }
        let accepts = request[.acceptEncoding]
        if body.count >= limits.compressedSize, let compression = Self.compression(accepts) {
            body = try compression.compressed(body)
            headers[.contentEncoding] = compression.rawValue
        }
        response = Self.response(.ok, headers, body, limits) { true }
    }

    /// A part of a large value, as it is.
    init(bytes: Data, _ limits: HTTPLimits) {
        let headers: HTTPFields = [.contentType: "application/octet-stream", .cacheControl: "no-store"]
        response = Self.response(.ok, headers, bytes, limits) { true }
    }

    /// An error. The answer is written before the rest of the request is read, so that the client can stop sending.
    static func refusal(_ refusal: Refusal, _ reader: BodyReader, _ limits: HTTPLimits) -> Response {
        let body = (try? json(refusal.error)) ?? Data()
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
        if refusal.error.code == .unauthenticated { headers[.wwwAuthenticate] = "Bearer" }
        if refusal.closes { headers[.connection] = "close" }
        return response(refusal.error.code.status, headers, body, limits) {
            if refusal.closes { return false }
            return await reader.drain()
        }
    }

    /// Whether a header names the compact form.
    static func isPacked(_ header: String?) -> Bool { header?.lowercased().contains(syncPackedType) ?? false }

    /// The form of the first accepted encoding; nil for none.
    static func compression(_ accepts: String?) -> BodyCompression? {
        for word in (accepts ?? "").lowercased().split(separator: ",") {
            let parts = word.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let name = parts.first, let compression = BodyCompression(rawValue: name) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            if weight ?? 1 > 0 { return compression }
        }
        return nil
    }

    private static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    /// - Parameter keeps: called after the body was written; whether the connection stays open.
    private static func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ body: Data, _ limits: HTTPLimits,
        keeps: @escaping @Sendable () async -> Bool
    ) -> Response {
        let content = ResponseBody(contentLength: body.count) { writer in
            // Used by the one operation of the time limit only, and not after it.
            nonisolated(unsafe) var writer = writer
            let written: Void? = try await withTimeLimit(limits.answerTime) {
                try await writer.write(ByteBuffer(bytes: body))
            }
            guard written != nil, await keeps() else { throw ConnectionEnd() }
            try await writer.finish(nil)
        }
        return Response(status: status, headers: headers, body: content)
    }
}

/// Thrown by the body of an answer, so that the server closes the connection.
struct ConnectionEnd: Error {}
