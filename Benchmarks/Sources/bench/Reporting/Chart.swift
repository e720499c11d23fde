// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws the ratios as groups of bars on a logarithmic scale, with raw as the line at 1.

import Foundation

struct Chart {
    let entries: [ResultEntry]
    let rows: Int

    private static let colours = [
        "raw-tuned": "#7a8691", "grdb-class": "#e0a43a", "grdb-codable": "#c9662f", "opencoredata": "#1f6fb2",
        "opencoredata-kvc": "#7db4dd", "swiftdata": "#b5446e",
        "sqlalchemy": "#8a5ba8", "django": "#3f8a5b",
    ]
    private static let barWidth = 11.0
    private static let plot = (left: 56.0, top: 48.0, height: 300.0)

    private var shown: [ResultEntry] { entries.filter { $0.rows == rows && $0.contender != "raw" && $0.ratio != nil } }
    private var jobs: [String] { Job.allCases.map(\.rawValue).filter { job in shown.contains { $0.job == job } } }
    private var contenders: [String] { Contenders.names.filter { name in shown.contains { $0.contender == name } } }
    private var groupWidth: Double { Double(contenders.count) * Self.barWidth + 22 }
    private var width: Double { Self.plot.left + Double(jobs.count) * groupWidth + 16 }
    /// The powers of ten that enclose all ratios.
    private var range: ClosedRange<Double> {
        let logarithms = shown.compactMap(\.ratio).map { log10($0) } + [0]
        return min(-1, (logarithms.min() ?? -1).rounded(.down))...max(1, (logarithms.max() ?? 1).rounded(.up))
    }

    var svg: String {
        let height = Self.plot.top + Self.plot.height + 36
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(width)) \(text(height))" \
            font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            <text x="\(text(Self.plot.left))" y="18" font-weight="bold">\
            Processor time as ratio to hand-written SQLite (raw = 1), \(rows) rows; less is better</text>
            \(legend)
            \(grid)
            \(jobs.enumerated().map { group($1, $0) }.joined(separator: "\n"))
            </svg>

            """
    }

    private var legend: String {
        var left = Self.plot.left
        return contenders.map { name in
            defer { left += Double(name.count) * 7 + 30 }
            return """
                <rect x="\(text(left))" y="27" width="10" height="10" fill="\(Self.colours[name] ?? "#000")"/>\
                <text x="\(text(left + 14))" y="36">\(name)</text>
                """
        }.joined(separator: "\n")
    }

    /// Lines at 1, 2 and 5 times each power of ten.
    private var grid: String {
        let powers = Int(range.lowerBound)...Int(range.upperBound)
        return powers.flatMap { power in [1.0, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { range.contains(log10($0)) }.map { value in
                let height = text(y(value))
                let isRaw = value == 1
                return """
                    <line x1="\(text(Self.plot.left))" x2="\(text(width - 8))" y1="\(height)" y2="\(height)" \
                    stroke="\(isRaw ? "#222" : "#ddd")" stroke-width="\(isRaw ? "1.5" : "1")"/>\
                    <text x="\(text(Self.plot.left - 6))" y="\(text(y(value) + 4))" text-anchor="end">\(label(value))</text>
                    """
            }.joined(separator: "\n")
    }

    private func group(_ job: String, _ number: Int) -> String {
        let left = Self.plot.left + Double(number) * groupWidth + 11
        let bars = contenders.enumerated().compactMap { place, contender -> String? in
            guard let ratio = shown.first(where: { $0.job == job && $0.contender == contender })?.ratio else {
                return nil
            }
            let (top, bottom) = (min(y(ratio), y(1)), max(y(ratio), y(1)))
            return """
                <rect x="\(text(left + Double(place) * Self.barWidth))" y="\(text(top))" width="\(text(Self.barWidth - 1))" \
                height="\(text(max(1, bottom - top)))" fill="\(Self.colours[contender] ?? "#000")">\
                <title>\(contender), \(job): \(Decimals.text(ratio, places: 2))</title></rect>
                """
        }
        let middle = left + Double(contenders.count) * Self.barWidth / 2
        let bottom = Self.plot.top + Self.plot.height + 18
        return bars.joined(separator: "\n")
            + "\n<text x=\"\(text(middle))\" y=\"\(text(bottom))\" text-anchor=\"middle\">\(job)</text>"
    }

    private func y(_ ratio: Double) -> Double {
        let part = (log10(ratio) - range.lowerBound) / (range.upperBound - range.lowerBound)
        return Self.plot.top + Self.plot.height * (1 - part)
    }

    private func text(_ number: Double) -> String { Decimals.text(number, places: 1) }
    private func label(_ value: Double) -> String {
        value >= 1 ? Decimals.text(value, places: 0) : Decimals.text(value, places: value < 0.1 ? 2 : 1)
    }
}
