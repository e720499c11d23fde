// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces marks within text that is quoted for another language.

extension String {
    /// Replaces each occurrence of an ASCII mark. `replacing` compares characters, so it misses a mark that is followed
    /// by a combining one, but SQL, a shell and a compiler see it.
    package func replacingEach(_ mark: Unicode.Scalar, with replacement: String) -> String {
        let mark = UInt8(ascii: mark)
        guard utf8.contains(mark) else { return self }
        var bytes: [UInt8] = []
        for byte in utf8 {
            if byte == mark { bytes += replacement.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
