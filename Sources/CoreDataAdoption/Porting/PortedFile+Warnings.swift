// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports code for Apple's systems that must be rewritten by hand.

import CoreDataGeneration

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
            if `is`(index, "as"), `is`(index + 1, "!") || `is`(index + 1, "?"),
                `is`(index + 2, "NSFetchedResultsController"), `is`(index + 3, "<")
            {
                warn(
                    index,
                    "This cast fails here unless the controller is of that very type: use the one that you made."
                )
            }
            if `is`(index, "&"), `is`(index + 1, "CVarArg") || `is`(index - 1, "CVarArg") {
                warn(
                    index,
                    "Dates and ids are no CVarArg here, and predicates take any value: leave CVarArg out.")
            }
        }
    }

    /// The names of computed properties: `var name: Type {`, but not with observers, nor in protocols.
    var computedProperties: [String] {
        tokens.indices.compactMap { index in
            guard `is`(index, "var"), `is`(index + 2, ":"), tokens.indices.contains(index + 3),
                let open = tokens[(index + 3)...].firstIndex(where: { $0.startsLine || $0.is("{") || $0.is("=") }),
                `is`(open, "{"), !`is`(open + 1, "didSet"), !`is`(open + 1, "willSet"),
                !(`is`(open + 1, "get") && !`is`(open + 2, "{"))
            else { return nil }
            return tokens[index + 1].text
        }
    }

    /// A results controller reads sections with `value(forKey:)`, which finds only properties of the model here.
    mutating func warnOfSections(by computed: Set<String>) {
        for index in tokens.indices where `is`(index, "sectionNameKeyPath") && `is`(index + 1, ":") && !isGuarded[index]
        {
            let argument = tokens[(index + 2)...].prefix { !$0.is(",") && !$0.is(")") }.last { $0.kind != .sign }
            guard let name = argument?.text.split(separator: ".").last.map(String.init), computed.contains(name) else {
                continue
            }
            warn(
                index,
                "Sections by the computed property '\(name)' need a transient attribute '\(name)' in the model, and "
                    + "an override of value(forKey:) that gives it.")
        }
    }
}
