// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The workflow, the section for agents, and sources that are changed in place.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Files of the repository that options ask for") struct RepositoryFilesTests {
    private func sample() throws -> SampleFolder {
        try SampleFolder([
            "Repo/.git/HEAD": "", "Repo/App/Shop/Item.swift": "import CoreData\nclass Item { @objc func a() {} }\n",
            "Repo/AGENTS.md": "# Rules\n\nBe careful.\n",
        ])
    }

    private func adopt(_ folder: SampleFolder, changing: (inout Adoption.Options) -> Void) throws -> AdoptionReport {
        var options = Adoption.Options(
            project: folder.file("Repo/App"), library: .checkout(URL(fileURLWithPath: "/library")))
        options.builds = false
        changing(&options)
        return try Adoption.run(options)
    }

    @Test("a workflow has the image, the cache, the build and the tests of the package", arguments: Workflow.allCases)
    func workflow(kind: Workflow) throws {
        let folder = try sample()
        let report = try adopt(folder) { $0.workflow = kind }
        let text = try folder.text("Repo/\(kind.path)")
        #expect(text.contains("swift:6.3") && text.contains("App/Linux/.build") && text.contains("cache"))
        #expect(text.contains("- run: swift test --skip-build --package-path App/Linux\n") == (kind == .github))
        #expect(text.contains("swift build --build-tests --package-path App/Linux\n"))
        #expect(report.kept.isEmpty)
        #expect(report.notes.contains { $0.contains("no other machine") })
        #expect(report.notes.contains { $0.contains("include") } == (kind == .gitlab))
    }

    @Test(
        "a path with spaces and marks is one word of a command and one value",
        arguments: [
            ("My App", "--package-path 'My App'", "      path: My App/.build\n"),
            ("a'b", "--package-path 'a'\\\\''b'\"", "      path: a'b/.build\n"),
            ("a: b", "\"swift build --build-tests --package-path 'a: b'\"", "      path: \"a: b/.build\"\n"),
        ])
    func quotedPaths(path: String, command: String, value: String) {
        let text = Workflow.github.text(package: path)
        #expect(text.contains(command) && text.contains(value))
        #expect(text.contains("hashFiles('\(path.replacingOccurrences(of: "'", with: "''"))/Package.swift')"))
    }

    @Test("a workflow follows the tool until a person edits it", arguments: Workflow.allCases) func edited(
        kind: Workflow
    ) throws {
        let folder = try sample()
        _ = try adopt(folder) { $0.workflow = kind }
        let first = try folder.text("Repo/\(kind.path)")
        _ = try adopt(folder) {
            $0.workflow = kind
            $0.output = folder.file("Repo/Other")
        }
        // Another package has another record, so the file counts as a person's.
        #expect(try folder.text("Repo/\(kind.path)") == first)
        try folder.write("mine", to: "Repo/\(kind.path)")
        let report = try adopt(folder) { $0.workflow = kind }
        #expect(try folder.text("Repo/\(kind.path)") == "mine")
        #expect(report.kept == [kind.path])
    }

    @Test("the section for agents comes after a person's text, is replaced, and stays if it was edited") func agents()
        throws
    {
        let folder = try sample()
        let path = "Repo/AGENTS.md"
        _ = try adopt(folder) { $0.writesAgents = true }
        let first = try folder.text(path)
        #expect(first.hasPrefix("# Rules\n\nBe careful.\n\n<!-- coredata-tool adopt: begin -->\n## Building"))
        #expect(first.contains("`swift test --package-path App/Linux`") && first.contains("`coredata-tool adopt App`"))
        try folder.write(first + "\n# More\n", to: path)
        _ = try adopt(folder) { $0.writesAgents = true }
        #expect(try folder.text(path) == first + "\n# More\n")
        try folder.write(first.replacing("Run it after", with: "Run it before"), to: path)
        let report = try adopt(folder) { $0.writesAgents = true }
        #expect(report.kept == ["AGENTS.md"])
        #expect(try folder.text(path).contains("Run it before"))
    }

    @Test("a section is replaced by its digest, and broken marks are a person's")
    func sections() {
        let old = AgentsSection.text(package: "A", project: "A.xcodeproj")
        let new = AgentsSection.text(package: "B", project: "A.xcodeproj")
        let digest = Digest.text(old.utf8)
        #expect(AgentsSection.inserted(new, into: "a\n\(old)b\n", digest: digest) == "a\n\(new)b\n")
        #expect(AgentsSection.inserted(new, into: "a\n\(old)b\n", digest: nil) == nil)
        #expect(AgentsSection.inserted(new, into: nil, digest: nil) == new)
        #expect(AgentsSection.inserted(new, into: "a", digest: nil) == "a\n\n" + new)
        let half = old.replacing("<!-- coredata-tool adopt: end -->", with: "")
        #expect(AgentsSection.inserted(new, into: half, digest: digest) == nil)
    }

    @Test("a package outside of the repository has no workflow") func outside() throws {
        let folder = try sample()
        #expect(throws: ProjectError.self) {
            try adopt(folder) {
                $0.workflow = .github
                $0.output = folder.file("Elsewhere")
            }
        }
        #expect(!folder.exists("Repo/.github"))
    }

    @Test("in place, the sources get the form for both systems, and the package has links only") func inPlace() throws {
        let folder = try sample()
        let report = try adopt(folder) { $0.isInPlace = true }
        #expect(try folder.text("Repo/App/Shop/Item.swift").contains("#if canImport(ObjectiveC)"))
        #expect(report.changedInPlace == ["Shop/Item.swift"])
        #expect(report.files(.taken).map(\.path) == ["Shop/Item.swift"])
        let again = try adopt(folder) { $0.isInPlace = true }
        #expect(again.changedInPlace.isEmpty)
    }
}
