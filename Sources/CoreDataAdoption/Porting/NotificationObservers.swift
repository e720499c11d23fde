// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the methods that observe notifications, and the classes that stop observing.

import CoreDataGeneration

/// A method that a notification centre can call.
struct NotificationMethod {
    let name: String
    /// The arguments of a call that has the notification as `notification`; "" for a method without parameters.
    let arguments: String
    var isOnMainActor: Bool
}

/// The methods and classes of all files, since an observer and its method can be in different extensions.
struct NotificationObservers {
    private var methods: [String: [NotificationMethod?]] = [:]
    private var mainActorTypes: Set<String> = []
    /// Types with an observer that becomes a block.
    private(set) var starting: Set<String> = []
    /// Those that stop observing and are classes of the sources. They must keep the tokens of their observers.
    private(set) var storing: Set<String> = []

    init(_ files: [PortedFile]) {
        var (classes, stopping) = (Set<String>(), Set<String>())
        for file in files {
            for type in file.declaredTypes() where !file.is(type.keyword, "extension") {
                if file.is(type.keyword, "class") { classes.insert(type.name) }
                if file.hasAttribute("MainActor", before: type.keyword) { mainActorTypes.insert(type.name) }
            }
            for found in file.notificationMethods {
                methods["\(found.type).\(found.name)", default: []].append(found.method)
            }
            stopping.formUnion(file.tokens.indices.compactMap(file.typeOfRemoval))
        }
        for file in files {
            starting.formUnion(file.tokens.indices.compactMap { file.observerStatement($0, among: self)?.type })
        }
        storing = starting.intersection(classes).intersection(stopping)
    }

    /// nil for a method that is not among the sources, and for an overloaded or unsuitable one.
    func method(_ name: String, of type: String) -> NotificationMethod? {
        guard let found = methods["\(type).\(name)"], found.count == 1, var method = found[0] else { return nil }
        method.isOnMainActor = method.isOnMainActor || mainActorTypes.contains(type)
        return method
    }
}
