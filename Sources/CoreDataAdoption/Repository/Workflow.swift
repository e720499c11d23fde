// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The workflows that build and test the package on a service for continuous integration.

import Foundation

package enum Workflow: String, CaseIterable, Sendable {
    case github
    case gitlab

    /// The path in the repository. GitLab reads one file, which is the team's, so that file includes this one.
    var path: String {
        switch self {
        case .github: ".github/workflows/linux.yml"
        case .gitlab: ".gitlab/linux.yml"
        }
    }

    /// The work that is left to a person; nil for none.
    var sentence: String? {
        switch self {
        case .github: nil
        case .gitlab: "Add to .gitlab-ci.yml: include: { local: \(path) }"
        }
    }

    private static let image = "swift:6.3"
    private static let libraries = "apt-get update && apt-get install -y pkg-config libsqlite3-dev zlib1g-dev"

    /// - Parameter package: the path of the package in the repository.
    func text(package: String) -> String {
        let commands = ["swift build --build-tests", "swift test --skip-build"].map {
            Self.yaml("\($0) --package-path \(Self.shell(package))")
        }
        let hash = "${{ hashFiles('\(package.replacingOccurrences(of: "'", with: "''"))/Package.swift') }}"
        switch self {
        case .github:
            return """
                # Made by coredata-tool adopt --ci github. Edits are kept: then later runs leave this file as it is.
                name: Linux
                on: [push, pull_request]
                jobs:
                  test:
                    runs-on: ubuntu-latest
                    container: \(Self.image)
                    steps:
                      - uses: actions/checkout@v4
                      - run: \(Self.libraries)
                      - uses: actions/cache@v4
                        with:
                          path: \(Self.yaml("\(package)/.build"))
                          key: \(Self.yaml("linux-\(Self.image)-\(hash)-${{ github.sha }}"))
                          restore-keys: \(Self.yaml("linux-\(Self.image)-\(hash)-"))
                      - run: \(commands[0])
                      - run: \(commands[1])

                """
        case .gitlab:
            return """
                # Made by coredata-tool adopt --ci gitlab. Edits are kept: then later runs leave this file as it is.
                linux:
                  image: \(Self.image)
                  cache:
                    key:
                      files: [\(Self.yaml("\(package)/Package.swift", isInList: true))]
                    paths: [\(Self.yaml("\(package)/.build", isInList: true))]
                  before_script:
                    - \(Self.libraries)
                  script:
                    - \(commands[0])
                    - \(commands[1])

                """
        }
    }

    /// A path as a word of a command.
    private static func shell(_ path: String) -> String {
        let isPlain = path.wholeMatch(of: /[\w.\/-]+/) != nil
        return isPlain ? path : "'\(path.replacingOccurrences(of: "'", with: "'\\''"))'"
    }

    /// A text as a value of YAML: in quotes if a part of it could be read as something else.
    private static func yaml(_ text: String, isInList: Bool = false) -> String {
        let marks = [": ", " #", "\\", "\""] + (isInList ? [",", "[", "]", "{", "}"] : [])
        guard marks.contains(where: text.contains) else { return text }
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
