// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes rows as aligned columns of text.

/// A table for terminals.
package struct TableText: Sendable {
    package enum Alignment: Sendable { case left, right }

    package var columns: [String]
    package var alignments: [Alignment]
    package var rows: [[String]]
    /// Longer cells are truncated; 0 truncates none.
    package var maximumCellWidth: Int

    package init(columns: [String], alignments: [Alignment] = [], rows: [[String]], maximumCellWidth: Int = 60) {
        self.columns = columns
        self.alignments = alignments + Array(repeating: .left, count: max(0, columns.count - alignments.count))
        self.rows = rows
        self.maximumCellWidth = maximumCellWidth
    }

    /// The table with a line under its header; each line ends with a newline.
    package var text: String { text(width: nil) }

    package func text(width: Int?) -> String {
        let layout = layout(width: width)
        return layout.head + rows.map(layout.line).joined()
    }

    /// The columns' widths for the rows of the table.
    ///
    /// - Parameter width: the width of a terminal's line in cells. Wide columns are truncated until a line fits; if
    ///   columns would be too narrow to read, each row becomes a block with a line for each column.
    package func layout(width: Int? = nil) -> Layout {
        var widths = Array(repeating: 0, count: columns.count)
        for row in [columns] + rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                let length = Self.width(Self.onOneLine(cell))
                widths[column] = max(widths[column], maximumCellWidth > 0 ? min(length, maximumCellWidth) : length)
            }
        }
        guard let width else { return Layout(table: self, widths: widths, blockWidth: nil) }
        let gaps = 2 * max(columns.count - 1, 0)
        while widths.reduce(gaps, +) > width {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth
            else { return Layout(table: self, widths: widths, blockWidth: width) }
            widths[widest] -= 1
        }
        return Layout(table: self, widths: widths, blockWidth: nil)
    }

    /// The least width of a truncated column.
    private static let leastWidth = 8

    /// Writes rows one at a time, of this table and others.
    package struct Layout: Sendable {
        fileprivate let columns: [String]
        fileprivate let alignments: [Alignment]
        fileprivate let widths: [Int]
        /// The width of a line if each row is a block.
        fileprivate let blockWidth: Int?

        fileprivate init(table: TableText, widths: [Int], blockWidth: Int?) {
            (columns, alignments) = (table.columns, table.alignments)
            (self.widths, self.blockWidth) = (widths, blockWidth)
        }

        package var head: String {
            guard blockWidth == nil else { return "" }
            return line(columns) + widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
        }

        /// The text of a row, with a newline.
        package func line(_ cells: [String]) -> String {
            if let blockWidth { return block(cells, blockWidth) }
            var text = ""
            for (column, cell) in cells.enumerated() where column < widths.count {
                let cut = TableText.cut(TableText.onOneLine(cell), to: widths[column])
                let space = String(repeating: " ", count: max(0, widths[column] - TableText.width(cut)))
                text += alignments[column] == .right ? space + cut : cut + space
                text += "  "
            }
            return Self.withoutSpaceAtEnd(text) + "\n"
        }

        private func block(_ cells: [String], _ width: Int) -> String {
            let titles = columns.map(TableText.width).max() ?? 0
            return zip(columns, cells).map { column, cell in
                let title = column + String(repeating: " ", count: titles - TableText.width(column)) + "  "
                return Self.withoutSpaceAtEnd(TableText.cut(title + TableText.onOneLine(cell), to: width)) + "\n"
            }.joined() + "\n"
        }

        private static func withoutSpaceAtEnd(_ text: String) -> String {
            String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    fileprivate static func cut(_ cell: String, to widest: Int) -> String {
        guard width(cell) > widest else { return cell }
        var result = ""
        var width = 1
        for character in cell {
            width += self.width(of: character)
            if width > widest { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Line breaks and other control characters would break the table.
    fileprivate static func onOneLine(_ text: String) -> String {
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

    /// The number of terminal cells of a text.
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
