#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files of the page, which are part of the program.
enum PageFiles {
  /// The answer for a file; nil for an unknown name.
  static func response(for name: String) -> HTTPResponse? {
    guard let file = all[name.isEmpty ? "index.html" : name] else { return nil }
    return HTTPResponse(
      headers: [
        "Content-Type": file.type,
        "Content-Security-Policy": """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """,
        "X-Content-Type-Options": "nosniff",
        // The address has the secret.
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
      ], body: file.body)
  }

  private struct File {
    let type: String
    let body: Data

    init(_ type: String, _ bytes: [UInt8]) {
      self.type = type + "; charset=utf-8"
      body = Data(bytes)
    }
  }

  private static let all: [String: File] = [
    "act.js": File("text/javascript", PackageResources.act_js),
    "changes.js": File("text/javascript", PackageResources.changes_js),
    "clocks.js": File("text/javascript", PackageResources.clocks_js),
    "commands.js": File("text/javascript", PackageResources.commands_js),
    "comparison.js": File("text/javascript", PackageResources.comparison_js),
    "composers.js": File("text/javascript", PackageResources.composers_js),
    "connection.js": File("text/javascript", PackageResources.connection_js),
    "detail.js": File("text/javascript", PackageResources.detail_js),
    "dom.js": File("text/javascript", PackageResources.dom_js),
    "effects.js": File("text/javascript", PackageResources.effects_js),
    "events.js": File("text/javascript", PackageResources.events_js),
    "forks.js": File("text/javascript", PackageResources.forks_js),
    "index.html": File("text/html", PackageResources.index_html),
    "json.js": File("text/javascript", PackageResources.json_js),
    "keys.js": File("text/javascript", PackageResources.keys_js),
    "list.js": File("text/javascript", PackageResources.list_js),
    "main.js": File("text/javascript", PackageResources.main_js),
    "messages.js": File("text/javascript", PackageResources.messages_js),
    "marbles.js": File("text/javascript", PackageResources.marbles_js),
    "page.js": File("text/javascript", PackageResources.page_js),
    "panels.css": File("text/css", PackageResources.panels_css),
    "range.js": File("text/javascript", PackageResources.range_js),
    "recordings.js": File("text/javascript", PackageResources.recordings_js),
    "rows.js": File("text/javascript", PackageResources.rows_js),
    "saving.js": File("text/javascript", PackageResources.saving_js),
    "servers.js": File("text/javascript", PackageResources.servers_js),
    "sockets.js": File("text/javascript", PackageResources.sockets_js),
    "state.js": File("text/javascript", PackageResources.state_js),
    "status.js": File("text/javascript", PackageResources.status_js),
    "steps.js": File("text/javascript", PackageResources.steps_js),
    "streams.css": File("text/css", PackageResources.streams_css),
    "streams.js": File("text/javascript", PackageResources.streams_js),
    "style.css": File("text/css", PackageResources.style_css),
    "tabs.js": File("text/javascript", PackageResources.tabs_js),
    "testexport.js": File("text/javascript", PackageResources.testexport_js),
    "text.js": File("text/javascript", PackageResources.text_js),
    "traffic.js": File("text/javascript", PackageResources.traffic_js),
    "tree.js": File("text/javascript", PackageResources.tree_js),
    "views.css": File("text/css", PackageResources.views_css),
    "why.js": File("text/javascript", PackageResources.why_js),
  ]
}
