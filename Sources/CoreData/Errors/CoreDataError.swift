// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds every error that leaves the module: domain, code, user info, and a message that names the failure.

import Foundation

/// One builder for each kind of failure. Each returns an `NSError` in `NSCocoaErrorDomain`, which
/// `catch let error as CocoaError` also catches.
///
/// Messages name entities, properties and rules, but never values, which may be private. The user info
/// contains the values.
package enum CoreDataError {
    /// Builds the error for all other builders.
    ///
    /// - Parameters:
    ///   - description: one or more sentences.
    ///   - reason: a further sentence, also stored under "reason", as in Apple's errors.
    package static func make(
        _ code: CocoaError.Code, _ description: String, reason: String? = nil, url: URL? = nil,
        underlying: (any Error)? = nil, userInfo: [String: Any] = [:]
    ) -> NSError {
        var info = userInfo
        info[NSLocalizedDescriptionKey] = description
        if let reason {
            info[NSLocalizedFailureReasonErrorKey] = reason
            info["reason"] = reason
        }
        if let url {
            info[NSURLErrorKey] = url
            if url.isFileURL { info[NSFilePathErrorKey] = url.path }
        }
        if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
        return DescribedError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }

    /// A failure without a specific code (134060).
    package static func general(_ description: String, underlying: (any Error)? = nil) -> NSError {
        make(.coreData, description, underlying: underlying)
    }
}

// MARK: Models

extension CoreDataError {
    /// An invalid model: one error for all faults (134060, with the faults under `NSDetailedErrorsKey`).
    package static func invalidModel(_ faults: [ModelFault]) -> NSError {
        let details = faults.map { make(.coreData, $0.description) }
        let list = faults.map { "- \($0.description)" }.joined(separator: "\n")
        let count = faults.count == 1 ? "a fault" : "\(faults.count) faults"
        return make(
            .coreData, "The model cannot be used, it has \(count):\n\(list)", userInfo: [NSDetailedErrorsKey: details])
    }
}
