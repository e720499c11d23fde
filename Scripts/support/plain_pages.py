# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Writes the pages of DocC archives as HTML without scripts and with relative links, so that a folder is enough.

The input is the JSON that `docc convert` makes of each page (its RenderNode). DocC's own pages need a web server, and
`docc convert --experimental-transform-for-static-hosting-with-content` of Swift 6.3.1 crashes with this package.
"""
import json
import os
import re
import shutil
from html import escape

STYLE = """:root { color-scheme: light dark; --line: #ccc; --code: #f4f4f6; --link: #0a58ca; --quiet: #666 }
@media (prefers-color-scheme: dark) { :root { --line: #444; --code: #26262a; --link: #7db4ff; --quiet: #aaa } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 58rem; margin: 0 auto; padding: 1rem }
a { color: var(--link) } pre { background: var(--code); padding: .8rem; overflow-x: auto; border-radius: 6px }
code { font: 14px/1.45 ui-monospace, monospace; overflow-wrap: anywhere } pre code { overflow-wrap: normal }
.table { overflow-x: auto } table { border-collapse: collapse }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top }
td p, th p, dd p, li p { margin: 0 } img { max-width: 100% } h1 { overflow-wrap: anywhere }
nav { border-bottom: 1px solid var(--line); padding-bottom: .4rem } .quiet { color: var(--quiet) }
aside { border-left: 4px solid var(--line); padding-left: .8rem } dt { margin-top: .6rem }
"""


class Page:
    """One page: its JSON, its place below the folder, and the places of all pages."""

    def __init__(self, node, place, places, images):
        self.node, self.place, self.places, self.images = node, place, places, images
        self.references = node.get("references", {})

    def link(self, url):
        """A link from this page to a path of the site, or to another address; nil where the site has no such page."""
        if re.match(r"[a-z]+:", url):
            return url
        path, _, anchor = url.partition("#")
        target = self.places.get(path.lower())
        if not target:
            return None
        return os.path.relpath(target, os.path.dirname(self.place)) + (f"#{anchor}" if anchor else "")

    def to(self, identifier, text=None):
        reference = self.references.get(identifier, {})
        title = text or escape(reference.get("title", identifier.rsplit("/", 1)[-1]))
        if not text and reference.get("kind") == "symbol":
            title = f"<code>{title}</code>"
        url = self.link(reference.get("url", ""))
        return f'<a href="{escape(url)}">{title}</a>' if url else title

    def inline(self, parts):
        return "".join(self.span(part) for part in parts or [])

    def span(self, part):
        kind = part["type"]
        if kind == "text":
            return escape(part["text"])
        if kind == "codeVoice":
            return f"<code>{escape(part['code'])}</code>"
        if kind == "reference":
            given = part.get("overridingTitleInlineContent")
            return self.to(part["identifier"], self.inline(given) if given else None)
        if kind in ("strong", "emphasis"):
            tag = "strong" if kind == "strong" else "em"
            return f"<{tag}>{self.inline(part['inlineContent'])}</{tag}>"
        if kind == "image":
            variants = self.references.get(part["identifier"], {}).get("variants", [])
            name = os.path.basename(variants[0]["url"]) if variants else part["identifier"]
            alternative = self.references.get(part["identifier"], {}).get("alt") or ""
            place = os.path.relpath(f"{self.images}/{name}", os.path.dirname(self.place))
            return f'<img src="{escape(place)}" alt="{escape(alternative)}">'
        if kind == "link":
            return f'<a href="{escape(part["destination"])}">{escape(part["title"])}</a>'
        return self.inline(part.get("inlineContent"))

    def blocks(self, parts):
        return "\n".join(self.block(part) for part in parts or [])

    def block(self, part):
        kind = part["type"]
        if kind == "heading":
            level = part["level"]
            return f'<h{level} id="{escape(part["anchor"])}">{escape(part["text"])}</h{level}>'
        if kind == "paragraph":
            return f"<p>{self.inline(part['inlineContent'])}</p>"
        if kind == "codeListing":
            return "<pre><code>" + escape("\n".join(part["code"])) + "</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            items = "".join(f"<li>{self.blocks(item['content'])}</li>" for item in part["items"])
            return f"<{tag}>{items}</{tag}>"
        if kind == "aside":
            name = part.get("name") or part.get("style", "")
            return f"<aside><strong>{escape(name)}</strong>{self.blocks(part['content'])}</aside>"
        if kind == "table":
            rows = []
            for number, row in enumerate(part["rows"]):
                tag = "th" if number == 0 and part.get("header") in ("row", "both") else "td"
                rows.append("<tr>" + "".join(f"<{tag}>{self.blocks(cell)}</{tag}>" for cell in row) + "</tr>")
            return '<div class="table"><table>' + "".join(rows) + "</table></div>"
        return self.blocks(part.get("content"))

    def sections(self):
        for section in self.node.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                for declaration in section["declarations"]:
                    tokens = (self.token(token) for token in declaration["tokens"])
                    yield "<pre><code>" + "".join(tokens) + "</code></pre>"
            elif section["kind"] == "parameters":
                terms = (f"<dt><code>{escape(one['name'])}</code></dt><dd>{self.blocks(one['content'])}</dd>"
                         for one in section["parameters"])
                yield "<h2>Parameters</h2><dl>" + "".join(terms) + "</dl>"
            elif section["kind"] == "content":
                yield self.blocks(section["content"])
        for key, heading in (("topicSections", "Topics"), ("relationshipsSections", "Relationships"),
                             ("defaultImplementationsSections", "Default implementations"), ("seeAlsoSections", "See also")):
            if self.node.get(key):
                yield f"<h2>{heading}</h2>"
            for section in self.node.get(key, []):
                if section.get("title"):
                    yield f"<h3>{escape(section['title'])}</h3>"
                yield "<ul>" + "".join(self.item(identifier) for identifier in section["identifiers"]) + "</ul>"

    def token(self, token):
        text = escape(token["text"])
        return self.to(token["identifier"], text) if "identifier" in token else text

    def item(self, identifier):
        abstract = self.inline(self.references.get(identifier, {}).get("abstract"))
        return f"<li>{self.to(identifier)}{'<br>' + abstract if abstract else ''}</li>"

    def html(self):
        metadata = self.node.get("metadata", {})
        title = escape(metadata.get("title", ""))
        trail = [f'<a href="{os.path.relpath("index.html", os.path.dirname(self.place))}">OpenCoreData</a>']
        paths = self.node.get("hierarchy", {}).get("paths") or [[]]
        trail += [self.to(identifier) for identifier in paths[0]]
        parts = [f"<nav>{' / '.join(trail)}</nav>"]
        if metadata.get("roleHeading"):
            parts.append(f'<p class="quiet">{escape(metadata["roleHeading"])}</p>')
        parts.append(f"<h1>{title}</h1>")
        if self.node.get("deprecationSummary"):
            parts.append(f"<aside><strong>Deprecated</strong>{self.blocks(self.node['deprecationSummary'])}</aside>")
        if self.node.get("abstract"):
            parts.append(f"<p>{self.inline(self.node['abstract'])}</p>")
        parts += self.sections()
        return document(title, "\n".join(parts), os.path.relpath("style.css", os.path.dirname(self.place) or "."))


def document(title, body, style):
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<link rel="stylesheet" href="{style}"></head><body>\n{body}\n</body></html>\n')


def write(archives, target):
    """Writes all pages into a folder, with an index of the archives. Returns their number."""
    target.mkdir(parents=True)
    (target / "style.css").write_text(STYLE)
    files, places = [], {}
    for archive in archives:
        for file in sorted((archive / "data" / "documentation").rglob("*.json")):
            path = "/" + str(file.relative_to(archive / "data").with_suffix(""))
            files.append((archive, file, path))
            places[path.lower()] = path[1:] + ".html"
    for archive in archives:
        if (archive / "images").is_dir():
            for image in (file for file in (archive / "images").rglob("*") if file.is_file()):
                folder = target / "images" / archive.stem
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(image, folder / image.name)
    nodes = [(archive, json.loads(file.read_text()), path) for archive, file, path in files]
    for archive, node, path in nodes:
        page = Page(node, path[1:] + ".html", places, f"images/{archive.stem}")
        place = target / page.place
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page.html())
    (target / "index.html").write_text(index(archives, nodes, places))
    return len(files)


def index(archives, nodes, places):
    """The first page: the modules, then all articles, then all types, each with its first sentence."""
    articles, types = [], {archive.stem: [] for archive in archives}
    modules = []
    for archive, node, path in nodes:
        page = Page(node, "index.html", places, f"images/{archive.stem}")
        title = escape(node.get("metadata", {}).get("title", ""))
        abstract = page.inline(node.get("abstract"))
        link = f'<a href="{escape(page.link(path))}">'
        depth = path.count("/")
        if depth == 2:
            modules.append(f"<li>{link}{title}</a><br>{abstract}</li>")
        elif node.get("kind") == "article":
            articles.append((title.lower(), f"<li>{link}{title}</a><br>{abstract}</li>"))
        elif depth == 3 and node.get("metadata", {}).get("role") == "symbol":
            types[archive.stem].append((title.lower(), f"<li>{link}<code>{title}</code></a> {abstract}</li>"))
    parts = ["<h1>OpenCoreData</h1>", "<p>Apple's Core Data for Swift on Linux: the same names, rules and files.</p>",
             f"<h2>Modules</h2><ul>{''.join(modules)}</ul>",
             f"<h2>Guides and pages</h2><ul>{''.join(text for _, text in sorted(articles))}</ul>"]
    for archive in archives:
        if found := sorted(types[archive.stem]):
            parts.append(f"<h2>Types of {archive.stem}</h2><ul>{''.join(text for _, text in found)}</ul>")
    return document("OpenCoreData", "\n".join(parts), "style.css")
