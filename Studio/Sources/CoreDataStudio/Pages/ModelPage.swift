// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model as a picture and as a list, and two versions of it side by side.

import CoreDataToolKit
import Foundation

extension Site {
    /// - Parameter query: `version` for a site about a model.
    func modelPage(_ query: [String: String]) async throws -> HTML {
        let entities: [EntityOutline]
        var counts: [(name: String, count: Int)] = []
        var versions: BrowsedModel?
        switch subject {
        case .store(let session):
            (entities, counts) = try await session.read { (($0.store.outlines), try $0.entityCounts()) }
            versions = session.versions
        case .model(let model):
            versions = model
            let version =
                model.versions.first { $0.name == query["version"] } ?? model.versions.first { $0.isCurrent }
                ?? model.versions.last
            entities = version?.entities ?? []
        }
        let hasData = session != nil
        let picture = ModelPicture(entities).html(label: "Picture of the model, \(entities.count) entities") { name in
            hasData ? address("data", name) : nil
        }
        return Shell(self).page(
            title: "Model", section: .model, entities: counts, script: "picture.js",
            """
            <div class="grid-head"><h1>Model</h1>\(versionLinks(versions))</div>
            <div class="picture-tools" role="group" aria-label="Size of the picture">
            <button type="button" data-zoom="in" aria-label="Larger">+</button><button type="button" data-zoom="out" aria-label="Smaller">−</button><button type="button" data-zoom="fit">Fit</button>
            <span class="faint">Drag to move; the wheel with Ctrl, and + and −, change the size.</span></div>
            <div class="picture-frame" id="picture" tabindex="0" role="region" aria-label="Picture of the model; arrow keys move it, plus and minus change its size">\(picture)</div>
            \(ModelPicture.legend)
            <h2>Entities</h2>
            \(entities.html { entityList($0, hasData: hasData) })
            """)
    }

    private func versionLinks(_ versions: BrowsedModel?) -> HTML {
        guard let versions, versions.versions.count > 1 else { return .nothing }
        let names = versions.versions.map(\.name)
        return
            "<a class=\"button\" href=\"\(address("model", "versions", query: [("left", names[names.count - 2]), ("right", names[names.count - 1])]))\">Compare versions</a>"
    }

    private func entityList(_ entity: EntityOutline, hasData: Bool) -> HTML {
        let name: HTML =
            hasData ? "<a href=\"\(address("data", entity.name))\">\(entity.name)</a>" : "\(entity.name)"
        let rows = entity.properties.html { property in
            """
            <tr><th scope="row">\(property.name)</th><td>\(property.type)</td><td class="faint">\(([property.kind.rawValue] + property.details).joined(separator: ", "))</td></tr>
            """
        }
        let list: HTML =
            entity.properties.isEmpty
            ? "<p class=\"null\">no properties of its own</p>"
            : """
            <div class="table-wrap" tabindex="0" role="region" aria-label="Properties of \(entity.name)"><table class="plain"><thead class="hidden-text"><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Facts</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
        return """
            <section class="entity-text"><h3>\(name)\(entity.superentity.map { " <span class=\"faint\">is a \($0)</span>" as HTML })\(entity.isAbstract ? " <span class=\"badge\">abstract</span>" : .nothing)</h3>
            \(list)</section>
            """
    }

    // MARK: Versions

    /// - Parameter query: `left` and `right` are names of versions.
    func versionsPage(_ query: [String: String]) throws -> HTML {
        let model: BrowsedModel?
        switch subject {
        case .store(let session): model = session.versions
        case .model(let found): model = found
        }
        guard let model else {
            throw SiteFailure(status: 404, message: "Versions are in a model file: start Studio with --model.")
        }
        let names = model.versions.map(\.name)
        func version(_ key: String, _ place: Int) -> BrowsedModel.Version? {
            model.versions.first { $0.name == query[key] }
                ?? (names.indices.contains(place) ? model.versions[place] : nil)
        }
        guard let left = version("left", names.count - 2) ?? model.versions.first,
            let right = version("right", names.count - 1)
        else { throw SiteFailure.notFound }
        func choice(_ key: String, _ title: String, _ chosen: String) -> HTML {
            let options = names.html { name in
                let mark: HTML = name == chosen ? " selected" : ""
                return "<option\(mark)>\(name)</option>"
            }
            return "<label for=\"\(key)\">\(title)</label><select id=\"\(key)\" name=\"\(key)\">\(options)</select>"
        }
        let pairs = Set(left.entities.map(\.name)).union(right.entities.map(\.name)).sorted().map { name in
            (name, left.entities.first { $0.name == name }, right.entities.first { $0.name == name })
        }
        let changed = pairs.filter { $0.1?.hash != $0.2?.hash }
        return Shell(self).page(
            title: "Versions", section: .model,
            """
            <h1>Versions</h1>
            <form method="get" action="\(address("model", "versions"))" class="row">\(choice("left", "From", left.name))\(choice("right", "to", right.name))<button type="submit">Compare</button></form>
            <p>\(CountText.text(changed.count)) of \(CountText.text(pairs.count, "entity").replacing("entitys", with: "entities")) differ.</p>
            \(changed.html { difference($0.0, $0.1, $0.2) })
            <h2>Pictures</h2>
            <div class="side-by-side"><figure><figcaption>\(left.name)</figcaption>\(ModelPicture(left.entities).html(label: "Picture of \(left.name)") { _ in nil })</figure>
            <figure><figcaption>\(right.name)</figcaption>\(ModelPicture(right.entities).html(label: "Picture of \(right.name)") { _ in nil })</figure></div>
            """)
    }

    private func difference(_ name: String, _ left: EntityOutline?, _ right: EntityOutline?) -> HTML {
        let state: HTML =
            left == nil
            ? "<span class=\"badge added\">added</span>"
            : right == nil ? "<span class=\"badge removed\">removed</span>" : "<span class=\"badge\">changed</span>"
        let names = Set((left?.properties ?? []).map(\.name)).union((right?.properties ?? []).map(\.name)).sorted()
        let rows = names.html { property in
            let one = left?.properties.first { $0.name == property }
            let other = right?.properties.first { $0.name == property }
            let style = one == other ? "" : one == nil ? "added" : other == nil ? "removed" : "changed"
            func text(_ property: EntityOutline.Property?) -> HTML {
                property.map { "\($0.type) <span class=\"faint\">\($0.details.joined(separator: ", "))</span>" } ?? "–"
            }
            return
                "<tr class=\"\(style)\"><th scope=\"row\">\(property)</th><td>\(text(one))</td><td>\(text(other))</td><td>\(style)</td></tr>"
        }
        return """
            <section class="entity-text"><h2>\(name) \(state)</h2><div class="table-wrap" tabindex="0" role="region" aria-label="Properties of \(name)"><table class="plain versions">
            <thead><tr><th scope="col">Property</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Change</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }
}
