// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value that is archived by a secure transformer.

import CoreData

public final class Logo: NSObject, NSSecureCoding {
    public static let supportsSecureCoding = true
    public let title: String

    public init(title: String) { self.title = title }

    public init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        self.title = title as String
    }

    public func encode(with coder: NSCoder) { coder.encode(title as NSString, forKey: "title") }
}

public final class LogoTransformer: NSSecureUnarchiveFromDataTransformer {
    public override class var allowedTopLevelClasses: [AnyClass] { [Logo.self] }

    public static func register() {
        ValueTransformer.setValueTransformer(
            LogoTransformer(), forName: NSValueTransformerName(rawValue: "LogoTransformer"))
    }
}
