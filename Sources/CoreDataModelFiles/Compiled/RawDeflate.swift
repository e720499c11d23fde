// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compresses and decompresses the raw deflate streams of model caches.

import CZlib
package import Foundation

/// Deflate without header and checksum, the format of `Z_MODELCACHE.Z_CONTENT`.
package enum RawDeflate {
    private static let chunk = 64 << 10

    /// - Parameter maximumSize: the greatest size in bytes of the decompressed data. A stream of 1 MB may expand to
    ///   1 GB; the largest models have a few megabytes.
    /// - Throws: `malformedCompression` for a damaged or truncated stream, trailing bytes, or an excessive size.
    package static func inflate(_ data: Data, maximumSize: Int = 64 << 20) throws -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ModelFileError(.malformedCompression, "zlib could not be started.")
        }
        defer { inflateEnd(&stream) }
        var output = Data()
        let status = try run(&stream, over: data, into: &output, maximumSize: maximumSize) {
            CZlib.inflate($0, Z_NO_FLUSH)
        }
        guard status == Z_STREAM_END else {
            throw ModelFileError(.malformedCompression, "The compressed data is damaged or cut off.")
        }
        guard stream.avail_in == 0 else {
            throw ModelFileError(.malformedCompression, "Other bytes follow the compressed data.")
        }
        return output
    }

    package static func deflate(_ data: Data) throws -> Data {
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ModelFileError(.malformedCompression, "zlib could not be started.") }
        defer { deflateEnd(&stream) }
        var output = Data()
        guard
            try run(&stream, over: data, into: &output, maximumSize: .max, step: { CZlib.deflate($0, Z_FINISH) })
                == Z_STREAM_END
        else { throw ModelFileError(.malformedCompression, "zlib could not compress the data.") }
        return output
    }

    /// Runs until the stream ends, makes no progress, or fails.
    private static func run(
        _ stream: inout z_stream, over data: Data, into output: inout Data, maximumSize: Int,
        step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws -> Int32 {
        guard data.count <= UInt32.max else {
            throw ModelFileError(.malformedCompression, "More than 4 GB are not handled.")
        }
        var input = [UInt8](data)
        var buffer = [UInt8](repeating: 0, count: chunk)
        return try input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while true {
                let (status, produced) = buffer.withUnsafeMutableBufferPointer { target -> (Int32, Int) in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let status = step(&stream)
                    return (status, target.count - Int(stream.avail_out))
                }
                guard produced <= maximumSize - output.count else {
                    throw ModelFileError(
                        .malformedCompression, "The compressed data expands beyond \(maximumSize) bytes.")
                }
                output.append(contentsOf: buffer[..<produced])
                if status != Z_OK || (produced == 0 && stream.avail_in == 0) { return status }
            }
        }
    }
}
