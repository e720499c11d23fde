// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Signs the bytes of a cursor, and writes them as text. Cursors-8.

import CoreDataModelFiles
import Foundation

struct CursorSignature {
    private static let size = 32
    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private let key: Data?

    /// - Parameter key: nil for a checksum.
    init(key: Data?) { self.key = key }

    func text(_ content: Data) -> String {
        (code(of: content) + content).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    enum Failure: Error { case malformed, altered }

    func content(_ text: String) throws(Failure) -> Data {
        guard text.utf8.allSatisfy(Self.letters.contains) else { throw .malformed }
        var standard = text.replacing("-", with: "+").replacing("_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard), bytes.count > Self.size else { throw .malformed }
        let content = Data(bytes.dropFirst(Self.size))
        // All bytes are compared, so that the time shows nothing of the code.
        let difference = zip(code(of: content), bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        guard difference == 0, self.text(content) == text else { throw .altered }
        return content
    }

    /// HMAC-SHA256 (RFC 2104), or a digest.
    private func code(of content: Data) -> Data {
        guard let key else { return SHA2.sha256(Data("OpenCoreData cursor".utf8) + content) }
        var block = [UInt8](key.count > 64 ? SHA2.sha256(key) : key)
        block += Array(repeating: 0, count: 64 - block.count)
        let inner = SHA2.sha256(block.map { $0 ^ 0x36 } + [UInt8](content))
        return SHA2.sha256(block.map { $0 ^ 0x5c } + [UInt8](inner))
    }
}
