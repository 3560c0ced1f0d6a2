//! Export of a session as one HTML page: it shows the branch to the leaf, and any other that the reader
//! selects in the tree beside it.
//!
//! The page loads no external resources, and content of the session cannot execute: markup in texts is
//! escaped, only web and mail links are kept, images are embedded, and a content security policy forbids
//! everything else.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::blocks::{self, Author, Block, Piece};
use crate::base::json::json;
use crate::base::plural::pluralize;
use crate::session::{Entry, Session};

const STYLE: &str = include_str!("../../../../assets/export/page.css");
const SCRIPT: &str = include_str!("../../../../assets/export/page.js");
/// Image types that browsers display and that cannot contain scripts.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Characters of an entry's text in the tree.
const TREE_TEXT: usize = 60;

/// Returns the page of a whole session.
pub fn document(session: &Session) -> String {
    let header = session.header();
    let title = escape(&session.name().unwrap_or_else(|| "Conversation".to_string()));
    let active: std::collections::HashSet<&str> = session.tree().path().into_iter().map(Entry::id).collect();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <nav><h2>Tree</h2><ol id=\"tree\"></ol></nav>\n<main>\n<h1>{title}</h1>\n\
         <p class=\"facts\">{} in <code>{}</code>, session <code>{}</code></p>\n",
        escape(&header.timestamp),
        escape(&header.cwd),
        escape(&header.id)
    );
    let labels = session.labels();
    let mut nodes = Vec::new();
    for entry in session.entries() {
        let block = blocks::of_entry(entry);
        let text = block.as_ref().map_or(String::new(), tree_label);
        nodes.push(json!([entry.id(), entry.parent_id(), text, labels.get(entry.id())]));
        if let Some(block) = block {
            article(&mut out, entry, &block, active.contains(entry.id()));
        }
    }
    let leaf = session.leaf().unwrap_or_default();
    // Escapes tags inside the data.
    let data = json!({"leaf": leaf, "nodes": nodes}).to_string().replace('<', "\\u003c");
    out.push_str(&format!(
        "</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    ));
    out
}

fn tree_label(block: &Block) -> String {
    let text = block.pieces.iter().find_map(|piece| match piece {
        Piece::Text(text) | Piece::Output { text, .. } => Some(text.clone()),
        Piece::Call { name, .. } => Some(format!("calls {name}")),
        _ => None,
    });
    let line: String = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}: {}", block.title, line.chars().take(TREE_TEXT).collect::<String>())
}

fn article(out: &mut String, entry: &Entry, block: &Block, shown: bool) {
    let class = match block.author {
        Author::User => "person",
        Author::Model => "model",
        Author::Tool => "tool",
        Author::Program => "program",
    };
    let hidden = if shown { "" } else { " hidden" };
    out.push_str(&format!(
        "<article id=\"e-{}\" class=\"{class}\"{hidden}><header>{} <time>{}</time></header>\n",
        escape(entry.id()),
        escape(&block.title),
        escape(entry.timestamp())
    ));
    block.pieces.iter().for_each(|piece| out.push_str(&self::piece(piece)));
    out.push_str("</article>\n");
}

fn piece(piece: &Piece) -> String {
    let folded = |name: &str, text: &str, class: &str| {
        let (name, text) = (escape(name), escape(text));
        format!("<details class=\"{class}\"><summary>{name}</summary><pre>{text}</pre></details>\n")
    };
    match piece {
        Piece::Text(text) => format!("<div class=\"text\">{}</div>\n", render_markdown(text)),
        Piece::Thinking(text) => folded("Thinking", text, "thinking"),
        Piece::Call { name, arguments } => folded(name, arguments, "call"),
        Piece::Output { text, failed } => {
            let lines = pluralize(text.lines().count(), "line", "lines");
            let name = format!("{}{lines}", if *failed { "failed, " } else { "" });
            folded(&name, text, if *failed { "output failed" } else { "output" })
        }
        Piece::Image { mime, data } if is_safe_image(mime, data) => {
            format!("<img alt=\"picture\" src=\"data:{mime};base64,{data}\">\n")
        }
        Piece::Image { mime, .. } => format!("<p class=\"note\">picture ({})</p>\n", escape(mime)),
        Piece::Note(text) => format!("<p class=\"note\">{}</p>\n", escape(text)),
    }
}

fn is_safe_image(mime: &str, data: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    IMAGE_TYPES.contains(&mime) && data.bytes().all(is_base64)
}

/// Renders Markdown as HTML, with escaped markup and without executable links.
fn render_markdown(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let safe = Parser::new_ext(text, options).map(|event| match event {
        Event::Html(markup) | Event::InlineHtml(markup) => Event::Text(markup),
        // An external image would reveal the reader to its server: its alt text is shown instead.
        Event::Start(Tag::Image { .. }) => Event::Start(Tag::Emphasis),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Emphasis),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let opens = ["http://", "https://", "mailto:"].iter().any(|start| dest_url.starts_with(start));
            let dest_url = if opens { dest_url } else { "#".into() };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, safe);
    html
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_html_escapes_scripts_and_links() {
        let html = render_markdown(
            "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![p](http://elsewhere/p.png) <b onclick=x>\n\n[y](https://ok/)",
        );
        assert!(
            !html.contains("<script") && !html.contains("javascript:") && !html.contains("<img"),
            "{html}"
        );
        assert!(
            !html.contains("<b ") && html.contains("&lt;script&gt;") && html.contains(">x</a>"),
            "{html}"
        );
        assert!(html.contains("href=\"https://ok/\"") && html.contains("<em>p</em>"), "{html}");
        assert_eq!(escape("<a href='\"&"), "&lt;a href=&#39;&quot;&amp;");
        let bad = Piece::Image { mime: "image/svg+xml".into(), data: "AAAA".into() };
        assert!(!piece(&bad).contains("<img"));
        let bad = Piece::Image { mime: "image/png".into(), data: "\" onerror=\"x".into() };
        assert!(!piece(&bad).contains("<img"));
    }
}
