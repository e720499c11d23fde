// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The fields of attributes: a line, lines, a choice, one field for each element, data as text or as a file. Studio-E7.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    /// An attribute with its name and type, to look at or to edit.
    func field(_ attribute: ObjectCard.Attribute, of card: ObjectCard, isEditable: Bool) -> HTML {
        let mark: HTML = attribute.isEdited ? " data-edited=\"true\"" : ""
        let optional: HTML = attribute.isOptional ? "" : " <span class=\"required\">required</span>"
        let canEdit = isEditable && attribute.isEditable
        let label: HTML =
            canEdit && attribute.elements.isEmpty && hasBox(attribute)
            ? "<label for=\"\(id(attribute))\">\(attribute.name)</label>" : "<span>\(attribute.name)</span>"
        let value = canEdit ? "\(editor(attribute, of: card))\(errors(attribute))" : view(attribute, of: card)
        return """
            <div class="field"\(mark)><dt>\(label) <span class="type">\(attribute.typeName)\(optional)</span></dt><dd>\(value)</dd></div>
            """
    }

    /// The field of one attribute, for a dialog over the grid.
    func fieldFragment(_ session: StudioSession, _ name: String, key: String) async throws -> HTML {
        let card = try await session.read { try $0.card(name) }
        guard let attribute = card.attributes.first(where: { $0.name == key }) else { throw SiteFailure.notFound }
        return """
            <div class="field-dialog" data-object="\(card.id)" data-key="\(key)">
            <h2 id="dialog-title">\(key) of \(card.title)</h2>
            <dl class="fields">\(field(attribute, of: card, isEditable: !card.isDeleted))</dl>
            <div class="buttons"><button type="button" class="primary" data-action="close">Close</button></div></div>
            """
    }

    private func id(_ attribute: ObjectCard.Attribute) -> String { "field-\(attribute.path)" }

    private func errors(_ attribute: ObjectCard.Attribute) -> HTML {
        """
        <div class="field-error" id="\(id(attribute))-error" role="alert">\(attribute.errors.html { "<p>\($0)</p>" })</div>
        """
    }

    // MARK: Kinds of fields

    private func editor(_ attribute: ObjectCard.Attribute, of card: ObjectCard) -> HTML {
        switch attribute.type {
        case .compositeAttributeType: return parts(attribute, of: card)
        case .binaryDataAttributeType, .transformableAttributeType: return data(attribute, of: card)
        case .booleanAttributeType: return "<div class=\"editor\">\(choice(attribute))</div>"
        default:
            guard hasBox(attribute) else {
                return """
                    \(view(attribute, of: card))<div class="editor"><span class="faint">It has characters that a page cannot show, so it can only be removed.</span>\(clear(attribute))</div>
                    """
            }
            return "<div class=\"editor\">\(box(attribute))\(clear(attribute))</div>"
        }
    }

    /// Whether the value can be edited as text in a page.
    private func hasBox(_ attribute: ObjectCard.Attribute) -> Bool {
        switch attribute.type {
        case .binaryDataAttributeType, .transformableAttributeType: return attribute.source != nil
        default: return ValueSource.isTypable((ValueText.text(of: attribute.cell) ?? "").replacing("\r\n", with: "\n"))
        }
    }

    private func parts(_ attribute: ObjectCard.Attribute, of card: ObjectCard) -> HTML {
        let parts = attribute.elements.html { element in
            let name: HTML =
                element.elements.isEmpty && hasBox(element)
                ? "<label for=\"\(id(element))\">\(element.name)</label>" : "<span>\(element.name)</span>"
            return """
                <div class="part">\(name) <span class="type">\(element.typeName)</span>\(editor(element, of: card))\(errors(element))</div>
                """
        }
        return """
            <fieldset class="parts"><legend class="hidden-text">\(attribute.path)</legend>\(parts)</fieldset>\(
                attribute.elements.contains { $0.cell != .null } ? "<div class=\"editor\">\(clear(attribute, "Remove"))</div>" : .nothing)
            """
    }

    /// Data as text if it is text, and a control to replace it by a file.
    private func data(_ attribute: ObjectCard.Attribute, of card: ObjectCard) -> HTML {
        let text: HTML =
            attribute.source.map { source in
                "<div class=\"editor\"><textarea class=\"code\"\(common(attribute)) rows=\"\(rows(source))\" spellcheck=\"false\" placeholder=\"\(placeholder(attribute))\">\n\(source)</textarea></div>"
            } ?? .nothing
        let isEmpty = attribute.cell == .null
        let isPlainText: Bool
        if case .data(let data) = attribute.cell { isPlainText = DataKind(data) == .text } else { isPlainText = false }
        let shown: HTML = isEmpty || isPlainText && attribute.source != nil ? .nothing : view(attribute, of: card)
        return """
            \(text)\(shown)<div class="editor"><label class="button upload">Choose a file…<input type="file" class="hidden-text" id="\(id(attribute))-file" data-upload="\(attribute.path)" aria-label="Choose a file for \(attribute.path)" aria-describedby="\(id(attribute))-error"></label>\(
                isEmpty ? .nothing : clear(attribute, "Remove"))</div>
            """
    }

    private func placeholder(_ attribute: ObjectCard.Attribute) -> String {
        attribute.cell != .null
            ? "" : attribute.type == .transformableAttributeType ? "no value; JSON such as [\"a\", 1]" : "no value"
    }

    private func choice(_ attribute: ObjectCard.Attribute) -> HTML {
        let text = ValueText.text(of: attribute.cell) ?? ""
        let options = [("", "no value"), ("true", "true"), ("false", "false")].html { value, title in
            let mark: HTML = value == text ? " selected" : ""
            return "<option value=\"\(value)\"\(mark)>\(title)</option>"
        }
        return "<select\(common(attribute))>\(options)</select>"
    }

    private func box(_ attribute: ObjectCard.Attribute) -> HTML {
        let text = (ValueText.text(of: attribute.cell) ?? "").replacing("\r\n", with: "\n")
        if attribute.type == .stringAttributeType, text.count > 60 || text.contains(where: \.isNewline) {
            return "<textarea\(common(attribute)) rows=\"\(max(5, rows(text)))\">\n\(text)</textarea>"
        }
        return """
            <input type="text"\(common(attribute)) value="\(text)" placeholder="\(attribute.cell == .null ? "no value" : "")" autocomplete="off" spellcheck="false">
            """
    }

    private func rows(_ text: String) -> Int {
        min(max(text.split(separator: "\n", omittingEmptySubsequences: false).count, 2), 16)
    }

    private func common(_ attribute: ObjectCard.Attribute) -> HTML {
        """
         id="\(id(attribute))" data-property="\(attribute.path)" aria-describedby="\(id(attribute))-error"\(attribute.errors.isEmpty ? "" : " aria-invalid=\"true\"" as HTML)
        """
    }

    private func clear(_ attribute: ObjectCard.Attribute, _ title: String? = nil) -> HTML {
        guard attribute.isOptional, attribute.cell != .null else { return .nothing }
        let (label, error) = ("Remove the value of \(attribute.path)", "\(id(attribute))-error")
        guard let title else {
            return
                "<button type=\"button\" class=\"quiet clear\" data-clear=\"\(attribute.path)\" aria-label=\"\(label)\" aria-describedby=\"\(error)\">×</button>"
        }
        return
            "<button type=\"button\" class=\"quiet\" data-clear=\"\(attribute.path)\" aria-label=\"\(label)\" aria-describedby=\"\(error)\">\(title)</button>"
    }
}
