// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses JSON that is nested so deeply that Foundation's reader overruns a small stack.

package import Foundation

/// Foundation reads 512 levels by recursion, which takes more than the 512 KB of a small stack.
package enum JSONBounds {
    private static let mostLevels = 128

    /// Whether UTF-8 text has at most 128 levels of arrays and objects. Text in other encodings is left to Foundation.
    ///
    /// - Complexity: one pass over the bytes.
    package static func allow(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var level = 0
            var (isText, isEscaped) = (false, false)
            for byte in bytes {
                if isText {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isText = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    level += 1
                    if level > mostLevels { return false }
                case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
                default: break
                }
            }
            return true
        }
    }
}
