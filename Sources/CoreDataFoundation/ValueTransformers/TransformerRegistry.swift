// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The registered value transformers, by name.

import Foundation

final class TransformerRegistry: @unchecked Sendable {
    static let shared = TransformerRegistry()

    // `lock` guards `transformers`.
    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
        .negateBooleanTransformerName: BooleanTransformer { Number($0).map { $0.double == 0 } ?? true },
        .isNilTransformerName: BooleanTransformer { presentValue($0) == nil },
        .isNotNilTransformerName: BooleanTransformer { presentValue($0) != nil },
        .unarchiveFromDataTransformerName: KeyedUnarchiveTransformer(),
        .keyedUnarchiveFromDataTransformerName: KeyedUnarchiveTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [NSValueTransformerName] { lock.withLock { Array(transformers.keys) } }

    func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
        lock.withLock { transformers[name] = transformer }
    }

    func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
        if let known = lock.withLock({ transformers[name] }) { return known }
        guard let type = NSClassFromString(name.rawValue) as? ValueTransformer.Type else { return nil }
        let made = type.create()
        return lock.withLock {
            if let known = transformers[name] { return known }
            transformers[name] = made
            return made
        }
    }
}

/// The built-in transformers with a Boolean result.
private final class BooleanTransformer: ValueTransformer {
    private let rule: (Any?) -> Bool

    init(_ rule: @escaping (Any?) -> Bool) {
        self.rule = rule
        super.init()
    }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: rule(value)) }
}
