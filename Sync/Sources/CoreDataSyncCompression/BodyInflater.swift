// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decompresses a body piece by piece, up to a size.
import CSyncZlib
public import Foundation

/// Decompresses the pieces of a body as they arrive.
///
/// It stops at the size limit, so that a small body cannot fill the memory:
/// ```swift
/// let inflater = try BodyInflater(.gzip, limit: 1 << 20)
/// for piece in pieces { body.append(try inflater.inflate(piece)) }
/// try inflater.finish()
/// ```
/// Not to be used by two tasks at once.
public final class BodyInflater {
    // At one address for its whole life: zlib's state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: Int
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var isAtEnd = false
    /// The bytes that were decompressed so far.
    public private(set) var count = 0

    /// - Parameter limit: the greatest number of bytes of the decompressed body.
    /// - Throws: `BodyCompressionError.noMemory`.
    public init(_ compression: BodyCompression, limit: Int) throws {
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, compression.windowBits, ZLIB_VERSION, size) == Z_OK else {
            throw BodyCompressionError.noMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next piece.
    ///
    /// - Throws: `BodyCompressionError`. The inflater must not be used after an error.
    public func inflate(_ piece: Data) throws -> Data {
        guard !piece.isEmpty else { return Data() }
        guard !isAtEnd else { throw BodyCompressionError.trailingBytes }
        var result = Data()
        let status = try run(stream, over: piece, &buffer) { output in
            count += output.count
            guard count <= limit else { throw BodyCompressionError.tooLarge }
            result.append(contentsOf: output)
        } step: {
            CSyncZlib.inflate($0, Z_NO_FLUSH)
        }
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            isAtEnd = true
            guard stream.pointee.avail_in == 0 else { throw BodyCompressionError.trailingBytes }
        case Z_MEM_ERROR: throw BodyCompressionError.noMemory
        default: throw BodyCompressionError.damaged
        }
        return result
    }

    /// - Throws: `BodyCompressionError.cutOff` if the stream has not ended.
    public func finish() throws {
        guard isAtEnd else { throw BodyCompressionError.cutOff }
    }
}
