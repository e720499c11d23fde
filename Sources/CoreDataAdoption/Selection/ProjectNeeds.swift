// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Properties of the whole project that decide about the edits of each source.

import CoreDataGeneration
import Foundation

struct ProjectNeeds: Equatable {
    /// Whether a source uses more of Combine than the names of `CombineShims`: then all sources get OpenCombine, since
    /// two modules with the same names would be ambiguous.
    private(set) var usesCombine = false
    /// The delegates of apps that other sources name, mostly for the container in them. They become plain classes.
    private(set) var delegates: Set<String> = []
    /// Whether a source looks up localized texts, and a target has some.
    private(set) var usesTexts = false
    /// Whether texts of the project have plural forms.
    private(set) var usesPlurals = false
    /// Whether a source names colours of asset catalogs.
    private(set) var usesColors = false

    init() {}

    init(_ targets: [AppTarget]) {
        var texts: [URL: String] = [:]
        for source in targets.flatMap(\.sources) where texts[source] == nil {
            texts[source] = (try? Data(contentsOf: source)).map { String(decoding: $0, as: UTF8.self) }
        }
        usesCombine = texts.values.contains(where: Self.usesCombine)
        let tables = targets.flatMap(\.resources).filter {
            LocalizedResources.extensions.contains($0.pathExtension.lowercased())
        }
        usesTexts = !tables.isEmpty && texts.values.contains(where: Self.usesTexts)
        usesPlurals = usesTexts && tables.contains(where: Self.hasPlurals)
        usesColors = texts.values.contains { $0.contains(/\b(?:UIColor|NSColor|Color)\(\s*(?:named:|")/) }
        for (file, text) in texts where text.contains("ApplicationDelegate") {
            let names = Self.delegates(SwiftLexer.tokens(Array(text.utf8)))
            delegates.formUnion(
                names.filter { name in texts.contains { $0.key != file && $0.value.contains(name) } })
        }
    }

    /// The classes that adopt the protocol of an app's delegate in their declaration.
    private static func delegates(_ tokens: [SwiftToken]) -> [String] {
        tokens.indices.compactMap { index in
            guard tokens[index].is("class"), index + 2 < tokens.count, tokens[index + 1].kind == .word,
                tokens[index + 2].is(":")
            else { return nil }
            let head = tokens[index...].prefix { !$0.is("{") }
            return head.contains { protocols.contains($0.text) } ? tokens[index + 1].text : nil
        }
    }

    private static func usesTexts(_ text: String) -> Bool {
        ["NSLocalizedString", "(localized:", "LocalizedStringResource", "localizedString(forKey"].contains {
            text.contains($0)
        }
    }

    private static func hasPlurals(_ file: URL) -> Bool {
        switch file.pathExtension.lowercased() {
        case "stringsdict": true
        case "xcstrings": (try? Data(contentsOf: file))?.range(of: Data("\"plural\"".utf8)) != nil
        default: false
        }
    }

    static let protocols: Set<String> = ["UIApplicationDelegate", "NSApplicationDelegate", "WKApplicationDelegate"]

    /// Whether a text uses names of Combine besides those of `CombineShims`.
    private static func usesCombine(_ text: String) -> Bool {
        text.contains("import Combine")
            && (text.contains(
                /\b(AnyCancellable|Cancellable|AnyPublisher|PassthroughSubject|CurrentValueSubject|Publishers?)\b/)
                || text.contains(/\b(Just|Future|Deferred|Subscribers|AnySubscriber|Empty|Fail)\b/)
                || text.contains(/\.(sink|eraseToAnyPublisher|assign)\b/))
    }
}
