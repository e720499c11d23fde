// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recognizes Xcode's methods for to-many relationships by name and parameters, and generates their bodies.

/// The statement for `@NSManaged func addToTags(_ value: Tag)` and similar methods.
struct MutatorCall {
    /// The names of the parameters that the body uses.
    let names: [String]
    let body: String

    /// - Parameter slots: the slots of the class's entity; nil if unknown.
    /// - Returns: nil for an unknown method.
    init?(_ method: NSManagedMethod, slots: SlotNumbers?) {
        guard let form = Form(method) else { return nil }
        guard let key = Self.key(form.name, slots) else { return nil }
        let ordered = slots?[key].map { $0.kind == .ordered } ?? form.looksOrdered
        names = form.names
        body = ToManyMutators.body(form.action, key, ordered).replacing("\n        ", with: "; ")
    }

    private static func key(_ capitalized: String, _ slots: SlotNumbers?) -> String? {
        let plain = capitalized.prefix(1).lowercased() + capitalized.dropFirst()
        guard let slots else { return plain }
        // "URLs" may refer to the property "URLs" or "uRLs".
        return [plain, capitalized].first { name in
            slots[name].map { $0.kind == .toMany || $0.kind == .ordered } ?? false
        }
    }

    private struct Form {
        var action: ToManyMutators.Action
        var name: String
        var names: [String]
        var looksOrdered = false

        init?(_ method: NSManagedMethod) {
            let types = method.parameters.map(\.type)
            let labels = method.parameters.map { $0.label ?? "_" }
            guard !types.contains(where: \.isOptional), let first = types.first else { return nil }
            let many = Self.isCollection(first)
            looksOrdered = first.simpleName == "NSOrderedSet" || Self.isArray(first)
            let name = method.member.name
            if labels == ["_"] {
                guard let (isAdding, rest) = Self.addOrRemove(name, many) else { return nil }
                self.name = rest
                names = [many ? "values" : "value"]
                action = isAdding ? (many ? .addAll : .add) : (many ? .removeAll : .remove)
                return
            }
            looksOrdered = true
            let kind: ToManyMutators.Action.Indexes =
                types.contains { $0.simpleName == "NSIndexSet" } ? .object : .value
            switch labels {
            case ["at"] where name.hasPrefix("removeFrom"):
                self.name = String(name.dropFirst("removeFrom".count))
                let isOne = first.simpleName == "Int"
                (names, action) = isOne ? (["idx"], .removeAt) : (["indexes"], .removeAllAt(kind))
            case ["_", "at"] where name.hasPrefix("insertInto"):
                self.name = String(name.dropFirst("insertInto".count))
                (names, action) = many ? (["values", "indexes"], .insertAll(kind)) : (["value", "idx"], .insert)
            case ["at", "with"] where name.hasPrefix("replace"):
                self.name = String(name.dropFirst("replace".count))
                let isOne = first.simpleName == "Int"
                (names, action) = isOne ? (["idx", "value"], .replace) : (["indexes", "values"], .replaceAll(kind))
            default: return nil
            }
        }

        /// "addToTags", and the older "addTagsObject" and "addTags".
        private static func addOrRemove(_ name: String, _ many: Bool) -> (isAdding: Bool, name: String)? {
            for (prefix, isAdding) in [("addTo", true), ("removeFrom", false), ("add", true), ("remove", false)]
            where name.hasPrefix(prefix) {
                var rest = name.dropFirst(prefix.count)
                guard let first = rest.first, first.isUppercase else { continue }
                if prefix == "add" || prefix == "remove" {
                    if !many {
                        guard rest.hasSuffix("Object"), rest.count > 6 else { return nil }
                        rest = rest.dropLast(6)
                    }
                }
                return (isAdding, String(rest))
            }
            return nil
        }

        private static func isArray(_ type: TypeSyntax) -> Bool {
            if case .array = type { return true }
            return type.simpleName == "Array"
        }

        private static func isCollection(_ type: TypeSyntax) -> Bool {
            isArray(type) || ["NSSet", "NSOrderedSet", "Set", "NSArray"].contains(type.simpleName ?? "")
        }
    }
}
