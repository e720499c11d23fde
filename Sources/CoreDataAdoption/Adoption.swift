// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes a package of a project: reads, selects, writes, builds, tests, reports.

import CoreDataGeneration
package import Foundation

/// The states and invariants are in Documentation/Internals/Adoption.md.
package struct Adoption {
    package struct Options: Sendable {
        package var project: URL
        /// nil for `Linux` in the folder of the project.
        package var output: URL?
        package var library: LibraryLocation
        /// nil for `.build` in the output folder.
        package var scratch: URL?
        /// Whether the cuts of the last run are forgotten.
        package var isFresh = false
        /// Whether the package is built and tested.
        package var builds = true
        /// Whether `port` changes the sources of the project in place of copies.
        package var isInPlace = false
        /// The workflow to write into the repository; nil for none.
        package var workflow: Workflow?
        /// Whether the repository gets a section for agents.
        package var writesAgents = false
        /// An archive of `Scripts/prebuild` with the built library; nil to build it.
        package var prebuilt: URL?
        /// The limit of one build or test run, in seconds.
        package var limit = 1800.0

        package init(project: URL, library: LibraryLocation) {
            self.project = project
            self.library = library
        }
    }

    /// The rounds of the loop end here, so that a strange project ends with a report.
    static let mostRounds = 40

    private let options: Options
    private let progress: (String) -> Void
    private let output: URL
    private var targets: [AdoptedTarget] = []
    private var report: AdoptionReport
    private var rule = StatementRule()
    private let project: AppProject

    /// - Parameter progress: called at the beginning of each step.
    /// - Throws: `ProjectError`; errors of reading and writing files.
    package static func run(_ options: Options, progress: @escaping (String) -> Void = { _ in }) throws
        -> AdoptionReport
    {
        var adoption = try Adoption(options, progress)
        return try adoption.run()
    }

    private init(_ options: Options, _ progress: @escaping (String) -> Void) throws {
        self.options = options
        self.progress = progress
        progress("reading \(options.project.lastPathComponent)")
        project = try ProjectReader.read(options.project)
        output = (options.output ?? project.folder.appendingPathComponent("Linux")).standardizedFileURL
        report = AdoptionReport(project: project.name, output: output.path)
        report.notes = project.notes
        if let inside = project.targets.flatMap(\.sources).first(where: { $0.path.hasPrefix(output.path + "/") }) {
            throw ProjectError(
                inside.path, "The output folder has sources of the project; name another one with -o.")
        }
    }

    // MARK: Steps

    private mutating func run() throws -> AdoptionReport {
        try time("select") { try $0.select() }
        var writer = PackageWriter(output)
        restore(writer.record)
        guard targets.contains(where: { !$0.isTests && !$0.taken.isEmpty }) else { return finished(nil) }
        let files = try repositoryFiles()
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try write(&writer)
        if let files { try writer.write(files, options.workflow, agents: options.writesAgents) }
        report.kept = writer.kept.sorted()
        guard options.builds else {
            report.status = .written
            return finished(nil)
        }
        let scratch = options.scratch ?? output.appendingPathComponent(".build")
        let swift = SwiftCommand(package: output, scratch: scratch, limit: options.limit)
        if let archive = options.prebuilt {
            progress("unpacking the library")
            try time("unpack") {
                try PrebuiltLibrary(archive: archive, library: $0.options.library).unpack(
                    into: scratch, output: $0.output, usesSwiftData: $0.targets.contains(where: \.usesSwiftData))
            }
        }
        let isBuilt = try time("build") { try $0.build(swift, &writer) }
        guard isBuilt else { return finished(nil) }
        report.status = .passed
        let tests = targets.filter(\.isTests).map(\.testFrameworks)
        let outcomes = try time("test") { adoption in
            adoption.progress("testing")
            let (xctest, testing) = (tests.contains(where: \.xctest), tests.contains(where: \.testing))
            return try TestRun(swift: swift).outcomes(xctest: xctest, testing: testing)
        }
        return finished(outcomes)
    }

    private mutating func time<Result>(_ step: String, _ body: (inout Adoption) throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer {
            report.seconds[step] = (ContinuousClock.now - start) / .seconds(1)
        }
        return try body(&self)
    }

    /// nil if no option asks for files of the repository.
    private mutating func repositoryFiles() throws -> RepositoryFiles? {
        guard options.workflow != nil || options.writesAgents else { return nil }
        if let sentence = options.workflow?.sentence { report.notes.append(sentence) }
        if options.workflow != nil, case .checkout(let url) = options.library {
            report.notes.append(
                "The package takes OpenCoreData from \(url.path), which no other machine has: name a URL with --library."
            )
        }
        return try RepositoryFiles(project: options.project, folder: project.folder, output: output)
    }

    /// Writes the form for both systems into the sources of the project, as `port --write` does.
    private mutating func portInPlace(_ targets: [AppTarget]) throws {
        for target in targets {
            let sources = target.sources.filter { FileManager.default.isReadableFile(atPath: $0.path) }
            for change in try SourcePort(sources).changes where !change.old.isEmpty {
                try AtomicWrite.file(Data(change.new.utf8), to: change.url)
                report.changedInPlace.append(relative(change.url))
            }
        }
    }

    private mutating func select() throws {
        let selection = TargetSelection(project)
        report.leftOutTargets = selection.leftOut
        if options.isInPlace { try portInPlace(selection.targets) }
        let modules = Set(selection.targets.map(\.module))
        let needs = ProjectNeeds(selection.targets)
        targets = try selection.targets.map {
            try AdoptedTarget($0, folder: project.folder, modules: modules, needs: needs)
        }
        let languages = Set(targets.flatMap(\.otherLanguages)).sorted().joined(separator: ", ")
        if !languages.isEmpty {
            report.notes.append("Texts are in the app's own language; these are left out: \(languages).")
        }
        rule.declared = Set(targets.flatMap(\.sources).flatMap(\.declaredNames))
        for target in targets.indices {
            for source in targets[target].sources.indices {
                targets[target].sources[source].cutInterface(rule)
                if targets[target].isTests { targets[target].sources[source].cutTestFeatures() }
            }
        }
    }

    /// Begins with the cuts of the last run, for sources that are unchanged.
    private mutating func restore(_ record: AdoptionRecord) {
        guard !options.isFresh else { return }
        for target in targets.indices {
            for source in targets[target].sources.indices {
                let key = "\(targets[target].folder)/\(targets[target].sources[source].path)"
                guard let old = record.sources[key], old.digest == targets[target].sources[source].digest else {
                    continue
                }
                let known = targets[target].sources[source].cuts
                for cut in old.cuts where !known.contains(cut) { targets[target].sources[source].restore(cut) }
            }
        }
    }

    private func write(_ writer: inout PackageWriter) throws {
        let package = AdoptedPackage(project, targets, library: options.library)
        var sources: [String: AdoptionRecord.Source] = [:]
        for target in targets {
            for source in target.sources {
                sources["\(target.folder)/\(source.path)"] = .init(digest: source.digest, cuts: source.cuts)
            }
        }
        try writer.write(package.files, sources: sources)
    }

    /// The loop of builds and cuts (Adoption, invariant 7).
    private mutating func build(_ swift: SwiftCommand, _ writer: inout PackageWriter) throws -> Bool {
        while report.rounds < Self.mostRounds {
            report.rounds += 1
            progress("building, round \(report.rounds)")
            // A folder of builds that several packages share would keep the plan of the last one.
            let command = ["build", "--build-tests", "--disable-build-manifest-caching"]
            let run = try swift.run(command, log: "build.log")
            if run.status == 0, !run.wasStopped { return true }
            let errors = CompilerError.all(in: run.output)
            report.kept = writer.kept.sorted()
            guard !run.wasStopped, cut(errors, writer.kept) else {
                report.errors = errors.map { $0.path.isEmpty ? $0.message : "\($0.path):\($0.line): \($0.message)" }
                if run.wasStopped { report.errors = ["The build was stopped after \(Int(options.limit)) seconds."] }
                if report.errors.isEmpty {
                    report.errors = run.output.split(separator: "\n").suffix(3).map(String.init)
                }
                return false
            }
            guard targets.contains(where: { !$0.isTests && !$0.taken.isEmpty }) else { return false }
            try write(&writer)
        }
        report.errors = ["The package does not build after \(Self.mostRounds) rounds of cuts."]
        return false
    }

    /// - Returns: whether a declaration was cut.
    private mutating func cut(_ errors: [CompilerError], _ kept: Set<String>) -> Bool {
        var places: [String: (target: Int, source: Int)] = [:]
        for target in targets.indices {
            for source in targets[target].sources.indices {
                let path = "\(targets[target].folder)/\(targets[target].sources[source].path)"
                // The text of an edited file is a person's.
                if kept.contains(path) { continue }
                places[output.appendingPathComponent(path).path] = (target, source)
                places[targets[target].sources[source].original.path] = (target, source)
            }
        }
        for source in targets.flatMap(\.sources) {
            let names = source.cutNames(rule)
            rule.harmless.formUnion(names.harmless)
            rule.properties.formUnion(names.properties)
        }
        var isCut = false
        // Statements first: an error inside of one that is cut needs no further cut.
        for cutsStatements in [true, false] {
            for error in errors {
                guard let place = places[error.path] else { continue }
                let reason = error.message.prefix(1).uppercased() + error.message.dropFirst() + "."
                let isDone =
                    cutsStatements
                    ? targets[place.target].sources[place.source].cutStatement(error, rule, reason: reason)
                    : targets[place.target].sources[place.source]
                        .cut(line: error.line, column: error.column, reason: reason)
                isCut = isCut || isDone
            }
        }
        return isCut
    }

    // MARK: Reporting

    private mutating func finished(_ outcomes: [TestOutcome]?) -> AdoptionReport {
        report.tests = outcomes ?? []
        report.targets = targets.map(described)
        for target in targets where target.isTests {
            for source in target.sources {
                for cut in source.cuts {
                    report.testsLeftOut += cut.tests.map { LeftOut(name: $0, reason: cut.reason) }
                }
                guard let reason = source.reasonLeftOut else { continue }
                let tests = source.outline.declarations.flatMap { TestNames.all(in: $0, source.outline.tokens) }
                report.testsLeftOut += tests.filter { name in !report.testsLeftOut.contains { $0.name == name } }
                    .map { LeftOut(name: $0, reason: reason) }
            }
        }
        guard report.status == .passed else { return report }
        if report.tests.contains(where: { $0.result == .failed || $0.result == .crashed }) {
            report.status = .failed
        } else if !report.tests.contains(where: { $0.result == .passed }), !report.testsLeftOut.isEmpty {
            report.status = .testsLeftOut
        }
        return report
    }

    private func relative(_ url: URL) -> String {
        url.path.hasPrefix(project.folder.path + "/")
            ? String(url.path.dropFirst(project.folder.path.count + 1)) : url.path
    }

    private func described(_ target: AdoptedTarget) -> AdoptionReport.Target {
        let files = target.sources.map { source in
            let isLeftOut = source.reasonLeftOut != nil
            let state: AdoptionReport.File.State =
                isLeftOut ? .leftOut : !source.cuts.isEmpty ? .cut : source.isUnchanged ? .taken : .changed
            return AdoptionReport.File(
                path: relative(source.original), state: state, reason: source.reasonLeftOut, cuts: source.cuts)
        }
        return AdoptionReport.Target(
            name: target.target.name, module: target.target.module, isTests: target.isTests, files: files,
            models: target.target.models.map(relative), resources: target.resources.map(relative),
            scripts: target.target.scripts, foreignSources: target.target.foreignSources.map(relative),
            warnings: target.warnings)
    }
}
