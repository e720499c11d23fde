// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The system types that generated code can refer to.

/// Types of system modules that Core Data code uses in properties.
enum KnownTypes {
    /// - Parameter steps: the path, "Date" or "Foundation", "Date".
    static func declaration(_ steps: [String]) -> MangledDeclaration? {
        let modules: Set<String> = ["Swift", "Foundation", "CoreData"]
        var steps = steps
        if steps.count == 2, modules.contains(steps[0]) { steps.removeFirst() }
        guard steps.count == 1, let module = modulesByName[steps[0]] else { return nil }
        return MangledDeclaration(module.0, module.2 ?? steps[0], module.1)
    }

    /// The module, the kind, and the underlying name of an alias.
    private static let modulesByName: [String: (String, DeclaredType.Kind, String?)] = {
        var known: [String: (String, DeclaredType.Kind, String?)] = [
            "Optional": ("Swift", .struct, nil), "TimeInterval": ("Swift", .struct, "Double"),
            "NSRange": ("Foundation", .struct, "_NSRange"), "Float32": ("Swift", .struct, "Float"),
            "Float64": ("Swift", .struct, "Double"),
        ]
        func add(_ module: String, _ kind: DeclaredType.Kind, _ names: String) {
            for name in names.split(whereSeparator: \.isWhitespace) { known[String(name)] = (module, kind, nil) }
        }
        add(
            "Swift", .struct,
            """
            Array Bool Character ClosedRange Dictionary Double Float Int Int8 Int16 Int32 Int64 Range Set String Substring UInt UInt8
            UInt16 UInt32 UInt64
            """)
        add("Swift", .protocol, "Error")
        add(
            "FoundationEssentials", .struct,
            "AttributedString Calendar Data Date DateComponents DateInterval Decimal IndexPath Locale TimeZone URL UUID"
        )
        add("Foundation", .struct, "CGFloat CGPoint CGRect CGSize IndexSet PersonNameComponents")
        add(
            "Foundation", .class,
            """
            NSArray NSAttributedString NSCalendar NSData NSDate NSDateComponents NSDecimalNumber NSDictionary NSError NSIndexPath
            NSIndexSet NSLocale NSMutableArray NSMutableAttributedString NSMutableData NSMutableDictionary NSMutableOrderedSet
            NSMutableSet NSMutableString NSNull NSNumber NSObject NSOrderedSet NSSet NSString NSTimeZone NSURL NSUUID NSValue
            """)
        add("Foundation", .protocol, "NSCoding NSSecureCoding NSCopying NSObjectProtocol")
        add("CoreData", .class, "NSEntityDescription NSManagedObject NSManagedObjectContext NSManagedObjectID")
        return known
    }()
}
