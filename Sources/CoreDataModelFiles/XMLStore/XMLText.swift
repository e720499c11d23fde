// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Escapes text for XML, and encodes data as base64 lines.

package import Foundation

package enum XMLText {
    /// Whether XML can represent all characters of a string: it excludes most control characters and two others.
    package static func canHold(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for index in bytes.indices {
                let byte = bytes[index]
                if byte < 32, byte != 9, byte != 10, byte != 13 { return false }
                // U+FFFE and U+FFFF
                if byte == 0xEF, index + 2 < bytes.count, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
                    return false
                }
            }
            return true
        }
    }

    /// Escapes the content of an element. '>' is only escaped where it would end a literal, as with Apple.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 38 || $0 == 60 || $0 == 62 || $0 == 13 }) else { return text }
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 38: result += Array("&amp;".utf8)
            case 60: result += Array("&lt;".utf8)
            case 62 where result.suffix(2) == [93, 93]: result += Array("&gt;".utf8)
            case 13: result += Array("&#13;".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Escapes the value of an attribute.
    static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 38 || $0 == 60 || $0 == 34 || $0 < 32 }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The base64 format of XML stores.
package enum Base64Lines {
    /// Apple's format: 76 characters, a line end, the rest in one line, a line end.
    package static func encode(_ data: Data) -> String {
        let text = data.base64EncodedString()
        guard !text.isEmpty else { return "" }
        guard text.utf8.count > 76 else { return text + "\n" }
        let end = text.utf8.index(text.startIndex, offsetBy: 76)
        return text[..<end] + "\n" + text[end...] + "\n"
    }

    /// Ignores space. nil for malformed base64.
    package static func decode(_ text: String) -> Data? {
        let bytes = Data(text.utf8.filter { !XMLEventReader.isSpace($0) })
        return Data(base64Encoded: bytes)
    }
}
