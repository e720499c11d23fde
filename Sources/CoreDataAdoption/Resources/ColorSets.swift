// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the colours of asset catalogs, in the light appearance.

import Foundation

enum ColorSets {
    static let fileName = "AdoptedColors.json"

    private typealias Object = [String: Any]

    /// The JSON that AppleShims reads: two numbers for white and alpha, or four for red, green, blue and alpha; nil for
    /// catalogs without colours. A colour that refers to one of the system is left out.
    static func json(_ catalogs: [URL]) -> String? {
        var colors: [String: [Double]] = [:]
        for catalog in catalogs {
            let paths = (FileManager.default.subpaths(atPath: catalog.path) ?? []).sorted()
            for path in paths where path.hasSuffix(".colorset/Contents.json") {
                let folder = (path as NSString).deletingLastPathComponent
                let name = name(folder, in: catalog)
                guard colors[name] == nil, let numbers = numbers(catalog.appendingPathComponent(path)) else { continue }
                colors[name] = numbers
            }
        }
        guard !colors.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(colors)).map { String(decoding: $0, as: UTF8.self) + "\n" }
    }

    private static func object(_ file: URL) -> Object? {
        guard let data = try? Data(contentsOf: file), data.count < 1 << 20 else { return nil }
        return try? JSONSerialization.jsonObject(with: data) as? Object
    }

    /// The name with those of the folders that are name spaces.
    private static func name(_ folder: String, in catalog: URL) -> String {
        var parts = folder.split(separator: "/").map(String.init)
        var name = ((parts.popLast() ?? "") as NSString).deletingPathExtension
        while !parts.isEmpty {
            let file = catalog.appendingPathComponent(parts.joined(separator: "/") + "/Contents.json")
            let properties = object(file)?["properties"] as? Object
            if properties?["provides-namespace"] as? Bool == true { name = "\(parts.last ?? "")/\(name)" }
            parts.removeLast()
        }
        return name
    }

    /// nil for a set without components.
    private static func numbers(_ file: URL) -> [Double]? {
        let colors = object(file)?["colors"] as? [Object] ?? []
        // The entry without an appearance is that of the light one; the entry for all devices comes first.
        let light = colors.filter { $0["appearances"] == nil }
        let chosen = light.first { $0["idiom"] as? String == "universal" } ?? light.first
        guard let components = (chosen?["color"] as? Object)?["components"] as? [String: String] else { return nil }
        func number(_ name: String) -> Double? { components[name].flatMap(value) }
        let alpha = number("alpha") ?? 1
        if let white = number("white") { return [white, alpha] }
        guard let red = number("red"), let green = number("green"), let blue = number("blue") else { return nil }
        return [red, green, blue, alpha]
    }

    /// "0.5", "0x80" and "128", the last two of 255.
    private static func value(_ text: String) -> Double? {
        if text.lowercased().hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16).map { Double($0) / 255 } }
        guard let number = Double(text), number.isFinite else { return nil }
        return text.contains(".") ? number : number / 255
    }
}
