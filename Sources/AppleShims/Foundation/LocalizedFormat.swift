// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts values into a localized format, with the form of each plural.

public import Foundation

/// A value of a format.
struct LocalizedArgument: Hashable, Sendable {
    var text: String
    /// nil for a value that is no number.
    var number: Double?

    init(_ text: String, number: Double? = nil) { (self.text, self.number) = (text, number) }

    init(of value: any CVarArg) {
        switch value {
        case let number as any BinaryInteger: self.init("\(number)", number: Double(number))
        case let number as any BinaryFloatingPoint: self.init("\(number)", number: Double(number))
        default: self.init("\(value)")
        }
    }
}

/// Texts of an app's tables on Linux, for the functions that `coredata-tool adopt` adds to its targets.
public enum LocalizedText {
    /// The text of a key, as `NSLocalizedString`.
    ///
    /// - Returns: for a key with plural forms a format, which `formatted` takes; for an unknown key the value, or the
    ///   key itself if the value is empty.
    public static func text(_ key: String, tableName: String?, bundle: Bundle, value: String) -> String {
        LocalizedTables.format(key, tableName, bundle) ?? (value.isEmpty ? key : value)
    }

    /// A format with values, as `String(format:)`. A number chooses the plural form of a format of a table.
    public static func formatted(_ format: String, _ locale: Locale?, _ arguments: [any CVarArg]) -> String {
        format.contains("#@")
            ? LocalizedFormat.text(format, arguments.map { LocalizedArgument(of: $0) })
            : String(format: format, locale: locale, arguments: arguments)
    }
}

enum LocalizedFormat {
    /// Forms inside of forms end here, so that rules that name each other end.
    private static let deepest = 8

    /// Replaces the marks of a format by values. A mark may name the number of its value: "%2$@". "%#@NAME@" is a part
    /// with plural forms, and "%arg" in a form the number that chose it.
    static func text(_ format: String, _ arguments: [LocalizedArgument]) -> String {
        var next = 0
        return text(format, arguments, &next, own: nil, depth: 0)
    }

    private static func text(
        _ format: String, _ arguments: [LocalizedArgument], _ next: inout Int, own: Int?, depth: Int
    ) -> String {
        var (text, rest) = ("", format[...])
        while let sign = rest.firstIndex(of: "%") {
            text += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if let own, rest.hasPrefix("arg") {
                text += arguments.indices.contains(own) ? arguments[own].text : ""
                rest = rest.dropFirst(3)
            } else if let mark = rest.prefixMatch(of: /(?:(\d+)\$)?#@([^@]*)@/) {
                let number = Self.index(mark.output.1, &next)
                let argument = arguments.indices.contains(number) ? arguments[number] : nil
                if depth < deepest, let rule = LocalizedTables.rule(String(mark.output.2)) {
                    // The marks of a form begin with the number that chose it.
                    var inner = number
                    let form = rule.form(argument?.number)
                    text += Self.text(form, arguments, &inner, own: number, depth: depth + 1)
                    next = max(next, inner)
                }
                rest = rest[mark.range.upperBound...]
            } else if let mark = rest.prefixMatch(
                of: /(?:(\d+)\$)?([-+ 0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|q|z)?([@diuxXfgeE])/)
            {
                let number = Self.index(mark.output.1, &next)
                if arguments.indices.contains(number) {
                    text += value(arguments[number], flags: String(mark.output.2), kind: String(mark.output.3))
                }
                rest = rest[mark.range.upperBound...]
            } else {
                text += "%"
            }
        }
        return text + rest
    }

    private static func index(_ position: Substring?, _ next: inout Int) -> Int {
        if let number = position.flatMap({ Int($0) }) { return number - 1 }
        next += 1
        return next - 1
    }

    /// A number with the width and the digits of its mark.
    private static func value(_ argument: LocalizedArgument, flags: String, kind: String) -> String {
        guard !flags.isEmpty, let number = argument.number, kind != "@" else { return argument.text }
        guard "fgeE".contains(kind) else {
            return Int(exactly: number).map { String(format: "%\(flags)l\(kind)", $0) } ?? argument.text
        }
        return String(format: "%\(flags)\(kind)", number)
    }
}
