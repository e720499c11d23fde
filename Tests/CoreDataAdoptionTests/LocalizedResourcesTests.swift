// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tables of texts and colours of catalogs in the bundle of a target.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Texts and colours of a target") struct LocalizedResourcesTests {
    private static let catalog = """
        {"sourceLanguage": "en", "version": "1.0", "strings": {
          "plain": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "A \\"plain\\" text"}},
                                      "de": {"stringUnit": {"state": "translated", "value": "Ein Text"}}}},
          "untouched": {},
          "%@ has %lld items": {"localizations": {"en": {"variations": {"plural": {
            "one": {"stringUnit": {"state": "new", "value": "%@ has one item"}},
            "other": {"stringUnit": {"state": "new", "value": "%@ has %lld items, 100%%"}}}}}}},
          "boxes": {"localizations": {"en": {"stringUnit": {"state": "new", "value": "In %#@boxes@"},
            "substitutions": {"boxes": {"argNum": 2, "formatSpecifier": "lld", "variations": {"plural": {
              "one": {"stringUnit": {"state": "new", "value": "%arg box"}},
              "other": {"stringUnit": {"state": "new", "value": "%arg boxes"}}}}}}}}},
          "tap": {"localizations": {"en": {"variations": {"device": {
            "mac": {"stringUnit": {"value": "Click"}}, "iphone": {"stringUnit": {"value": "Tap"}}}}}}}
        }}
        """

    @Test("a catalog gives texts and plural forms of its source language") func catalog() throws {
        let table = try #require(StringCatalog.read(Data(Self.catalog.utf8), name: "Shop.Main"))
        #expect(table.language == "en")
        #expect(table.texts == ["plain": "A \"plain\" text", "tap": "Tap"])
        #expect(table.formats == ["%@ has %lld items": "%2$#@Shop.Main.1@", "boxes": "In %2$#@Shop.Main.2@"])
        #expect(
            table.rules["Shop.Main.1"]?.forms == [
                "one": "%1$@ has one item", "other": "%1$@ has %2$lld items, 100%%",
            ])
        #expect(table.rules["Shop.Main.2"]?.forms == ["one": "%arg box", "other": "%arg boxes"])
        #expect(table.strings == "\"plain\" = \"A \\\"plain\\\" text\";\n\"tap\" = \"Tap\";\n")
        #expect(table.plurals?.contains("\"Shop.Main.2\"") == true)
    }

    @Test(
        "a file that is no catalog has no table",
        arguments: [
            "", "[]", "{\"strings\": []}", "{\"strings\": {\"a\": 1}}",
            "{\"strings\": {\"a\": {\"localizations\": 1}}}",
        ])
    func faultyCatalogs(text: String) {
        let table = StringCatalog.read(Data(text.utf8), name: "T")
        #expect(table?.strings == nil && table?.plurals == nil)
    }

    @Test("the variables of a plural file get names that are unique in the package") func pluralFile() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>items</key><dict>
            <key>NSStringLocalizedFormatKey</key><string>%#@count@ in total</string>
            <key>count</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>d</string>
            <key>one</key><string>%d item of %#@all@</string><key>other</key><string>%d items</string></dict>
            <key>all</key><dict><key>other</key><string>%d</string></dict>
            </dict><key>wide</key><dict><key>NSStringVariableWidthRuleType</key>
            <dict><key>20</key><string>short</string><key>100</key><string>long</string></dict></dict>
            <key>odd</key><string>x</string></dict></plist>
            """
        let table = try #require(PluralFile.read(Data(text.utf8), name: "S.L", language: "en"))
        #expect(table.formats == ["items": "%#@S.L.2@ in total"] && table.texts == ["wide": "long"])
        #expect(table.rules["S.L.2"]?.forms == ["one": "%d item of %#@S.L.1@", "other": "%d items"])
        #expect(PluralFile.read(Data("x".utf8), name: "S.L", language: "en")?.plurals == nil)
    }

    @Test(
        "the bundle has the language of the app, and the others are named",
        arguments: [
            ("en", "en", ["de", "fr"]), ("de", "de", ["en", "fr"]), ("English", "en", ["de", "fr"]),
            ("xx", "de", ["en", "fr"]),
        ])
    func languages(development: String, chosen: String, others: [String]) throws {
        let paths = ["de", "en", "fr"].map { "\($0).lproj/Localizable.strings" }
        let folder = try SampleFolder(
            Dictionary(
                uniqueKeysWithValues: (paths + ["Base.lproj/Other.strings", "InfoPlist.strings"]).map { ($0, "") }))
        let all = paths + ["Base.lproj/Other.strings", "InfoPlist.strings"]
        let found = LocalizedResources(all.map { folder.file($0) }, module: "Shop", language: development)
        #expect(found.files["Localizable.strings"] == .copy(folder.file("\(chosen).lproj/Localizable.strings")))
        #expect(found.files["Other.strings"] == .copy(folder.file("Base.lproj/Other.strings")))
        #expect(found.files.count == 2 && found.others.sorted() == others)
    }

    @Test("an app with texts and colours gets them, and the functions that look them up") func package() throws {
        let color = """
            {"colors": [
              {"idiom": "universal", "appearances": [{"appearance": "luminosity", "value": "dark"}],
               "color": {"color-space": "srgb", "components": {"red": "0", "green": "0", "blue": "0", "alpha": "1"}}},
              {"idiom": "universal", "color": {"color-space": "srgb",
               "components": {"red": "0xFF", "green": "0.500", "blue": "51", "alpha": "0.250"}}}]}
            """
        let gray = """
            {"colors": [{"idiom": "universal", "color": {"color-space": "gray-gamma-22",
             "components": {"white": "0.500", "alpha": "1.000"}}}]}
            """
        let folder = try SampleFolder([
            "App/Shop/Item.swift": """
            import CoreData
            import UIKit
            let title = NSLocalizedString("plain", comment: "")
            let color = UIColor(named: "Brand")
            """, "App/Shop/Localizable.xcstrings": Self.catalog,
            "App/Shop/A.xcassets/Brand.colorset/Contents.json": color,
            "App/Shop/A.xcassets/Text/Contents.json": "{\"properties\": {\"provides-namespace\": true}}",
            "App/Shop/A.xcassets/Text/Soft.colorset/Contents.json": gray,
            "App/Shop/A.xcassets/Empty.colorset/Contents.json": "{\"colors\": [{\"idiom\": \"universal\"}]}",
        ])
        var options = Adoption.Options(
            project: folder.file("App"), library: .checkout(URL(fileURLWithPath: "/library")))
        options.builds = false
        _ = try Adoption.run(options)
        let base = "App/Linux/Sources/App"
        #expect(try folder.text("\(base)/Resources/Localizable.strings").contains("\"tap\" = \"Tap\";"))
        #expect(folder.exists("\(base)/Resources/Localizable.plurals.json"))
        let colors = try JSONDecoder().decode(
            [String: [Double]].self, from: Data(folder.text("\(base)/Resources/AdoptedColors.json").utf8))
        #expect(colors == ["Brand": [1, 0.5, 0.2, 0.25], "Text/Soft": [0.5, 1]])
        #expect(try folder.text("\(base)/AdoptedTexts.swift").contains("static func localizedStringWithFormat"))
        let manifest = try folder.text("App/Linux/Package.swift")
        #expect(manifest.contains(".process(\"Resources\")") && manifest.contains("name: \"AppleShims\""))
    }

    @Test("an app that looks up no text gets no tables") func without() throws {
        let folder = try SampleFolder([
            "App/Item.swift": "import CoreData\nlet a = 1\n", "App/Localizable.xcstrings": Self.catalog,
        ])
        var options = Adoption.Options(
            project: folder.file("App"), library: .checkout(URL(fileURLWithPath: "/library")))
        options.builds = false
        _ = try Adoption.run(options)
        #expect(!folder.exists("App/Linux/Sources/App/Resources"))
        #expect(!folder.exists("App/Linux/Sources/App/AdoptedTexts.swift"))
    }
}
