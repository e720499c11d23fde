// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command line: follows a store, or writes to it.

import CoreData

@main
@MainActor
struct Watcher {
    private static let usage = """
        usage: Watcher STORE [--changes N | --write N | --demo N]
          --changes N   ends after N reports; otherwise Ctrl-C ends it
          --write N     saves N changes and ends
          --demo N      starts a writer of N changes, and ends when the list shows the last of them

        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, !path.hasPrefix("-") else { fail(usage, code: 64) }
        let options = Array(arguments.dropFirst())
        guard options.isEmpty || options.count == 2, let count = options.isEmpty ? Int.max : Int(options[1]), count > 0
        else { fail(usage, code: 64) }
        do {
            switch options.first {
            case nil, "--changes": try watch(path, changes: count)
            case "--write": return try Writer.run(path, count: count)
            case "--demo":
                try watch(path, changes: .max, until: Writer.farewell)
                try startWriter(path, count)
            default: fail(usage, code: 64)
            }
        } catch {
            fail("Watcher: \(error)\n", code: 1)
        }
        dispatchMain()
    }

    private static var container: NSPersistentContainer?
    private static var list: ListView?

    /// Follows the store on the main queue.
    private static func watch(_ path: String, changes: Int, until farewell: String? = nil) throws {
        let container = Store.container(path)
        container.viewContext.automaticallyMergesChangesFromParent = true
        var reports = -1  // the first list is no report
        list = try ListView(container.viewContext) { titles in
            reports += 1
            if reports >= changes || farewell.map(titles.contains) == true { DispatchQueue.main.async { end() } }
        }
        self.container = container
    }

    private static func end() {
        guard list?.isRight == true else { fail("Watcher: the list differs from the controller's objects\n", code: 1) }
        exit(0)
    }

    private static func startWriter(_ path: String, _ count: Int) throws {
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        writer.arguments = [path, "--write", String(count)]
        writer.terminationHandler = { writer in
            if writer.terminationStatus != 0 { exit(1) }
            // The list is notified within a second.
            DispatchQueue.main.asyncAfter(deadline: .now() + 30) {
                fail("Watcher: the writer has ended, and the list does not show its last change\n", code: 1)
            }
        }
        try writer.run()
    }

    nonisolated static func fail(_ text: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data(text.utf8))
        exit(code)
    }
}
