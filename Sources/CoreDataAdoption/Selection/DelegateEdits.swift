// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the delegate of an app a plain class, so that sources that take the container from it compile.

import CoreDataGeneration
import Foundation

/// On Apple's systems the app makes the delegate, and `UIApplication.shared.delegate` returns it. Here a static
/// property of the class has the only instance. The next steps cut the methods of the app's life.
struct DelegateEdits {
    private(set) var edits: [(range: Range<Int>, text: String)] = []
    private let tokens: [SwiftToken]

    /// - Parameters:
    ///   - tokens: those that are active on Linux.
    ///   - delegates: the names of the classes.
    init(_ tokens: [SwiftToken], _ delegates: Set<String>, _ languageMode: Int) {
        self.tokens = tokens
        guard !delegates.isEmpty else { return }
        for index in tokens.indices where tokens[index].is("class") && delegates.contains(text(index + 1)) {
            editClass(index, languageMode)
        }
        for index in tokens.indices where tokens[index].kind == .word { editUse(index, delegates) }
    }

    private func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

    /// Replaces the supertypes of UIKit or AppKit, blanks `@main`, and adds the instance.
    private mutating func editClass(_ index: Int, _ languageMode: Int) {
        guard text(index + 2) == ":", let open = tokens[index...].firstIndex(where: { $0.is("{") }) else { return }
        let list = tokens[(index + 3)..<open].split { $0.is(",") }.map { $0.map(\.text).joined() }
        let kept = list.filter { $0 != "NSObject" && $0 != "UIResponder" && !InterfaceNames.contains($0) }
            .filter { !ProjectNeeds.protocols.contains($0) }
        let supertypes = ": " + (["NSObject"] + kept).joined(separator: ", ") + " "
        edits.append((tokens[index + 2].range.lowerBound..<tokens[open].range.lowerBound, supertypes))
        let isolation = languageMode >= 6 ? "" : "nonisolated(unsafe) "
        let end = tokens[open].range.upperBound
        edits.append((end..<end, " \(isolation)static let adopted = \(text(index + 1))();"))
        var at = index - 1
        while at > 0, index - at < 12, tokens[at].kind == .word || tokens[at].is("@") {
            if tokens[at - 1].is("@"), ["UIApplicationMain", "NSApplicationMain", "main"].contains(text(at)) {
                edits.append((tokens[at - 1].range.lowerBound..<tokens[at].range.upperBound, ""))
            }
            at -= 1
        }
    }

    /// Replaces `UIApplication.shared.delegate` before a cast to the class.
    private mutating func editUse(_ index: Int, _ delegates: Set<String>) {
        let form = tokens[index...].prefix(5).map(\.text)
        let count =
            ["UIApplication", "NSApplication"].contains(form[0])
                && Array(form.dropFirst()) == [".", "shared", ".", "delegate"]
            ? 5 : form[0] == "NSApp" && Array(form.dropFirst().prefix(2)) == [".", "delegate"] ? 3 : 0
        guard count > 0 else { return }
        var at = index + count
        while ["!", "?", "as"].contains(text(at)) { at += 1 }
        let named = delegates.contains(text(at)) ? text(at) : nil
        guard let name = named ?? (delegates.count == 1 ? delegates.first : nil) else { return }
        let range = tokens[index].range.lowerBound..<tokens[index + count - 1].range.upperBound
        edits.append((range, "(\(name).adopted as AnyObject?)"))
    }
}
