// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the programs on a pseudo-terminal, as a person does: with colours, questions and line editing.

import Foundation

/// A terminal without a screen. The output of a program is kept with all its escape sequences.
final class PseudoTerminal {
    /// Keys that are typed once a text has been shown.
    struct Keys {
        let prompt: String
        let keys: String

        init(after prompt: String, _ keys: String) {
            self.prompt = prompt
            self.keys = keys
        }
    }

    struct Failure: Error {
        let code: Int32
    }

    private let primary: Int32
    private let secondary: Int32

    init(columns: UInt16 = 100) throws {
        var (primary, secondary): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&primary, &secondary, nil, nil, &size) == 0 else { throw Failure(code: errno) }
        (self.primary, self.secondary) = (primary, secondary)
    }

    deinit { close(primary) }

    /// Runs the tool once. The texts of `typing` are awaited in their order.
    ///
    /// - Returns: `output` has all that the terminal showed, from both outputs; `errors` is empty.
    func run(
        _ arguments: [String], in folder: TemporaryFolder, typing: [Keys] = [], environment: [String: String] = [:]
    ) throws -> ToolProgram.Outcome {
        let process = try ToolProgram.process("coredata-tool", arguments, in: folder)
        let terminal = FileHandle(fileDescriptor: secondary, closeOnDealloc: false)
        (process.standardInput, process.standardOutput, process.standardError) = (terminal, terminal, terminal)
        var all = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "COLUMNS"] { all[name] = nil }
        all["TERM"] = "xterm"
        process.environment = all.merging(environment) { $1 }
        try ToolProgram.start(process)
        close(secondary)
        let (shown, isOver) = read(answering: typing, until: ContinuousClock.now + .seconds(60))
        if !isOver { kill(process.processIdentifier, SIGKILL) }
        ToolProgram.waitForEnd(of: process)
        return ToolProgram.Outcome(status: process.terminationStatus, output: shown, errors: "")
    }

    /// - Returns: the output, and whether the program ended before the given time.
    private func read(
        answering typing: [Keys], until end: ContinuousClock.Instant
    ) -> (text: String, isOver: Bool) {
        var (shown, rest) = (Data(), typing[...])
        // The place after the last prompt that was answered.
        var answered = 0
        var buffer = [UInt8](repeating: 0, count: 4096)
        while ContinuousClock.now < end {
            var wanted = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 1000) > 0 else { continue }
            // Linux returns EIO once no program has the terminal open.
            let count = Foundation.read(primary, &buffer, buffer.count)
            guard count > 0 else { return (String(decoding: shown, as: UTF8.self), true) }
            shown += buffer[..<count]
            while let next = rest.first,
                let place = shown.range(of: Data(next.prompt.utf8), in: answered..<shown.count)
            {
                answered = place.upperBound
                rest = rest.dropFirst()
                let keys = Array(next.keys.utf8)
                _ = write(primary, keys, keys.count)
            }
        }
        return (String(decoding: shown, as: UTF8.self), false)
    }
}
