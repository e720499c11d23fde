// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a line on a terminal, with completion, and with earlier lines by the arrow keys.

import CoreDataToolKit
import Foundation

/// A line editor for terminals. Confined to one thread.
final class LineEditor {
    private let completions: (String) -> [String]
    private var former: [String] = []

    /// - Parameter completions: the words that begin with a word.
    init(completions: @escaping (String) -> [String]) { self.completions = completions }

    /// nil at the end of the input (Ctrl-D). Ctrl-C empties the line.
    func readLine(_ prompt: String) -> String? {
        var before = termios()
        let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
        guard !isDumb, tcgetattr(STDIN_FILENO, &before) == 0 else {
            write(prompt)
            return Swift.readLine()
        }
        var raw = before
        raw.c_lflag &= ~UInt32(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
        var (line, cursor, place): ([Character], Int, Int) = ([], 0, former.count)
        let width = Terminal.width(of: STDERR_FILENO) ?? 80
        // The row of the cursor below the one with the prompt: a long line takes several.
        var row = 0
        func show() {
            let end = TableText.width(prompt + String(line))
            let place = TableText.width(prompt + String(line[..<cursor]))
            var text = row > 0 ? "\u{1B}[\(row)A" : ""
            text += "\r\u{1B}[J\(prompt)\(String(line))"
            // A terminal begins the next row only with the next character.
            if end % width == 0 { text += "\r\n" }
            row = place / width
            if end / width > row { text += "\u{1B}[\(end / width - row)A" }
            text += "\r" + (place % width > 0 ? "\u{1B}[\(place % width)C" : "")
            write(text)
        }
        /// Leaves the line as it is, and begins a new one.
        func leave(_ mark: String = "") {
            cursor = line.count
            show()
            write("\(mark)\n")
            row = 0
        }
        func replace(_ text: String) {
            line = Array(text)
            cursor = line.count
        }
        show()
        while let key = readKey() {
            switch key {
            case "\r", "\n":
                leave()
                let text = String(line)
                if !text.isEmpty, former.last != text { former.append(text) }
                return text
            case "\u{4}" where line.isEmpty:
                leave()
                return nil
            case "\u{3}":
                leave("^C")
                replace("")
            case "\u{7F}", "\u{8}":
                if cursor > 0 {
                    cursor -= 1
                    line.remove(at: cursor)
                }
            case "\t":
                let several = complete(&line, &cursor)
                if !several.isEmpty {
                    let place = cursor
                    leave()
                    write(several.prefix(40).joined(separator: "  ") + "\n")
                    cursor = place
                }
            case "\u{1}": cursor = 0
            case "\u{5}": cursor = line.count
            case "\u{15}": replace("")
            case "\u{1B}[D": cursor = max(0, cursor - 1)
            case "\u{1B}[C": cursor = min(line.count, cursor + 1)
            case "\u{1B}[A" where place > 0:
                place -= 1
                replace(former[place])
            case "\u{1B}[B" where place < former.count:
                place += 1
                replace(place < former.count ? former[place] : "")
            default:
                guard let character = key.first, key.count == 1, !character.isNewline, key >= " " else { break }
                line.insert(character, at: cursor)
                cursor += 1
            }
            show()
        }
        return nil
    }

    /// Completes the word before the cursor as far as all candidates agree.
    ///
    /// - Returns: the candidates, if the word cannot be completed further.
    private func complete(_ line: inout [Character], _ cursor: inout Int) -> [String] {
        let head = line[..<cursor]
        let word = String(head.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        guard !word.isEmpty else { return [] }
        let found = completions(word)
        guard let first = found.first else { return [] }
        var shared = first
        for candidate in found {
            while !candidate.lowercased().hasPrefix(shared.lowercased()) { shared.removeLast() }
        }
        if found.count > 1, shared.count <= word.count { return found }
        line.replaceSubrange(cursor - word.count..<cursor, with: Array(shared))
        cursor += shared.count - word.count
        return []
    }

    /// One character, or the three of an arrow key; nil at the end of the input.
    private func readKey() -> String? {
        guard let first = readByte() else { return nil }
        if first == 0x1B {
            guard let second = readByte(), second == UInt8(ascii: "["), let third = readByte() else { return "\u{1B}" }
            return "\u{1B}[" + String(UnicodeScalar(third))
        }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var bytes = [first]
        while bytes.count < length, let next = readByte() { bytes.append(next) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }

    private func write(_ text: String) { Terminal.printError(text) }
}
