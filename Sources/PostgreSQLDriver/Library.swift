// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Loads libpq at run time.

import CPostgreSQL
import Foundation

package enum Library {
    /// The library's file, unless `OPENCOREDATA_LIBPQ` names another one.
    private static let names = ["libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"]

    /// - Throws: an error that names the package to install.
    package static func load() throws {
        let wanted = ProcessInfo.processInfo.environment["OPENCOREDATA_LIBPQ"].map { [$0] } ?? names
        var reason = ""
        for name in wanted {
            var message = [CChar](repeating: 0, count: 512)
            if ocd_pq_load(name, &message, message.count) == 1 { return }
            if reason.isEmpty {
                reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
        throw PostgreSQLError(
            .library,
            "libpq, PostgreSQL's client library, cannot be loaded (\(reason)). Install it (Debian, Ubuntu: apt-get install "
                + "libpq5; Fedora: dnf install libpq; Alpine: apk add libpq), or name its file in OPENCOREDATA_LIBPQ.")
    }

    /// Whether the loaded library gives streamed rows in parts. Otherwise each row is a separate result of libpq.
    package static var givesRowsInParts: Bool { (try? load()) != nil && ocd_pq_gives_parts() == 1 }
}
