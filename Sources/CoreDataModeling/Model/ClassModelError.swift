// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The error for classes that form no valid model.

/// All faults of a model made from classes.
public struct ClassModelError: Error, Sendable, CustomStringConvertible {
    /// One fault.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The class, without its module; nil for a fault of the model as a whole.
        public let className: String?
        /// nil for a fault of the class as a whole.
        public let property: String?
        /// The fault, as a sentence to follow the names.
        public let sentence: String

        /// One line: class, property and fault.
        public var description: String {
            let title = [className, property].compactMap(\.self).joined(separator: ".")
            return title.isEmpty ? sentence : "\(title): \(sentence)"
        }
    }

    /// By class, then by property; never empty.
    public let faults: [Fault]

    /// All faults, one in a line.
    public var description: String {
        "The classes make no model:\n" + faults.map { "- \($0)" }.joined(separator: "\n")
    }
}
