// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The addresses of the pages: all links are made here, with all parts encoded.

import Foundation

/// Makes addresses below the token.
struct SiteAddress: Sendable {
    let token: String

    /// - Parameters:
    ///   - parts: segments of the path, encoded here.
    ///   - query: pairs in order; those without a value are left out.
    func callAsFunction(_ parts: String..., query: [(String, String?)] = []) -> String {
        make(parts, query: query)
    }

    func make(_ parts: [String], query: [(String, String?)] = []) -> String {
        var address = "/" + token + "/" + parts.map(Self.encoded).joined(separator: "/")
        let pairs = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(Self.encoded($0))" }
        }
        if !pairs.isEmpty { address += "?" + pairs.joined(separator: "&") }
        return address
    }

    func object(_ name: String, trail: [String] = []) -> String {
        make(["object"] + name.split(separator: "/").map(String.init), query: [("trail", trail.joined(separator: ","))])
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
