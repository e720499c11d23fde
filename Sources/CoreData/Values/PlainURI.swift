// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The usual form of an id's URI, written and read without the general rules of URLs.

/// The URI of a saved object in a store with keys, if the entity's name needs no encoding.
///
/// Nearly all URIs have this form. `URLComponents` takes five times as long for the same text.
struct PlainURI {
    private static let scheme = "x-coredata://"

    /// As the text has it: the store's own may have letters of the other case.
    let store: Substring
    let entity: Substring
    let key: Int64

    /// - Returns: nil for text of another form, which may still be the URI of an object.
    init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: Self.scheme.utf8.count)
        let slash = UInt8(ascii: "/")
        guard let first = bytes[start...].firstIndex(of: slash),
            let second = bytes[bytes.index(after: first)...].firstIndex(of: slash)
        else { return nil }
        store = text[start..<first]
        entity = text[bytes.index(after: first)..<second]
        var digits = bytes[bytes.index(after: second)...]
        guard Self.isPlain(store), Self.isPlain(entity), digits.popFirst() == UInt8(ascii: "p"), digits.count <= 18
        else { return nil }
        var key: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            key = key * 10 + Int64(digit - 0x30)
        }
        guard key > 0 else { return nil }
        self.key = key
    }

    /// - Returns: nil if a part needs to be encoded.
    static func text(store: String, entity: String, key: Int64) -> String? {
        guard isPlain(store), isPlain(entity) else { return nil }
        return scheme + store + "/" + entity + "/p" + String(key)
    }

    /// Whether the text has only letters and digits of ASCII, hyphens and underscores, and is not empty.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        guard !text.isEmpty else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
