// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The range of strings that begin with a prefix, in the order of their bytes.

package enum TextRange {
    /// The least string greater than all that begin with this one.
    package static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            var next = last.value + 1
            if next == 0xd800 { next = 0xe000 }
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var result = String.UnicodeScalarView()
                result.append(contentsOf: scalars)
                return String(result)
            }
        }
        return nil
    }
}
