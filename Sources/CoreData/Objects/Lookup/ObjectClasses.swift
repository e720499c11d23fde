// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the Swift class for the class name in a model, and the entity for a class.

import Foundation
import Synchronization

/// Finds classes by the names that models give.
///
/// A name may include its module ("Shop.Book"), refer to the current one (".Book"), or be bare ("Book"). A name without
/// a module is searched for among the classes that the program has fetched or inserted by type, in the main
/// executable's module, and then in all modules. The log has one warning for each class that is not found, or that
/// several modules have.
enum ObjectClasses {
    private static let known = Mutex<[String: NSManagedObject.Type]>([:])
    private static let registered = Mutex<Set<ObjectIdentifier>>([])
    private static let count = Atomic<Int>(0)
    /// Names that were already logged.
    private static let missing = Mutex<Set<String>>([])

    /// The number of registered classes; it grows whenever a look-up may have another result than before.
    static var knownCount: Int { count.load(ordering: .acquiring) }

    /// Returns `NSManagedObject` if the model names no class, or one that does not exist.
    static func resolve(_ entity: NSEntityDescription) -> NSManagedObject.Type {
        if let companion = EntityCompanion.of(entity) { return companion.objectClass }
        guard let name = entity.managedObjectClassName, !name.isEmpty, name != "NSManagedObject" else {
            return NSManagedObject.self
        }
        let bare = name.split(separator: ".").last.map(String.init) ?? name
        let modules = modules(of: name)
        for module in modules { GeneratedClassLists.load(module: module) }
        if let known = known.withLock({ $0[name] ?? $0[bare] }) { return known }
        for candidate in [name] + modules.map({ "\($0).\(bare)" }) {
            if let found = NSClassFromString(candidate) as? NSManagedObject.Type { return found }
        }
        let found = candidates(name, bare)
        if found.count == 1 { return found[0] }
        reportMissing(name, entity, found)
        return NSManagedObject.self
    }

    /// The classes in any module that a name may refer to.
    private static func candidates(_ name: String, _ bare: String) -> [NSManagedObject.Type] {
        let found = ClassIndex.classes(named: bare)
        return name == bare || name.hasPrefix(".")
            ? found
            : found.filter { fullName($0) == name || fullName($0).hasSuffix("." + name) }
    }

    private static func reportMissing(_ name: String, _ entity: NSEntityDescription, _ found: [NSManagedObject.Type]) {
        guard missing.withLock({ $0.insert(name).inserted }) else { return }
        DiagnosisLog.warn(missingSentence(name, entity.name ?? "", found.map(fullName).sorted()))
    }

    /// - Parameter found: the full names of several classes with that name; empty if there is no such class.
    static func missingSentence(_ name: String, _ entity: String, _ found: [String]) -> String {
        let reason =
            found.isEmpty
            ? "the program has no such subclass of NSManagedObject"
            : "several modules have it (\(found.joined(separator: ", "))): name the module in the model"
        return "The model names the class '\(name)' for the entity '\(entity)', but \(reason). "
            + "Its objects are plain NSManagedObjects."
    }

    /// Makes a class findable by its bare name, in any module.
    static func register(_ type: NSManagedObject.Type) {
        guard registered.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        known.withLock {
            $0[String(describing: type)] = type
            $0[fullName(type)] = type
        }
        count.add(1, ordering: .releasing)
    }

    /// Whether an entity's class name refers to this class.
    static func names(_ entity: NSEntityDescription, _ type: NSManagedObject.Type) -> Bool {
        guard let name = entity.managedObjectClassName.map(withoutContexts) else { return false }
        let full = fullName(type)
        return name == full || name == String(describing: type) || name.hasPrefix(".") && full.hasSuffix(name)
            || full.hasSuffix("." + name)
    }

    /// With the module and the enclosing types.
    private static func fullName(_ type: NSManagedObject.Type) -> String { withoutContexts(String(reflecting: type)) }

    /// For a private class the system adds the context of its declaration, which a model file never contains, but a
    /// model made in code may.
    private static func withoutContexts(_ name: String) -> String {
        guard name.contains("(unknown context at ") else { return name }
        return name.replacing(/\(unknown context at [^)]*\)\./, with: "")
    }

    /// The module that a name begins with, and the executable's.
    private static func modules(of name: String) -> [String] {
        var modules = name.split(separator: ".", omittingEmptySubsequences: false).dropLast().prefix(1)
            .map(String.init).filter { !$0.isEmpty }
        if let executable { modules.append(executable) }
        return modules
    }

    /// The module of the program. Made once, because each new object of an entity with a class name asks for it.
    private static let executable = CommandLine.arguments.first.map {
        URL(filePath: $0).deletingPathExtension().lastPathComponent.replacing("-", with: "_")
    }
}
