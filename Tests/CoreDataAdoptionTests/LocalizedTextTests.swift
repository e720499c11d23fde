// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Texts with plural forms, and colours by name, as an adopted app reads them.

import Foundation
import Testing

@testable import AppleShims

@Suite("Texts and colours of a bundle") struct LocalizedTextTests {
    private static let plurals = """
        {"formats": {"%lld items": "%1$#@T.L.1@", "total": "%#@T.L.2@ of %d, %@", "loop": "%#@T.L.3@"},
         "rules": {"T.L.1": {"language": "en", "forms": {"one": "one item", "other": "%1$lld items", "zero": "nothing"}},
                   "T.L.2": {"language": "en", "forms": {"one": "%d box", "other": "%arg boxes"}},
                   "T.L.3": {"language": "en", "forms": {"other": "%#@T.L.3@"}}}}
        """

    // The folder is there as long as the suite.
    private let folder: SampleFolder
    private let bundle: Bundle

    init() throws {
        folder = try SampleFolder([
            "Localizable.plurals.json": Self.plurals, "Localizable.strings": "\"plain\" = \"Plain\";\n",
            "AdoptedColors.json": "{\"Brand\": [1, 0.5, 0, 1], \"Gray\": [0.5, 1], \"Odd\": [1]}",
        ])
        bundle = try #require(Bundle(path: folder.url.path))
    }

    @Test("a number chooses the form of a text", arguments: [(0, "nothing"), (1, "one item"), (7, "7 items")])
    func forms(count: Int, text: String) {
        #expect(String(localized: "\(count) items", bundle: bundle) == text)
        let resource = LocalizedStringResource("\(count) items", bundle: .atURL(folder.url))
        #expect(String(localized: resource) == text)
        let format = LocalizedText.text("%lld items", tableName: nil, bundle: bundle, value: "")
        #expect(LocalizedText.formatted(format, nil, [count]) == text)
    }

    @Test("a format has several values, and a part with forms") func parts() {
        let format = LocalizedText.text("total", tableName: nil, bundle: bundle, value: "")
        #expect(LocalizedText.formatted(format, .current, [1, 3, "x"]) == "1 box of 3, x")
        #expect(LocalizedText.formatted(format, .current, [2, 3, "x"]) == "2 boxes of 3, x")
        #expect(LocalizedText.formatted("%05.1f of %d", nil, [2.25, 3]) == String(format: "%05.1f of %d", 2.25, 3))
    }

    @Test("a rule that names itself ends") func loop() {
        let format = LocalizedText.text("loop", tableName: nil, bundle: bundle, value: "")
        #expect(LocalizedText.formatted(format, nil, [1]) == "")
    }

    @Test("an unknown key is its value, or itself") func unknown() {
        #expect(LocalizedText.text("plain", tableName: "", bundle: bundle, value: "") == "Plain")
        #expect(LocalizedText.text("none", tableName: nil, bundle: bundle, value: "default") == "default")
        #expect(LocalizedText.text("none", tableName: nil, bundle: bundle, value: "") == "none")
        #expect(String(localized: "\(1.5, specifier: "%.2f") m", bundle: bundle) == "1.50 m")
    }

    @Test(
        "numbers have the categories of their language",
        arguments: [
            ("en", [1: "one", 0: "other", 2: "other"]), ("fr", [0: "one", 1: "one", 2: "other"]),
            ("ru", [1: "one", 2: "few", 5: "many", 11: "many", 12: "many", 21: "one", 22: "few"]),
            ("pl-PL", [1: "one", 3: "few", 5: "many", 21: "many", 22: "few"]), ("ja", [1: "other"]),
            ("cs", [1: "one", 4: "few", 5: "other"]),
            ("ar", [0: "zero", 2: "two", 3: "few", 11: "many", 100: "other"]),
        ])
    func categories(language: String, numbers: [Int: String]) {
        for (number, category) in numbers { #expect(PluralRule.category(Double(number), language) == category) }
        #expect(PluralRule.category(1.5, "en") == "other" && PluralRule.category(1.5, "fr") == "one")
    }

    @Test("a colour of a catalog has its components, and an unknown name none") func colors() {
        let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
        #expect(UIColor(named: "Brand", in: bundle, compatibleWith: nil) == orange)
        #expect(UIColor(Color("Brand", bundle: bundle)) == orange)
        #expect(NSColor(named: "Gray", bundle: bundle) == NSColor(white: 0.5, alpha: 1))
        #expect(UIColor(named: "None", in: bundle) == nil && NSColor(named: "Odd", bundle: bundle) == nil)
        #expect(UIColor(named: "Brand") == nil)
        #expect(Color("Gray", bundle: bundle).opacity(0.5) == Color(white: 0.5, opacity: 0.5))
    }

    @Test("a dynamic colour is that of the light appearance") func dynamicColors() {
        let color = UIColor { $0.userInterfaceStyle == .dark ? .white : .black }
        #expect(color == .black && color.resolvedColor(with: .current) == .black)
        let other = NSColor(name: nil) { $0.bestMatch(from: [.darkAqua, .aqua]) == .aqua ? .red : .blue }
        #expect(other == .red && NSAppearance().bestMatch(from: [.darkAqua]) == nil)
    }

    @Test("the key of a text is a value") func keys() {
        let count = 2
        #expect(LocalizedStringKey("a") == "a" && LocalizedStringKey("\(count) a") != "2 a")
        #expect(LocalizedStringKey("\(count) a") == "\(2) a" && LocalizedStringKey("\(count) a") != "\(3) a")
    }

    @Test("the row of an index path is its second index") func rows() {
        var path = IndexPath(row: 2, section: 1)
        #expect(path == IndexPath(indexes: [1, 2]) && path.row == 2)
        path.row = 5
        #expect(path == IndexPath(indexes: [1, 5]))
    }
}
