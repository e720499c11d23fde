// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures the JSON of a body before it is decoded (H2).
import Foundation

/// The depth of JSON text, and the number of objects in the arrays of its outermost object.
///
/// The decoder makes many small objects from few bytes; this counts without making any. It does not check the text:
/// the decoder refuses everything but JSON.
struct JSONShape {
    /// The greatest number of brackets that are open at one time.
    private(set) var depth = 0
    /// The number of objects in arrays of the outermost object: the changes of a batch.
    private(set) var items = 0

    init(_ body: Data) {
        var level = 0
        var isInArray = false
        var isText = false
        var isEscaped = false
        body.withUnsafeBytes { bytes in
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
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    level += 1
                    depth = max(depth, level)
                    if level == 2 { isInArray = byte == UInt8(ascii: "[") }
                    if level == 3, isInArray, byte == UInt8(ascii: "{") { items += 1 }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
                default: break
                }
            }
        }
    }
}
