// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Text and data in XML: what must be escaped, and base64 in lines.

package import Foundation

package enum XMLText {
    /// Whether XML has all characters of a string: it lacks most control characters and two more.
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

    /// As the content of an element. '>' stays, as with Apple, unless it would end a literal.
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

    /// As the value of an attribute.
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

/// Base64 as XML stores have it.
package enum Base64Lines {
    /// 76 characters, a line end, all the rest in one line, a line end: so Apple writes it.
    package static func encode(_ data: Data) -> String {
        let text = data.base64EncodedString()
        guard !text.isEmpty else { return "" }
        guard text.utf8.count > 76 else { return text + "\n" }
        let end = text.utf8.index(text.startIndex, offsetBy: 76)
        return text[..<end] + "\n" + text[end...] + "\n"
    }

    /// Space anywhere is passed over. nil for what is no base64.
    package static func decode(_ text: String) -> Data? {
        let bytes = Data(text.utf8.filter { !XMLEventReader.isSpace($0) })
        return Data(base64Encoded: bytes)
    }
}
