// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source of the packages: the machine's database, or a small sample without one.

import Foundation

/// The packages to import.
struct PackageSource {
    let name: String
    let records: [PackageRecord]

    /// - Throws: errors of the file system when an existing database cannot be read.
    init() throws {
        let database = "/var/lib/dpkg/status"
        if FileManager.default.fileExists(atPath: database) {
            let data = try Data(contentsOf: URL(fileURLWithPath: database))
            let found = PackageRecord.parse(String(decoding: data, as: UTF8.self))
            if !found.isEmpty {
                (name, records) = (database, found)
                return
            }
        }
        (name, records) = ("the built-in sample", PackageRecord.parse(Self.sample))
    }

    private static let sample = """
        Package: base-files
        Section: admin
        Essential: yes
        Maintainer: Archive Team <archive@example.org>
        Version: 12.4
        Installed-Size: 340
        Description: base system files

        Package: libc6
        Section: libs
        Maintainer: C Library Team <libc@example.org>
        Version: 2.36-9
        Installed-Size: 12900
        Homepage: https://www.gnu.org/software/libc/
        Description: the C library

        Package: zlib1g
        Section: libs
        Maintainer: Jane Doe <jane@example.org>
        Version: 1.2.13
        Installed-Size: 170
        Depends: libc6 (>= 2.14)
        Homepage: https://zlib.net/
        Description: compression library

        Package: libsqlite3-0
        Section: libs
        Maintainer: Jane Doe <jane@example.org>
        Version: 3.40.1
        Installed-Size: 1680
        Depends: libc6 (>= 2.34)
        Homepage: https://www.sqlite.org/
        Description: SQLite 3 shared library

        Package: bash
        Section: shells
        Essential: yes
        Maintainer: Shell Team <shells@example.org>
        Version: 5.2.15
        Installed-Size: 7160
        Depends: base-files (>= 2.1.12), libc6 (>= 2.36)
        Description: the shell

        Package: python3
        Section: python
        Maintainer: Script Team <scripts@example.org>
        Version: 3.11.2
        Installed-Size: 85
        Depends: libc6, zlib1g, libsqlite3-0
        Homepage: https://www.python.org/
        Description: interactive language
        """
}
