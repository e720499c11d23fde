// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rows as columns of text that stand under one another.

/// A table for terminals.
package struct TableText: Sendable {
    package enum Alignment: Sendable { case left, right }

    package var columns: [String]
    package var alignments: [Alignment]
    package var rows: [[String]]
    /// Longer cells are cut; 0 cuts nothing.
    package var widestCell: Int

    package init(columns: [String], alignments: [Alignment] = [], rows: [[String]], widestCell: Int = 60) {
        self.columns = columns
        self.alignments = alignments + Array(repeating: .left, count: max(0, columns.count - alignments.count))
        self.rows = rows
        self.widestCell = widestCell
    }

    /// The table with a line under its head; each line ends with a newline.
    package var text: String {
        let cells = ([columns] + rows).map { row in row.map { fit(Self.onOneLine($0)) } }
        var widths = Array(repeating: 0, count: columns.count)
        for row in cells {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], Self.width(cell))
            }
        }
        var lines = cells.map { line($0, widths) }
        lines.insert(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "), at: 1)
        return lines.map { $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() where column < widths.count {
            let space = String(repeating: " ", count: widths[column] - Self.width(cell))
            text += alignments[column] == .right ? space + cell : cell + space
            text += "  "
        }
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    private func fit(_ cell: String) -> String {
        guard widestCell > 0, Self.width(cell) > widestCell else { return cell }
        var result = ""
        var width = 1
        for character in cell {
            width += Self.width(of: character)
            if width > widestCell { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Line breaks and other controls would tear the table apart.
    private static func onOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n", "\r": result.append("⏎")
            case _ where scalar.properties.generalCategory == .control: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    // MARK: Width

    /// How many cells of a terminal a text takes.
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.isASCII { return 1 }
        if scalar.properties.generalCategory == .format || scalar.properties.generalCategory == .nonspacingMark {
            return 0
        }
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// East Asian scripts and forms.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
