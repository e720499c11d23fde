// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Casts lists of resources, which have another type than on Apple's systems.

import CoreDataGeneration

extension PortedFile {
    /// `bundle.urls(forResourcesWithExtension:subdirectory:)` gives `[NSURL]?` here, and `[URL]?` on Apple's systems.
    /// A cast to `[URL]?` compiles on both.
    mutating func castResourceLists() {
        for index in tokens.indices
        where `is`(index, "urls") && `is`(index + 1, "(") && `is`(index + 2, "forResourcesWithExtension")
            && !isGuarded[index]
        {
            let parts = arguments(index + 1)
            if parts.contains(where: { `is`($0.lowerBound, "in") && `is`($0.lowerBound + 1, ":") }) {
                warn(index, "Bundle.urls(…in:) takes an NSURL here: make a Bundle, and ask it for the same resources.")
                continue
            }
            let end = behind(index + 1)
            guard !`is`(end, "as") else { continue }
            guard let start = startOfExpression(endingAt: end - 1) else {
                warn(index, "This list holds NSURL here: cast it with `as [URL]?`, in parentheses.")
                continue
            }
            let (first, last) = (tokens[start].range.lowerBound, tokens[end - 1].range.upperBound)
            if isEndOfValue(end) {
                insert(" as [URL]?", at: last)
            } else {
                insert("(", at: first)
                insert(" as [URL]?)", at: last)
            }
        }
    }

    /// Whether no operator or member follows, so that a cast needs no parentheses. `??` binds more loosely than a cast.
    private func isEndOfValue(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return true }
        if tokens[index].kind == .directive
            || ["else", "{", "}", ")", "]", ",", ";"].contains(where: { `is`(index, $0) })
        {
            return true
        }
        if `is`(index, "?"), `is`(index + 1, "?"), tokens[index].range.lowerBound > tokens[index - 1].range.upperBound {
            return true
        }
        return tokens[index].startsLine && tokens[index].kind != .sign
    }
}
