// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which requests are answered at all, and the headers of every answer. Studio-S2 to Studio-S5.

/// The secrets of one run of Studio, and the checks of requests.
package struct SiteGuard: Sendable {
    /// The first segment of every path.
    package let token: String
    /// The key that writes need in a header.
    package let key: String

    package init() {
        token = Self.random()
        key = Self.random()
    }

    /// 128 random bits as 26 letters and digits that need no encoding.
    private static func random() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        var generator = SystemRandomNumberGenerator()
        return String((0..<26).map { _ in letters[Int(generator.next() & 31)] })
    }

    /// - Returns: nil for a request that may be answered.
    func refusal(of request: SiteRequest, port: Int) -> SiteFailure? {
        // Browsers leave out the port of plain HTTP.
        let suffix = port == 80 ? "" : ":\(port)"
        let hosts = ["127.0.0.1", "localhost"].map { $0 + suffix }
        guard let host = request.headers["host"], hosts.contains(host) else {
            return SiteFailure(status: 421, message: "Studio answers at http://127.0.0.1:\(port)/ alone.")
        }
        guard let first = request.path.first, Self.isEqual(first, token) else { return .notFound }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            return SiteFailure(status: 403, message: "The request comes from another page.")
        }
        if request.headers["sec-fetch-site"] == "cross-site" {
            return SiteFailure(status: 403, message: "The request comes from another site.")
        }
        switch request.method {
        case "GET", "HEAD": return nil
        case "POST":
            guard request.headers["origin"] != nil, let given = request.headers["x-studio-key"],
                Self.isEqual(given, key)
            else { return SiteFailure(status: 403, message: "The request lacks the key of this page.") }
            return nil
        default: return SiteFailure(status: 405, message: "Studio knows GET and POST.")
        }
    }

    /// Takes the same time for all texts of a length.
    static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The headers of every answer.
    static let headers = [
        "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    ]
}
