// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a module's list of managed object classes, which the run time reads.

/// The list `_OpenCoreDataClasses` makes nested classes available by name, and gives slots to classes with
/// accessors in extensions. A class with generated accessors and without an entity is listed without slots: its key
/// paths have names, too.
///
/// The file also resolves names that both Foundation and CoreData declare.
enum ClassList {
    static func source(_ declarations: SourceDeclarations, _ entities: ClassEntities) -> String {
        var lines = [
            "// The managed object classes of this module. Do not edit.", "", "public import CoreData", "",
            "public enum _OpenCoreDataClasses: _GeneratedClassList {",
            "    public static var _classes: [(NSManagedObject.Type, StaticString)] {",
        ]
        let listed = declarations.types.filter { $0.kind == .class && !$0.isGeneric && !$0.access.isLocal }
            .compactMap { type in signature(of: type, declarations, entities).map { (type, $0) } }
            .sorted { $0.0.path < $1.0.path }
        lines.append("        \(listed.isEmpty ? "let" : "var") classes: [(NSManagedObject.Type, StaticString)] = []")
        for (type, signature) in listed {
            lines += type.conditions.map { "        #if \($0)" }
            let path = type.path.split(separator: ".").map { SwiftNames.escaped(String($0)) }.joined(separator: ".")
            lines.append("        classes.append((\(path).self, \(SwiftNames.quoted(signature))))")
            lines += type.conditions.map { _ in "        #endif" }
        }
        lines += ["        return classes", "    }", "}", ""] + aliases(declarations)
        return lines.joined(separator: "\n")
    }

    /// nil for a class without generated accessors.
    private static func signature(
        of type: DeclaredType, _ declarations: SourceDeclarations, _ entities: ClassEntities
    ) -> String? {
        if let entity = entities[type] { return entity.slots.signature }
        let hasAccessors = declarations.properties.contains { property in
            type.path == property.member.owner || type.path.hasSuffix(".\(property.member.owner)")
        }
        return hasAccessors ? "" : nil
    }

    /// A module's own declaration takes precedence over imported ones. Public, because the module's API may
    /// use the names.
    private static func aliases(_ declarations: SourceDeclarations) -> [String] {
        let own = Set(declarations.types.map(\.path) + declarations.aliases.map(\.path))
        // A type of this name hides the module. Then the two names are ambiguous where sources use them.
        guard !own.contains("CoreData") else { return [""] }
        return ["NSComparisonPredicate", "NSExpression"].filter { !own.contains($0) }
            .map { "public typealias \($0) = CoreData.\($0)" } + [""]
    }
}
