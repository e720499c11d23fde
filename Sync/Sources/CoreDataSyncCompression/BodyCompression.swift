// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compressed forms of bodies.
import CSyncZlib
public import Foundation

/// A value of the headers `Content-Encoding` and `Accept-Encoding`.
public enum BodyCompression: String, CaseIterable, Sendable {
    /// RFC 1952.
    case gzip
    /// The zlib format of RFC 1950, as RFC 9110 defines `deflate`.
    case deflate

    /// The parameter of zlib that selects the format; its window has 32 KB.
    var windowBits: Int32 { self == .gzip ? 15 + 16 : 15 }

    /// Compresses a body.
    ///
    /// - Parameter level: 1 is the fastest, 9 gives the smallest result.
    /// - Throws: `BodyCompressionError.noMemory` if zlib cannot allocate its state.
    public func compressed(_ data: Data, level: Int = 3) throws -> Data {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let status = deflateInit2_(
            stream, Int32(level), Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw BodyCompressionError.noMemory }
        defer { deflateEnd(stream) }
        var result = Data(capacity: data.count / 4 + 64)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // zlib counts the bytes of its input in 32 bits.
        let pieces = stride(from: 0, to: data.count, by: 1 << 30).map { data.dropFirst($0).prefix(1 << 30) }
        for (number, piece) in (pieces.isEmpty ? [Data()] : pieces).enumerated() {
            let flush = number + 1 >= pieces.count ? Z_FINISH : Z_NO_FLUSH
            try run(stream, over: piece, &buffer) { output in
                result.append(contentsOf: output)
            } step: {
                CSyncZlib.deflate($0, flush)
            }
        }
        return result
    }
}

/// Why a body cannot be decompressed or compressed.
public enum BodyCompressionError: Error, Equatable, Sendable {
    /// The bytes are no stream of the format, or the checksum differs.
    case damaged
    /// The bytes end before the stream does.
    case cutOff
    /// Other bytes follow the stream.
    case trailingBytes
    /// The decompressed body is larger than the limit.
    case tooLarge
    /// zlib cannot allocate its state.
    case noMemory
}

/// Runs zlib over the whole of an input.
///
/// - Returns: zlib's last status: `Z_OK`, `Z_STREAM_END` or `Z_BUF_ERROR`, which means that it needs more input.
@discardableResult
func run(
    _ stream: UnsafeMutablePointer<z_stream>, over input: Data, _ buffer: inout [UInt8],
    output: (ArraySlice<UInt8>) throws -> Void, step: (UnsafeMutablePointer<z_stream>) -> Int32
) throws -> Int32 {
    var source = [UInt8](input)
    return try source.withUnsafeMutableBufferPointer { source in
        stream.pointee.next_in = source.baseAddress
        stream.pointee.avail_in = UInt32(source.count)
        while true {
            let (status, count) = buffer.withUnsafeMutableBufferPointer { target in
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                let status = step(stream)
                return (status, target.count - Int(stream.pointee.avail_out))
            }
            try output(buffer[..<count])
            if status != Z_OK || (count < buffer.count && stream.pointee.avail_in == 0) { return status }
        }
    }
}
