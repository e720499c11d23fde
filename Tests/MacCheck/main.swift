// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A command that writes sample stores, and compares stores with their exports; it builds with Apple's framework, too.

import Foundation

/// Scripts/mac-check builds and calls it: with Apple's framework on a Mac, with ours elsewhere.
func run(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 2 else {
        print("usage: mac-check write FOLDER | read FOLDER")
        return false
    }
    let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
    switch arguments[0] {
    case "write":
        try SampleStores.write(to: folder)
        return true
    case "read":
        return try StoreComparison.compareAll(in: folder)
    default:
        print("mac-check: there is no command '\(arguments[0])'")
        return false
    }
}

do {
    exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch {
    print("mac-check: \((error as NSError).localizedDescription) (\((error as NSError).code))")
    exit(1)
}
