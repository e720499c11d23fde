// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports code for Apple's systems that must be rewritten by hand.

extension PortedFile {
    mutating func warnOfDifferences() {
        for index in tokens.indices where !isGuarded[index] && tokens[index].kind != .literal {
            if `is`(index, "Bundle"), `is`(index + 1, "("), `is`(index + 2, "for"), `is`(index + 3, ":") {
                warn(
                    index,
                    "Bundle(for:) does not find the resources of a package here: write Bundle.module, with a condition."
                )
            }
            if `is`(index, "]"), `is`(index + 1, "as"), `is`(index + 2, "NSSet") || `is`(index + 2, "NSOrderedSet") {
                let name = tokens[index + 2].text
                warn(index, "An array literal cannot be cast to \(name) here: write \(name)(array:).")
            }
            if `is`(index, "&"), `is`(index + 1, "CVarArg") || `is`(index - 1, "CVarArg") {
                warn(
                    index,
                    "Strings, dates and ids are no CVarArg here, and predicates take any value: leave CVarArg out.")
            }
        }
    }
}
