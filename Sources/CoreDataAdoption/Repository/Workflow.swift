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
    private static let libraries = "apt-get update && apt-get install -y libsqlite3-dev zlib1g-dev"

    /// - Parameter package: the path of the package in the repository.
    func text(package: String) -> String {
        switch self {
        case .github:
            """
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
                      path: \(package)/.build
                      key: linux-\(Self.image)-${{ hashFiles('\(package)/Package.swift') }}-${{ github.sha }}
                      restore-keys: linux-\(Self.image)-${{ hashFiles('\(package)/Package.swift') }}-
                  - run: swift build --build-tests --package-path \(package)
                  - run: swift test --skip-build --package-path \(package)

            """
        case .gitlab:
            """
            # Made by coredata-tool adopt --ci gitlab. Edits are kept: then later runs leave this file as it is.
            linux:
              image: \(Self.image)
              cache:
                key:
                  files: [\(package)/Package.swift]
                paths: [\(package)/.build]
              before_script:
                - \(Self.libraries)
              script:
                - swift build --build-tests --package-path \(package)
                - swift test --skip-build --package-path \(package)

            """
        }
    }
}
