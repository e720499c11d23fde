// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses a connection URL, and keeps the password out of all messages.

import CPostgreSQL
package import Foundation

/// The settings in a URL of libpq's syntax, and additional ones of this framework.
package struct ConnectionSettings: Sendable {
    /// In libpq's form, including the password.
    package private(set) var settings: [(name: String, value: String)]
    /// The schema (namespace) of the tables.
    package let schema: String?
    /// The URL without a password.
    package let publicURL: URL

    /// - Throws: `.library`, and `.unusable` for a URL that libpq cannot read.
    package init(_ url: URL) throws {
        try Library.load()
        publicURL = Self.withoutPassword(url)
        var text = url.absoluteString
        var schema: String?
        if let mark = text.firstIndex(of: "?") {
            let items = text[text.index(after: mark)...].split(separator: "&")
            let others = items.filter { !$0.hasPrefix("schema=") }
            schema = items.first { $0.hasPrefix("schema=") }.map {
                let value = String($0.dropFirst("schema=".count))
                return value.removingPercentEncoding ?? value
            }
            text = text[..<mark] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
        }
        self.schema = schema
        var found: [Setting] = []
        var message = [CChar](repeating: 0, count: 256)
        let isRead = withUnsafeMutablePointer(to: &found) { found in
            ocd_pq_parse(text, &message, message.count, found) { context, name, value in
                guard let context, let name, let value else { return }
                let found = context.assumingMemoryBound(to: [Setting].self)
                found.pointee.append((String(cString: name), String(cString: value)))
            }
        }
        // libpq's reason may repeat a part of the URL, and with it the password.
        guard isRead == 1 else {
            throw PostgreSQLError(.unusable, "\(publicURL.absoluteString) is no connection URL that libpq can read.")
        }
        settings = found
    }

    private typealias Setting = (name: String, value: String)

    /// Sets the parameters that the URL lacks.
    package mutating func setDefault(_ name: String, _ value: String) {
        if !settings.contains(where: { $0.name == name }) { settings.append((name, value)) }
    }

    package subscript(name: String) -> String? { settings.first { $0.name == name }?.value }

    /// The number of hosts in the URL.
    package var hostCount: Int { (self["host"] ?? self["hostaddr"]).map { Self.list($0).count } ?? 1 }

    private static func list(_ text: String) -> [Substring] {
        text.split(separator: ",", omittingEmptySubsequences: false)
    }

    /// The settings with the lists of hosts and ports rotated, so that they begin with the given host.
    package func settings(beginningWith host: Int) -> [(name: String, value: String)] {
        if host == 0 { return settings }
        return settings.map { setting in
            guard ["host", "hostaddr", "port"].contains(setting.name) else { return setting }
            let list = Self.list(setting.value)
            if list.count == 1 { return setting }
            let place = host % list.count
            return (setting.name, (list[place...] + list[..<place]).joined(separator: ","))
        }
    }

    package static func withoutPassword(_ url: URL) -> URL {
        var text = url.absoluteString
        if let scheme = text.range(of: "://") {
            let end = text[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
            if let at = text[scheme.upperBound..<end].lastIndex(of: "@"),
                let colon = text[scheme.upperBound..<at].firstIndex(of: ":")
            {
                text.removeSubrange(colon..<at)
            }
        }
        if let mark = text.firstIndex(of: "?") {
            let items = text[text.index(after: mark)...].split(separator: "&").filter {
                !$0.lowercased().hasPrefix("password=") && !$0.lowercased().hasPrefix("sslpassword=")
            }
            text = text[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
        }
        return URL(string: text) ?? URL(string: "postgresql:///") ?? url
    }
}
