// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Blanks the imports that Linux lacks, and names the bundle of the package. No edit changes the number of lines.

import CoreDataGeneration
import Foundation

struct SourceEdits {
    private(set) var droppedImports: [String] = []
    private var edits: [(range: Range<Int>, text: String)] = []

    /// - Parameters:
    ///   - tokens: those of the whole file.
    ///   - needs: those of the whole project.
    init(_ tokens: [SwiftToken], _ conditions: BuildConditions, _ needs: ProjectNeeds, _ bundle: String?) {
        let active = conditions.active(tokens)
        let hasFoundation = active.indices.contains {
            active[$0].is("import") && Self.module($0, active) == "Foundation"
        }
        for index in active.indices where active[index].is("import") && active[index].startsLine(from: active, index) {
            guard let module = Self.module(index, active), !conditions.modules.contains(module),
                !LinuxModules.ported.contains(module)
            else { continue }
            // Frameworks of Apple export Foundation.
            let isFirst = droppedImports.isEmpty && !hasFoundation
            droppedImports.append(module)
            edits.append((Self.extent(index, active), isFirst ? "import Foundation" : ""))
        }
        addShims(active, needs)
        addNetworking(active)
        edits += DelegateEdits(active, needs.delegates, conditions.languageMode).edits
        edits += TestIsolationEdits(active, isMainActorByDefault: conditions.isMainActorByDefault).edits
        if let bundle { nameBundle(active, bundle) }
    }

    func apply(to bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var at = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where edit.range.lowerBound >= at {
            output += bytes[at..<edit.range.lowerBound]
            output += Array(edit.text.utf8)
            // A comment of several lines may be between the words of an import.
            output += bytes[edit.range].filter { $0 == UInt8(ascii: "\n") }
            at = edit.range.upperBound
        }
        return output + bytes[at...]
    }

    /// The module of `import UIKit`, `import class UIKit.UIColor`.
    private static func module(_ index: Int, _ tokens: [SwiftToken]) -> String? {
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        let name = index + 1 < tokens.count && kinds.contains(tokens[index + 1].text) ? index + 2 : index + 1
        return name < tokens.count && tokens[name].kind == .word ? tokens[name].text : nil
    }

    /// The import with its attributes and access level on the line.
    private static func extent(_ index: Int, _ tokens: [SwiftToken]) -> Range<Int> {
        var (start, end) = (index, index + 1)
        while start > 0, !tokens[start].startsLine { start -= 1 }
        while end < tokens.count, !tokens[end].startsLine, !tokens[end].is(";") { end += 1 }
        return tokens[start].range.lowerBound..<tokens[end - 1].range.upperBound
    }

    /// Adds the imports of the names that Linux has in other modules.
    private mutating func addShims(_ tokens: [SwiftToken], _ needs: ProjectNeeds) {
        let words = Set(tokens.filter { $0.kind == .word }.map(\.text))
        var modules: [String] = []
        if !edits.isEmpty, needs.usesCombine {
            let uses = droppedImports.contains("Combine") || !words.isDisjoint(with: LinuxModules.combineShimNames)
            modules += uses ? LinuxModules.openCombine : []
        } else if !edits.isEmpty, !words.isDisjoint(with: LinuxModules.combineShimNames) {
            modules.append(LinuxModules.combineShims)
        }
        let isLocalized = tokens.indices.contains {
            tokens[$0].is("(") && tokens[$0...].dropFirst().prefix(2).map(\.text) == ["localized", ":"]
        }
        // XCTest exports UIKit and AppKit.
        let seesInterface = !edits.isEmpty || tokens.indices.contains { Self.module($0, tokens) == "XCTest" }
        let usesInterface = seesInterface && !words.isDisjoint(with: LinuxModules.shimNames)
        if usesInterface || isLocalized || !words.isDisjoint(with: LinuxModules.foundationShimNames) {
            modules.append(LinuxModules.shims)
        }
        if !edits.isEmpty, words.contains("modelContext") || words.contains("SwiftData"),
            Self.fetchesOutsideOfViews(tokens)
        {
            modules.append(LinuxModules.swiftDataShims)
        }
        // SwiftUI exports it.
        if !edits.isEmpty, !words.isDisjoint(with: ["Observable", "ObservationIgnored", "withObservationTracking"]) {
            modules.append("Observation")
        }
        add(modules.map { "import \($0)" }, tokens)
    }

    /// Whether a type that is no view has a `@Query`, or a value of the environment. Views are cut later.
    private static func fetchesOutsideOfViews(_ tokens: [SwiftToken]) -> Bool {
        var (depth, head) = (0, 0)
        for index in tokens.indices {
            if tokens[index].is("{") { depth += 1 }
            if tokens[index].is("}") {
                depth -= 1
                if depth == 0 { head = index + 1 }
            }
            guard depth > 0, tokens[index].is("@"), index + 1 < tokens.count,
                ["Query", "Environment"].contains(tokens[index + 1].text)
            else { continue }
            let declaration = tokens[head...].prefix { !$0.is("{") }
            if InterfaceNames.first(in: declaration, except: []) == nil { return true }
        }
        return false
    }

    /// Adds imports on the line of the first one, a dropped one if there is one.
    private mutating func add(_ imports: [String], _ tokens: [SwiftToken]) {
        guard !imports.isEmpty else { return }
        let text = imports.joined(separator: "; ")
        if !edits.isEmpty {
            edits[0].text += (edits[0].text.isEmpty ? "" : "; ") + text
        } else if let first = tokens.indices.first(where: {
            tokens[$0].is("import") && tokens[$0].startsLine(from: tokens, $0)
        }) {
            let extent = Self.extent(first, tokens)
            edits.append((extent.upperBound..<extent.upperBound, "; " + text))
        }
    }

    /// On Linux a separate module has the names of the network, which Foundation has on Apple's systems.
    private mutating func addNetworking(_ tokens: [SwiftToken]) {
        let imports = tokens.indices.filter { tokens[$0].is("import") && tokens[$0].startsLine(from: tokens, $0) }
        guard let first = imports.first,
            !imports.contains(where: { Self.module($0, tokens) == "FoundationNetworking" }),
            tokens.contains(where: { $0.kind == .word && Self.networking.contains($0.text) })
        else { return }
        let extent = Self.extent(first, tokens)
        if let dropped = edits.firstIndex(where: { $0.range == extent }) {
            let text = edits[dropped].text
            edits[dropped].text = text.isEmpty ? "import FoundationNetworking" : text + "; import FoundationNetworking"
        } else {
            edits.append((extent.upperBound..<extent.upperBound, "; import FoundationNetworking"))
        }
    }

    private static let networking: Set<String> = [
        "URLSession", "URLRequest", "URLResponse", "HTTPURLResponse", "URLSessionConfiguration", "URLSessionTask",
        "URLSessionDataTask", "URLSessionDownloadTask", "URLSessionUploadTask", "URLSessionDelegate",
        "URLSessionTaskDelegate", "URLSessionDataDelegate", "URLSessionTaskMetrics", "URLProtocol", "URLCache",
        "CachedURLResponse", "HTTPCookie", "HTTPCookieStorage", "URLCredential", "URLAuthenticationChallenge",
        "NSURLRequest", "NSMutableURLRequest",
    ]

    /// Properties of the program's own bundle.
    private static let program: Set<String> = [
        "bundleIdentifier", "infoDictionary", "object", "bundlePath", "bundleURL", "executablePath", "executableURL",
        "appStoreReceiptURL", "localizedInfoDictionary", "preferredLocalizations",
    ]

    /// Resources of a package are in `Bundle.module`: `Bundle.main`, `Bundle(for:)` and `Bundle(identifier:)` have none
    /// of them on Linux.
    private mutating func nameBundle(_ tokens: [SwiftToken], _ bundle: String) {
        func `is`(_ index: Int, _ text: String) -> Bool { index < tokens.count && tokens[index].is(text) }
        for index in tokens.indices where `is`(index, "Bundle") {
            if `is`(index + 1, "."), `is`(index + 2, "main"),
                !(`is`(index + 3, ".") && index + 4 < tokens.count && Self.program.contains(tokens[index + 4].text))
            {
                edits.append((tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound, bundle))
            } else if `is`(index + 1, "("), `is`(index + 2, "for") || `is`(index + 2, "identifier"),
                `is`(index + 3, ":")
            {
                var (depth, end) = (0, index + 1)
                repeat {
                    if `is`(end, "(") { depth += 1 }
                    if `is`(end, ")") { depth -= 1 }
                    end += 1
                } while depth > 0 && end < tokens.count
                let range = tokens[index].range.lowerBound..<tokens[end - 1].range.upperBound
                // The bundle of an identifier is optional.
                let text = `is`(index + 2, "for") ? bundle : "Optional(\(bundle))"
                if tokens[end - 1].line == tokens[index].line { edits.append((range, text)) }
            }
        }
    }
}

extension SwiftToken {
    /// Whether only attributes and access levels precede the token on its line.
    fileprivate func startsLine(from tokens: [SwiftToken], _ index: Int) -> Bool {
        var at = index
        while at > 0, !tokens[at].startsLine { at -= 1 }
        let words: Set<String> = [
            "@", "testable", "public", "internal", "private", "fileprivate", "package", "exported",
        ]
        return tokens[at..<index].allSatisfy {
            words.contains($0.text) || $0.text.hasPrefix("_") || $0.text == "preconcurrency"
        }
    }
}
