// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool adopt`: makes a package for Linux of an app's project, builds it and runs its tests.

import ArgumentParser
import CoreDataAdoption
import CoreDataGeneration
import Foundation

struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt", abstract: "Builds and tests the model layer of an app's project on Linux.",
        discussion: """
            Takes an Xcode project, a workspace, a package or a folder, and makes a package in the folder Linux next to it, with links to \
            the sources. Declarations that need a screen, or a module that Linux lacks, are left out of copies, each with its reason. The \
            project itself is not changed, unless an option asks for it, and none of its scripts run. Objective-C sources and packages from the network are left out.

            Exit status: 0 if the package was built and all its tests passed, 1 if a test failed or all tests were left out, 2 if nothing \
            could be built.

            Example:
              coredata-tool adopt Shop.xcodeproj --no-build
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case markdown
    }

    @Argument(help: "An .xcodeproj, an .xcworkspace, a Package.swift, or a folder.")
    var project: String

    @Option(
        name: [.short, .long], help: ArgumentHelp("The folder of the package; Linux in the project's folder otherwise.")
    )
    var output: String?

    @Option(help: ArgumentHelp("A checkout of OpenCoreData, or the URL of its repository.", valueName: "path|url"))
    var library: String?

    @Option(help: ArgumentHelp("The folder of the build; .build in the package otherwise.", valueName: "folder"))
    var scratchPath: String?

    @Option(
        help: ArgumentHelp(
            "The built library, in an archive that Scripts/prebuild made for this library, toolchain and folder of builds.",
            valueName: "file"))
    var prebuilt: String?

    @Option(help: "The form of the report: text, json, or markdown for a pull request.")
    var format = Form.text

    @Option(help: ArgumentHelp("The longest time for one build or test run.", valueName: "seconds"))
    var limit = 1800.0

    @Flag(help: "Forget which declarations the last run left out.")
    var fresh = false

    @Flag(help: "Change the sources of the project, as port --write does, in place of copies.")
    var inPlace = false

    @Option(help: ArgumentHelp("Write a workflow into the repository: github or gitlab.", valueName: "service"))
    var ci: Workflow?

    @Flag(help: "Write a section about the package into the repository's AGENTS.md.")
    var agents = false

    @Flag(help: "Only write the package.")
    var noBuild = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a positive number of seconds.") }
    }

    func run() throws {
        try Terminal.report {
            var options = Adoption.Options(
                project: URL(fileURLWithPath: project), library: LibraryLocation.named(library))
            options.output = output.map { URL(fileURLWithPath: $0) }
            options.scratch = scratchPath.map { URL(fileURLWithPath: $0) }
            options.prebuilt = prebuilt.map { URL(fileURLWithPath: $0) }
            options.isFresh = fresh
            options.isInPlace = inPlace
            options.workflow = ci
            options.writesAgents = agents
            options.builds = !noBuild
            options.limit = limit
            let steps = StepLine()
            defer { steps.end() }
            let report = try Adoption.run(options) { steps.show($0) }
            steps.end()
            switch format {
            case .text: try Terminal.write(report.text(.terminal))
            case .markdown: try Terminal.write(report.text(.markdown))
            case .json: try Terminal.write(try report.json())
            }
            switch report.status {
            case .passed, .written: return nil
            case .failed, .testsLeftOut: return Terminal.findings
            case .nothingBuilt: return Terminal.couldNotRun
            }
        }
    }
}

extension Workflow: ExpressibleByArgument {}

extension LibraryLocation {
    /// A path, a URL, or without a name the checkout that this tool was built from, if that is still there.
    static func named(_ name: String?) -> LibraryLocation {
        if let name {
            return name.contains("://") ? .repository(name) : .checkout(URL(fileURLWithPath: name).standardizedFileURL)
        }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let isThere = FileManager.default.fileExists(atPath: root.appendingPathComponent("Sources/CoreData").path)
        return isThere ? .checkout(root) : .repository("https://github.com/opencoredata/OpenCoreData")
    }
}
