// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists of properties: constraints and indexes.

import Foundation

extension Schema {
    /// Lists of properties that, taken together, identify a record: `#Unique`.
    public class Unique<T: PersistentModel>: SchemaProperty {
        /// Empty.
        public var name = ""
        /// Empty.
        public var originalName = ""
        /// The class.
        public var valueType: any Any.Type = T.self
        /// The lists.
        public let constraints: [[PartialKeyPath<T>]]

        /// Lists of properties.
        public nonisolated init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        /// True.
        public var isUnique: Bool { true }

        /// By the lists.
        public static func == (lhs: Unique, rhs: Unique) -> Bool { lhs.constraints == rhs.constraints }
        /// By the lists.
        public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

        /// The parts of the description.
        public enum CodingKeys: CodingKey {
            /// The lists of properties.
            case constraints
        }
    }

    /// Lists of properties that stores index together: `#Index`.
    public class Index<T: PersistentModel>: SchemaProperty {
        /// Empty.
        public var name = ""
        /// Empty.
        public var originalName = ""
        /// The class.
        public var valueType: any Any.Type = T.self
        /// The lists, each with its kind.
        public let indices: [Types<T>]

        /// Lists with kinds.
        public nonisolated init(_ indices: Types<T>...) { self.indices = indices }

        /// Lists for comparisons.
        public nonisolated init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }

        /// By the lists.
        public static func == (lhs: Index, rhs: Index) -> Bool { lhs.comparable == rhs.comparable }
        /// By the lists.
        public func hash(into hasher: inout Hasher) { hasher.combine(comparable) }

        private var comparable: [[AnyHashable]] { indices.map { [$0.isTree] + $0.keyPaths.map { AnyHashable($0) } } }

        /// A list with the kind of index.
        public enum Types<P: PersistentModel> {
            /// For comparisons and orders.
            case binary([PartialKeyPath<P>])
            /// For ranges of several numbers at once.
            case rtree([PartialKeyPath<P>])

            var isTree: Bool { if case .rtree = self { true } else { false } }

            var keyPaths: [PartialKeyPath<P>] {
                switch self {
                case .binary(let paths), .rtree(let paths): paths
                }
            }
        }

        /// The parts of the description.
        public enum CodingKeys: CodingKey {
            /// The indexes.
            case indices
        }
    }
}

/// The lists without their class.
protocol PropertyList {
    var lists: [(paths: [AnyKeyPath], isTree: Bool)] { get }
    var isConstraint: Bool { get }
}

extension Schema.Unique: PropertyList {
    var lists: [(paths: [AnyKeyPath], isTree: Bool)] { constraints.map { ($0, false) } }
    var isConstraint: Bool { true }
}

extension Schema.Index: PropertyList {
    var lists: [(paths: [AnyKeyPath], isTree: Bool)] { indices.map { ($0.keyPaths, $0.isTree) } }
    var isConstraint: Bool { false }
}
