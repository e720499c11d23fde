// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What is wrong with a model that is made of classes.

/// Every reason why classes make no model, at once.
public struct ClassModelError: Error, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The class, without its module; nil for a fault of the model as a whole.
        public let className: String?
        /// nil for a fault of the class as a whole.
        public let property: String?
        /// What is wrong, to be read after the names.
        public let sentence: String

        public var description: String {
            let title = [className, property].compactMap(\.self).joined(separator: ".")
            return title.isEmpty ? sentence : "\(title): \(sentence)"
        }
    }

    /// By class, then by property; never empty.
    public let faults: [Fault]

    public var description: String {
        "The classes make no model:\n" + faults.map { "- \($0)" }.joined(separator: "\n")
    }
}
