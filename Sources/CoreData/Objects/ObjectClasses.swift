// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From the class name in a model to the Swift class, and from a class to its entity.

import Foundation
import Synchronization

/// Finds classes by the names that models give.
///
/// A name may carry its module ("Shop.Book"), come from the current one (".Book"), or be bare ("Book"); bare names are
/// looked for in the
/// main executable's module and among the classes that a program has fetched or inserted by type.
enum ObjectClasses {
    private static let known = Mutex<[String: NSManagedObject.Type]>([:])
    private static let registered = Mutex<Set<ObjectIdentifier>>([])
    private static let count = Atomic<Int>(0)

    /// How many classes have become known; grows when a look-up may have another answer than before.
    static var knownCount: Int { count.load(ordering: .acquiring) }

    /// `NSManagedObject` itself when the model names no class or one that is not there.
    static func resolve(_ entity: NSEntityDescription) -> NSManagedObject.Type {
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
        return NSManagedObject.self
    }

    /// Makes a class findable by its bare name, whatever module it is in.
    static func register(_ type: NSManagedObject.Type) {
        guard registered.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { return }
        known.withLock {
            $0[String(describing: type)] = type
            $0[fullName(type)] = type
        }
        count.add(1, ordering: .releasing)
    }

    /// Whether an entity's class name means this class.
    static func names(_ entity: NSEntityDescription, _ type: NSManagedObject.Type) -> Bool {
        guard let name = entity.managedObjectClassName.map(withoutContexts) else { return false }
        let full = fullName(type)
        return name == full || name == String(describing: type) || name.hasPrefix(".") && full.hasSuffix(name)
            || full.hasSuffix("." + name)
    }

    /// With the module, and the types around.
    private static func fullName(_ type: NSManagedObject.Type) -> String { withoutContexts(String(reflecting: type)) }

    /// Of a private class the system says where it lies: no model file knows that, a model made in code may.
    private static func withoutContexts(_ name: String) -> String {
        guard name.contains("(unknown context at ") else { return name }
        return name.replacing(/\(unknown context at [^)]*\)\./, with: "")
    }

    /// The module that a name begins with, and that of the executable.
    private static func modules(of name: String) -> [String] {
        var modules = name.split(separator: ".", omittingEmptySubsequences: false).dropLast().prefix(1)
            .map(String.init).filter { !$0.isEmpty }
        if let executable = CommandLine.arguments.first {
            let own = URL(filePath: executable).deletingPathExtension().lastPathComponent
            modules.append(own.replacing("-", with: "_"))
        }
        return modules
    }
}
