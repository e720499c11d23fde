// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes a call outside the queue: the object, its context, and the two queues.

import CRuntime
import Dispatch
import Foundation

extension NSManagedObjectContext {
    /// Traps if the check is on and the caller does not run on the context's queue.
    @inline(__always) func checkQueue() {
        if ocd_ownership_is_checked() { checkOwnership(of: nil) }
    }

    var queueTest: @Sendable () -> Bool { queue.test(for: self) }

    /// Traps if the caller does not run on the context's queue.
    ///
    /// - Parameter object: the object in use; nil for the context itself.
    func checkOwnership(of object: NSManagedObject?) {
        if queue.isCurrent(self) { return }
        // Not a precondition: release builds omit its message, and the check may be on there as well.
        let report = OwnershipReport(context: self, object: object)
        ocd_set_last_words("\n\(report.finding)\nWhat to do: \(report.advice)\n")
        fatalError(report.finding)
    }
}

/// Reads only properties that may be read on any thread.
struct OwnershipReport {
    let context: NSManagedObjectContext
    let object: NSManagedObject?

    var finding: String {
        "\(subject) is used off its queue: it belongs to \(context.queue.name), the call came from \(Self.caller). "
            + "(Programs started with -\(OwnershipCheck.key) 1 check this.)"
    }

    /// Printed below the stack trace, which is long: readers look at the end of the output.
    var advice: String {
        let isMain = context.concurrencyType == .mainQueueConcurrencyType
        let place = isMain ? "put the code on the main actor (`@MainActor`), or wrap" : "wrap"
        return "\(place) the call in `perform` or `performAndWait` of the context, and take ids, not objects, to other "
            + "queues."
    }

    private var subject: String {
        let context = context.name.map { "the context '\($0)'" } ?? "an unnamed context (\(address(self.context)))"
        guard let object else { return context.prefix(1).uppercased() + context.dropFirst() }
        let entity = object.entity.name ?? ""
        return
            "The object \(object.objectID.uriRepresentation().absoluteString) of the entity '\(entity)' in \(context)"
    }

    private func address(_ object: AnyObject) -> String {
        "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
    }

    /// The name of the current queue, if it can be determined.
    private static var caller: String {
        let label = ocd_current_queue_label().map { String(cString: $0) } ?? ""
        if !label.isEmpty { return label == DispatchQueue.main.label ? "the main queue" : "the queue '\(label)'" }
        if Thread.isMainThread { return "the main thread" }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "a thread that runs no queue" : "the thread '\(name)'"
    }
}
