// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The memory of a first pull.
import Foundation
import Testing

/// "The first pull" of `Sync/Documentation/Design.md`.
@Suite("Memory of a first pull") struct MemoryTests {
    /// The second half of 20,000 records needs little more memory than the first one. Held records would take 30 MB.
    @Test("the memory of a first pull does not grow with the number of records")
    func slope() throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = try SeedTests.program()
        process.arguments = ["--memory", "20000"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // Lines such as "after 2000 objects: 80 MB".
        let sizes = text.split(separator: "\n").filter { $0.hasPrefix("after ") }
            .compactMap { $0.split(separator: " ").dropLast().last.flatMap { Int($0) } }
        try #require(sizes.count == 10)
        #expect(sizes[9] - sizes[4] < 20, "\(text)")
    }
}
