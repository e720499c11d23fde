// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The steps: a full pool, a time-out, back-pressure, a cancelled task.

import CoreData
import Foundation

@main
struct Limits {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Limits-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Store.sqlite")
        let patient = try await Store.container(url, refuses: false)
        try await Store.fill(patient, 300_000)
        try await fullPool(patient)
        try await cancelled(patient)
        for store in patient.persistentStoreCoordinator.persistentStores {
            try patient.persistentStoreCoordinator.remove(store)
        }
        try await refused(try await Store.container(url, refuses: true))
    }

    private static func check(_ step: String, _ isRight: Bool, _ text: String) {
        print("\(step): \(text)")
        if isRight { return }
        print("This is not what the example expects.")
        exit(1)
    }

    /// The codes of the errors, and the number of answers, of requests that run at the same time.
    private static func load(_ container: NSPersistentContainer, _ requests: Int) async -> (answers: Int, codes: [Int])
    {
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<requests {
                group.addTask {
                    do {
                        _ = try await Store.count(container, "size == \(number)")
                        return nil
                    } catch {
                        return (error as NSError).code
                    }
                }
            }
            var (answers, codes) = (0, [Int]())
            for await code in group {
                if let code { codes.append(code) } else { answers += 1 }
            }
            return (answers, codes)
        }
    }

    private static func fullPool(_ container: NSPersistentContainer) async throws {
        let clock = ContinuousClock()
        var result = (answers: 0, codes: [Int]())
        let time = await clock.measure { result = await load(container, 40) }
        check(
            "a full pool", result.answers == 40,
            "\(result.answers) of 40 requests were served by \(Store.connections) connections in \(time)")
    }

    private static func cancelled(_ container: NSPersistentContainer) async throws {
        let report = Task { try await Store.report(container, counts: 100_000) }
        try await Task.sleep(for: .milliseconds(50))
        report.cancel()
        var code = 0
        do { try await report.value } catch { code = (error as NSError).code }
        let next = try await Store.count(container, "size == 1")
        check("a cancelled task", code == 3072 && next > 0, "error \(code), and the next request counts \(next)")
    }

    private static func refused(_ container: NSPersistentContainer) async throws {
        var holders: [NSManagedObjectContext] = []
        for _ in 0..<Store.connections { holders.append(try await Store.holdConnection(container)) }
        let clock = ContinuousClock()
        var one = (answers: 0, codes: [Int]())
        let time = await clock.measure { one = await load(container, 1) }
        let isRight = one.codes == [134_090] && time > .seconds(Store.timeout)
        check("a time-out", isRight, "error \(one.codes) after \(time)")

        let refusedAtOnce = await burst(container)
        check(
            "back-pressure", refusedAtOnce == 12 - Store.waiting,
            "\(refusedAtOnce) of 12 requests were refused at once, \(Store.waiting) waited")
        for holder in holders { try await holder.perform { try holder.setQueryGenerationFrom(nil) } }
        let after = await load(container, Store.connections)
        check("afterwards", after.codes.isEmpty, "\(after.answers) requests are served again")
    }

    /// How many of 12 requests get their error before the time to wait is over.
    private static func burst(_ container: NSPersistentContainer) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    let start = ContinuousClock.now
                    _ = try? await Store.count(container, "size == 1")
                    return .now - start < .seconds(Store.timeout)
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
