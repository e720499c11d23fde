// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures the memory of a first pull: server and device in one process, over SQLite stores, without a network.
import CoreData
import CoreDataSync
import CoreDataSyncServer
import Foundation

/// Fills a server in small saves, so that little freed memory is there to be used again, and pulls everything.
package struct MemoryMeasurement {
    /// The objects of one save of the server.
    private static let part = 1_000
    private let count: Int

    package init(count: Int) { self.count = count }

    /// Prints the resident memory before the pull, and after each tenth of it.
    package func run() throws {
        let server = try MeasuredServer()
        for start in stride(from: 0, to: count, by: Self.part) {
            try SyncMeasurement.insert(min(Self.part, count - start), server.container)
            try server.service.announceOwnChangesAndWait()
        }
        let (_, engine) = try server.device("App")
        try engine.capture()
        print("before the pull: \(ProcessMemory.resident) MB")
        var (pulled, tenth) = (0, 1)
        try server.pull(engine) { inserted in
            pulled += inserted
            while tenth <= 10, pulled * 10 >= count * tenth {
                print("after \(pulled) objects: \(ProcessMemory.resident) MB")
                tenth += 1
            }
        }
        print("greatest memory: \(ProcessMemory.greatest) MB")
    }
}

/// The memory of this process in MB; 0 where the system has no such file.
enum ProcessMemory {
    static var resident: Int { line("VmRSS") }
    static var greatest: Int { line("VmHWM") }

    private static func line(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }
}
