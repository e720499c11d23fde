// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names of Apple's log in ported sources.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("The log in ported sources") struct PortedLogTests {
    private static let use = "import os\nprivate let log = Logger(subsystem: \"a\", category: \"b\")"

    @Test("the file of names is the one that these tests compile") func text() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(AppleLog.fileName)
        #expect(try String(contentsOf: file, encoding: .utf8) == AppleLog.text(isPublic: true))
        // Only the modifier is removed.
        let (open, hidden) = (AppleLog.text(isPublic: true), AppleLog.text(isPublic: false))
        #expect(!hidden.contains("public ") && hidden.ranges(of: ".public").count == open.ranges(of: ".public").count)
        let declared = PortedFile(file, [UInt8](try Data(contentsOf: file))).declaredNames
        #expect(AppleLog.names.subtracting(declared).isEmpty)
    }

    @Test("each module that uses the log or its lock gets one file of names, once") func modules() throws {
        let once = try PortedSources(
            [
                "Sources/A/One/A.swift": Self.use, "Sources/A/Two/B.swift": Self.use,
                "Sources/B/C.swift": "import os\nlet a = 1",
                "Tests/ATests/D.swift": "import os.lock\nlet a = OSAllocatedUnfairLock(initialState: 1)",
                "App/E/F.swift": "import OSLog\npublic let log: Logger? = nil",
            ], manifest: true)
        #expect(
            once.files.keys.sorted() == [
                "App/AppleLog.swift", "App/E/F.swift", "Sources/A/AppleLog.swift", "Sources/A/One/A.swift",
                "Sources/A/Two/B.swift", "Sources/B/C.swift", "Tests/ATests/AppleLog.swift", "Tests/ATests/D.swift",
            ])
        #expect(once.files["Sources/A/AppleLog.swift"] == AppleLog.text(isPublic: false))
        #expect(once.files["App/AppleLog.swift"] == AppleLog.text(isPublic: true))
        #expect(once.diagnostics.isEmpty)
        #expect(try PortedSources(once.files, manifest: true).files == once.files)
    }

    @Test("the files of a module without folders, and sources outside of a package, share one file")
    func flat() throws {
        let flat = try PortedSources(
            ["Sources/A.swift": Self.use, "Sources/Deep/B.swift": Self.use], manifest: true)
        #expect(flat.files["Sources/AppleLog.swift"] != nil && flat.files.count == 3)
        let loose = try PortedSources(["App/Model/A.swift": Self.use, "App/B.swift": "let a = 1"])
        #expect(loose.files["App/AppleLog.swift"] != nil && loose.files.count == 3)
    }

    @Test(
        "a module that declares the names, and code under a condition, gets no file",
        arguments: [
            "import os\nstruct Logger {}\nlet log = Logger()", "import Logging\nlet log = Logger(label: \"a\")",
            "import os\n#if canImport(os)\nlet log = Logger()\n#endif", "import os\nlet a = b.Logger()",
        ])
    func unneeded(source: String) throws {
        let ported = try PortedSources(["A.swift": source])
        #expect(ported.files.count == 1 && ported.diagnostics.isEmpty, "\(ported)")
    }

    @Test(
        "names that the file does not have are reported",
        arguments: [
            ("import os\nlet s = OSSignposter()", "OSSignposter is there on Apple's systems alone"),
            ("import os\nlet s = os.Logger()", "write Logger without its name"),
            ("#if canImport(os)\nimport os\n#endif\nvar l = os_unfair_lock()", "put it under #if canImport(os)"),
        ])
    func reported(source: String, part: String) throws {
        let ported = try PortedSources(["A.swift": source])
        #expect(ported.diagnostics.count == 1 && ported.files.count == 1)
        #expect(ported.diagnostics.allSatisfy { $0.contains(part) }, "\(ported)")
    }

    #if !canImport(os)
        @Test("a message hides values that are neither numbers nor public") func privacy() {
            let name = "Ann"
            let message: OSLogMessage = """
                \(name) \(name, privacy: .public) \(7) \(true) \(2.5, format: .fixed(precision: 2)) \
                \(7, format: .decimal(minDigits: 3)) \(9, privacy: .private) \(name, align: .right(columns: 5), privacy: .public)
                """
            #expect(message.text == "<private> Ann 7 true 2.50 007 <private>   Ann")
        }

        @Test("a format takes its arguments in order") func formats() {
            let message = OSLogMessage(
                format: "%{public}@ has %ld of 100 %%, %.1f, %@ %{private}d.", ["Ann", 3, 1.5, "x"])
            #expect(message.text == "Ann has 3 of 100 %, 1.5, <private> <private>.")
        }

        @Test("levels below default are off unless the environment asks for them, and a disabled log is silent")
        func levels() {
            let log = OSLog(subsystem: "a", category: "b")
            #expect(log.isEnabled(type: .default) && log.isEnabled(type: .fault) && !log.isEnabled(type: .debug))
            #expect(!OSLog.disabled.isEnabled(type: .fault))
        }

        @Test("the lock guards its state") func lock() {
            let lock = OSAllocatedUnfairLock(initialState: 1)
            DispatchQueue.concurrentPerform(iterations: 100) { _ in lock.withLock { $0 += 1 } }
            #expect(lock.withLockUnchecked { $0 } == 101)
            let plain = OSAllocatedUnfairLock()
            plain.lock()
            #expect(!plain.lockIfAvailable())
            plain.unlock()
        }
    #endif
}
