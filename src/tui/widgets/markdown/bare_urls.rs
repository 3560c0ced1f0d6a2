//! Web addresses that stand in a text as such, as links.
//!
//! Must not know Markdown.

use std::ops::Range;

use crate::tui::links;
use crate::tui::widgets::line::{Line, Span};

/// Makes web addresses links; text that is linked stays as it is.
pub fn linked(line: Line) -> Line {
    // An address may have parts in several spans.
    let text: String = line.iter().map(|span| span.text.as_str()).collect();
    let mut found = links::find(&text, usize::MAX).peekable();
    if found.peek().is_none() {
        return line;
    }
    let (mut out, mut start) = (Line::new(), 0);
    for span in line {
        let end = start + span.text.len();
        let part = |range: Range<usize>| Span { text: text[range].to_string(), ..span.clone() };
        let mut at = start;
        while let Some((url, target)) = found.peek().filter(|(url, _)| url.start < end) {
            let from = url.start.max(at);
            if at < from {
                out.push(part(at..from));
            }
            at = url.end.min(end);
            let scope = if span.scope == "markdown.text" { "markdown.link" } else { span.scope };
            let target = span.link.clone().or_else(|| Some(target.clone()));
            out.push(Span { scope, ..part(from..at) }.with_link(target));
            if url.end > end {
                break;
            }
            found.next();
        }
        if at < end || span.text.is_empty() {
            out.push(part(at..end));
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_urls_are_linked_over_several_spans() {
        let linked_parts = |parts: &[&str]| {
            let line = linked(parts.iter().map(|part| Span::new(*part, "t")).collect());
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            assert_eq!(text, parts.concat());
            let show = |span: &Span| Some(format!("{}={}", span.text, span.link.as_ref()?));
            line.iter().filter_map(show).collect::<Vec<_>>().join(" ")
        };
        let url = "https://a.example/b_c";
        assert_eq!(linked_parts(&["none", ": here"]), "");
        assert_eq!(linked_parts(&["see https://a.example/b_c."]), format!("{url}={url}"));
        assert_eq!(
            linked_parts(&["see https://a.example/b", "_", "c, and", ""]),
            format!("https://a.example/b={url} _={url} c={url}")
        );
        assert_eq!(
            linked_parts(&["(http://x.example) http://y.example"]),
            "http://x.example=http://x.example http://y.example=http://y.example"
        );
        assert_eq!(
            linked_parts(&["http://x.example", " file://etc", " y://z"]),
            "http://x.example=http://x.example"
        );
    }

    #[test]
    fn bare_urls_leave_links_alone() {
        let other = links::target("https://b.example");
        let line = linked(vec![Span::new("https://a.example", "t").with_link(other.clone())]);
        assert!(line.len() == 1 && line[0].link == other);
    }
}
