// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the body of a request within the limits (Documentation/HTTP.md, H2, H4, H5).
import CoreDataSyncCompression
import CoreDataSyncProtocol
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads, decompresses and bounds a body; afterwards the answer may drain the rest of it.
///
/// Used first by the route, then by the body of the answer, never by both at once.
final class BodyReader: @unchecked Sendable {  // see above
    private let headers: HTTPFields
    private let limits: HTTPLimits
    private let all: HeldSize
    private var iterator: RequestBody.AsyncIterator
    private var isAtEnd = false
    private var held = 0

    init(_ request: Request, limits: HTTPLimits, all: HeldSize) {
        headers = request.headers
        iterator = request.body.makeAsyncIterator()
        self.limits = limits
        self.all = all
    }

    deinit { giveBack() }

    /// The body is no longer held.
    func giveBack() {
        all.giveBack(held)
        held = 0
    }

    /// The decompressed body.
    ///
    /// - Throws: `Refusal` with `tooLarge`, `malformed` or `unavailable`.
    func read() async throws -> Data {
        if let text = headers[.contentLength], let length = Int(text), length > limits.bodySize { throw tooLarge }
        let compression = try compression()
        guard let body = try await withTimeLimit(limits.bodyTime, { try await self.readAll(compression) }) else {
            throw Refusal(.unavailable, "The body took too long to arrive.", retryAfter: 1, closes: true)
        }
        return body
    }

    /// Takes the rest of a refused body, so that the client reads the answer instead of failing to send.
    ///
    /// - Returns: whether the body ended; otherwise the connection must be closed.
    func drain() async -> Bool {
        let drained = try? await withTimeLimit(.seconds(10)) {
            var rest = 4 << 20
            while rest > 0 {
                guard let piece = try await self.next() else { return true }
                rest -= piece.readableBytes
            }
            return false
        }
        return drained == true
    }

    private func next() async throws -> ByteBuffer? {
        guard !isAtEnd else { return nil }
        let piece = try await iterator.next()
        isAtEnd = piece == nil
        return piece
    }

    private func compression() throws -> BodyCompression? {
        switch headers[.contentEncoding]?.lowercased() {
        case nil, "", "identity": nil
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: throw Refusal(.malformed, "The content encodings are gzip and deflate.")
        }
    }

    private func readAll(_ compression: BodyCompression?) async throws -> Data {
        let inflater = try compression.map { try BodyInflater($0, limit: limits.decodedSize) }
        var body = Data()
        var size = 0
        do {
            while let piece = try await next() {
                size += piece.readableBytes
                guard size <= limits.bodySize else { throw tooLarge }
                let bytes = Data(piece.readableBytesView)
                let decoded = try inflater?.inflate(bytes) ?? bytes
                guard body.count + decoded.count <= limits.decodedSize else { throw tooLarge }
                guard all.take(decoded.count) else {
                    throw Refusal(.unavailable, "The server holds too many bodies.", retryAfter: 2)
                }
                held += decoded.count
                body.append(decoded)
            }
            // The sender may have ended the connection before the body did; the decoder finds that.
            try Task.checkCancellation()
            try inflater?.finish()
        } catch let error as BodyCompressionError {
            switch error {
            case .tooLarge: throw tooLarge
            case .noMemory: throw Refusal(.unavailable, "The server has no memory for the body.", retryAfter: 2)
            case .damaged, .cutOff, .trailingBytes:
                throw Refusal(.malformed, "The body is no \(compression?.rawValue ?? "") stream: \(error).")
            }
        }
        return body
    }

    private var tooLarge: Refusal {
        Refusal(
            .tooLarge,
            "A body has at most \(limits.bodySize) bytes, and \(limits.decodedSize) after decompression.")
    }
}
