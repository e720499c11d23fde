// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces marks within text that is quoted for another language.

extension String {
    /// Replaces a mark of ASCII wherever it stands. `replacing` goes by characters, so it passes over a mark with a
    /// combining one behind it, but SQL, a shell and a compiler do not.
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
