// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the bundles that have the resources of an adopted app.

import Foundation

enum ResourceBundles {
    /// The bundles to search: the named one, and for the program's own also those of the targets of its package, by
    /// their names. On Linux the resources of an app are in the bundle of a target, and `Bundle.main` has none.
    static func searched(_ bundle: Bundle?) -> [Bundle] {
        guard let bundle, bundle !== Bundle.main else { return [.main] + ofPackage }
        return [bundle]
    }

    /// A program of tests has the name of its package, so bundles that another package left in a shared folder of
    /// builds do not count.
    private static let ofPackage: [Bundle] = {
        let folder = Bundle.main.bundleURL
        let program = (CommandLine.arguments.first.map { ($0 as NSString).lastPathComponent }) ?? ""
        let tests = "PackageTests.xctest"
        let prefix = program.hasSuffix(tests) ? program.dropLast(tests.count) + "_" : ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".resources") && $0.hasPrefix(prefix) }.sorted()
            .compactMap { Bundle(url: folder.appendingPathComponent($0)) }
    }()
}
