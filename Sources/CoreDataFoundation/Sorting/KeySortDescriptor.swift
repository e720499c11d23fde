// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A sort descriptor that knows the name of its key.

import Foundation

/// The result of `NSSortDescriptor(key:ascending:)` and similar initializers.
final class KeySortDescriptor: NSSortDescriptor, NSSecureCoding {
    enum Order {
        case comparison(SortComparison)
        /// A closure of the program, called with values that are not nil.
        case code(SortCode)
    }

    let keyName: String?
    let order: Order
    private let reader: KeyPathReader?
    /// nil unless the descriptor was read securely from an archive.
    let permit: EvaluationPermit?

    /// - Parameter keyName: nil compares the objects themselves.
    convenience init(_ keyName: String?, ascending: Bool, order: Order) {
        do {
            let reader = try keyName.map(KeyPathReader.init)
            self.init(keyName, reader, ascending: ascending, order: order, permit: nil)
        } catch {
            preconditionFailure("Sort by another key than '\(keyName ?? "")': \(error)")
        }
    }

    private init(
        _ keyName: String?, _ reader: KeyPathReader?, ascending: Bool, order: Order, permit: EvaluationPermit?
    ) {
        self.keyName = keyName
        self.reader = reader
        self.order = order
        self.permit = permit
        let comparator: Comparator = { Self.compare(values: ComparableValue($0), ComparableValue($1), $0, $1, order) }
        super.init(keyPath: \NSObject.self, ascending: ascending, comparator: comparator)
    }

    /// - Throws: `KeyValueError` for an unknown key.
    func value(of object: Any) throws -> Any? {
        guard let reader else { return presentValue(object) }
        return try reader.value(of: object)
    }

    // MARK: Archives

    static var supportsSecureCoding: Bool { true }

    /// nil if the archive contains no descriptor, or one with an unknown selector. After secure decoding, comparison
    /// must first be allowed.
    required convenience init?(coder: NSCoder) {
        // Decoding a missing key would set the coder's error.
        func text(_ key: String) -> String? {
            coder.containsValue(forKey: key)
                ? coder.decodeObject(of: NSString.self, forKey: key).map(String.init) : nil
        }
        guard coder.containsValue(forKey: "NSAscending"),
            let comparison = text("NSSelector").flatMap(SortComparison.init)
        else { return nil }
        let name = text("NSKey")
        guard coder.containsValue(forKey: "NSKey") == (name != nil) else { return nil }
        let reader = name.flatMap { try? KeyPathReader($0) }
        guard (reader == nil) == (name == nil) else { return nil }
        self.init(
            name, reader, ascending: coder.decodeBool(forKey: "NSAscending"), order: .comparison(comparison),
            permit: EvaluationPermit(coder))
    }

    /// Traps for a comparator, which cannot be archived.
    func encode(with coder: NSCoder) {
        guard case .comparison(let comparison) = order else {
            preconditionFailure(
                "'\(self)' has a comparator, which is code and cannot be archived; sort by a selector.")
        }
        if let keyName { coder.encode(NSString(string: keyName), forKey: "NSKey") }
        coder.encode(ascending, forKey: "NSAscending")
        coder.encode(NSString(string: comparison.rawValue), forKey: "NSSelector")
    }

    func permitEvaluation() { permit?.grant() }

    // MARK: Comparing

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        permit?.check("The sort descriptor \(self)")
        do {
            let (left, right) = (try value(of: object1), try value(of: object2))
            return Self.compare(values: ComparableValue(left), ComparableValue(right), left, right, order)
                .directed(ascending: ascending)
        } catch {
            preconditionFailure("Sort descriptor with key '\(keyName ?? "")' cannot be used here: \(error)")
        }
    }

    static func compare(
        values left: ComparableValue, _ right: ComparableValue, _ original: Any?, _ other: Any?, _ order: Order
    ) -> ComparisonResult {
        switch (order, original, other) {
        case (.comparison(let comparison), _, _): comparison.order(left, right)
        case (.code(let code), let original?, let other?): code.compare(original, other)
        default: SortComparison.standard.order(left, right)
        }
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(keyName, reader, ascending: !ascending, order: order, permit: permit)
    }
    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor, other.keyName == keyName, other.ascending == ascending else {
            return false
        }
        return switch (order, other.order) {
        case (.comparison(let left), .comparison(let right)): left == right
        case (.code(let left), .code(let right)): left === right
        default: false
        }
    }

    override var hash: Int { (keyName ?? "").hashValue ^ (ascending ? 1 : 0) }

    override var description: String {
        let how =
            switch order {
            case .comparison(let comparison): comparison.rawValue
            case .code: "comparator"
            }
        return "(\(keyName ?? "self"), \(ascending ? "ascending" : "descending"), \(how))"
    }
}

/// A comparator, compared by identity.
final class SortCode {
    let compare: Comparator
    init(_ compare: @escaping Comparator) { self.compare = compare }
}

/// The result for a key path to values that are not `Comparable`, such as optionals: nil comes first.
final class KeyPathSortDescriptor: NSSortDescriptor {
    private let reverse: () -> KeyPathSortDescriptor

    init<Root, Value>(_ path: KeyPath<Root, Value>, ascending: Bool) {
        reverse = { KeyPathSortDescriptor(path, ascending: !ascending) }
        super.init(
            keyPath: path, ascending: ascending,
            comparator: { SortComparison.standard.order(ComparableValue($0), ComparableValue($1)) })
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let path = NamedPath(path: keyPath)
        return comparator(path.value(of: object1) as Any, path.value(of: object2) as Any).directed(ascending: ascending)
    }

    override var reversedSortDescriptor: Any { reverse() }
    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeyPathSortDescriptor else { return false }
        return other.keyPath == keyPath && other.ascending == ascending
    }
    override var hash: Int { keyPath.hashValue }
}
