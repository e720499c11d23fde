// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The report for a terminal, and as Markdown for a pull request.

import Foundation

extension AdoptionReport {
    package enum Form: Sendable {
        case terminal
        case markdown
    }

    /// Lists are cut after this many lines; the JSON has all.
    private static let mostLines = 15

    package func text(_ form: Form) -> String {
        var sections = [(title: "", lines: [summary] + errors.prefix(Self.mostLines))]
        for target in targets { sections.append((title(of: target), lines(of: target))) }
        sections.append(("Targets left out", leftOutTargets.map { "\($0.name): \($0.reason)" }))
        let failures = tests.filter { $0.result == .failed || $0.result == .crashed }
        sections.append(
            (
                "Failed tests (\(failures.count))",
                failures.map { "\($0.name) \($0.result.rawValue)\($0.message.map { ": \($0)" } ?? "")" }
            ))
        sections.append(
            ("Tests left out (\(testsLeftOut.count))", testsLeftOut.map { "\($0.name): \($0.reason)" }))
        sections.append(("Commonest reasons", commonReasons.map { "\($0.count) × \($0.reason)" }))
        sections.append(("Changed in the project", changedInPlace))
        sections.append(("Edited files, kept as they are", kept))
        sections.append(("Notes", notes))
        let times = seconds.sorted { $0.key < $1.key }.map { "\($0.key) \(String(format: "%.1f", $0.value)) s" }
        sections.append(("Times", [times.joined(separator: ", ")]))
        return sections.filter { !$0.lines.isEmpty }.map { Self.section($0.title, $0.lines, form) }
            .joined(separator: "\n")
    }

    private var summary: String {
        let taken = targets.flatMap(\.files).count { $0.state != .leftOut }
        let all = targets.flatMap(\.files).count
        let files = "\(project): \(taken) of \(all) files in \(targets.count) targets"
        switch status {
        case .written: return "\(files), written to \(output)."
        case .nothingBuilt: return "\(files). Nothing could be built."
        case .testsLeftOut:
            return "\(files), built. No test passed: \(testsLeftOut.count) left out, with their reasons below."
        case .passed, .failed:
            let failed = count(.failed) + count(.crashed)
            let skipped = count(.skipped) > 0 ? ", \(count(.skipped)) skipped" : ""
            let numbers = "\(count(.passed)) passed, \(failed) failed\(skipped), \(testsLeftOut.count) left out"
            return tests.isEmpty && testsLeftOut.isEmpty
                ? "\(files), built. There are no tests." : "\(files), built. Tests: \(numbers)."
        }
    }

    private func title(of target: Target) -> String {
        let name = target.name == target.module ? target.name : "\(target.name) (module \(target.module))"
        return target.isTests ? "Tests \(name)" : "Target \(name)"
    }

    private func lines(of target: Target) -> [String] {
        func count(_ state: File.State) -> Int { target.files.count { $0.state == state } }
        let unchanged = "\(count(.taken)) files as they are, \(count(.changed)) changed"
        var lines = ["\(unchanged), \(count(.cut)) with cuts, \(count(.leftOut)) left out"]
        lines += target.models.map { "model \($0)" }
        if !target.scripts.isEmpty {
            lines.append("scripts that did not run: \(target.scripts.joined(separator: ", "))")
        }
        if !target.foreignSources.isEmpty {
            lines.append("\(target.foreignSources.count) sources in Objective-C or C, left out")
        }
        for file in target.files where file.state == .cut {
            let names = file.cuts.map(\.declaration).joined(separator: ", ")
            lines.append("\(file.path) without \(names): \(file.cuts.first?.reason ?? "")")
        }
        for file in target.files where file.state == .leftOut {
            lines.append("\(file.path) left out: \(file.reason ?? "")")
        }
        return lines
    }

    private static func section(_ title: String, _ lines: [String], _ form: Form) -> String {
        var shown = Array(lines.prefix(mostLines))
        let rest = lines.count - shown.count
        if rest > 0 { shown.append("… and \(rest) more; --format json has all") }
        switch form {
        case .terminal:
            return title.isEmpty
                ? shown.map { $0 + "\n" }.joined() : "\(title)\n" + shown.map { "    \($0)\n" }.joined()
        case .markdown:
            let body = shown.map { "- \($0.replacingOccurrences(of: "|", with: "\\|"))\n" }.joined()
            return title.isEmpty ? "## Linux\n\n\(body)" : "### \(title)\n\n\(body)"
        }
    }
}
