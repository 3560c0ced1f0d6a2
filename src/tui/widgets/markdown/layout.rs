//! Lays out one piece of Markdown as lines.
//!
//! Must not know that text streams.

use std::sync::Arc;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::tui::links;
use crate::tui::widgets::line::{self, BreakMode, Line, Role, Span, wrap};
use crate::tui::widgets::markdown::table::{self, Table};
use crate::tui::widgets::markdown::{bare_urls, math};

/// Quotes and lists deeper than this are not indented further.
const DEPTH_MAX: usize = 8;

/// The lines of a piece of prose.
pub fn prose(text: &str, width: u16) -> Vec<Line> {
    lay_out(text, width, false)
}

/// The lines of a piece of prose for screen readers: words in place of what is seen by position, size and signs.
pub fn linear_prose(text: &str, width: u16) -> Vec<Line> {
    lay_out(text, width, true)
}

fn lay_out(text: &str, width: u16, is_linear: bool) -> Vec<Line> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH;
    let text = &*math::with_dollars(text);
    let mut layout = Layout { text, width, is_linear, ..Layout::default() };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        (layout.at, layout.end) = (range.start, range.end);
        layout.event(event);
    }
    layout.flush();
    layout.out
}

/// Returns the lines of code: unchanged text, broken anywhere, padded to the width.
pub fn code(text: &str, width: u16, scope: &'static str, prefix: &[Span]) -> Vec<Line> {
    colored(&[Span::new(without_ending(text), scope)], width, scope, prefix)
}

/// Returns a line without its line ending.
pub fn without_ending(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Marks the further rows of a wrapped line of code.
const CONTINUED: &str = "↪";

/// Further cells of indentation of those rows.
const CONTINUED_INDENT: usize = 2;
/// Their indentation takes at most one of so many parts of the width.
const CONTINUED_PART: usize = 8;

/// Returns the lines of code whose parts have their own scopes; `scope` is the base scope.
pub fn colored(spans: &[Span], width: u16, scope: &'static str, prefix: &[Span]) -> Vec<Line> {
    let prefix: Line = prefix.iter().map(|span| span.clone().with_role(Role::Decoration)).collect();
    let lead = |sign: &str| [&*prefix, &[Span::decoration(sign, scope)]].concat();
    // What goes on is indented further than its line.
    let indent = spans.iter().flat_map(|span| span.text.chars()).take_while(|c| *c == ' ').count();
    let indent = (indent + CONTINUED_INDENT).min(usize::from(width) / CONTINUED_PART);
    let continued = lead(&format!("{CONTINUED}{}", " ".repeat(indent)));
    let mut lines = wrap(spans, width, &lead(" "), &continued, BreakMode::Anywhere);
    for line in &mut lines {
        let missing = usize::from(width).saturating_sub(line::width(line));
        if missing > 0 {
            line.push(Span::decoration(" ".repeat(missing), scope));
        }
    }
    lines
}

/// Returns the line above a code block that names its language, if there is one.
pub fn language(fence: &str, width: u16, prefix: &[Span]) -> Vec<Line> {
    match fence_name(fence) {
        "" => Vec::new(),
        name => {
            let mut lines = code(name, width, "markdown.code.lang", prefix);
            lines.iter_mut().flatten().for_each(|span| span.role = Role::Aside);
            lines
        }
    }
}

/// Returns the lines around a code block for screen readers: its begin with the language, or its end.
pub fn code_mark(fence: Option<&str>, width: u16) -> Vec<Line> {
    let text = match fence.map(fence_name) {
        None => "End of code".to_string(),
        Some("") => "Code:".to_string(),
        Some(name) => format!("Code, {name}:"),
    };
    let span = Span::new(text, "markdown.code.lang").with_role(Role::Aside);
    wrap(&[span], width, &[], &[], BreakMode::Words)
}

/// Returns the language in the line of a fence; may be empty.
pub fn fence_name(fence: &str) -> &str {
    let info = fence.trim().trim_start_matches(['`', '~']).trim();
    info.split([' ', ',', '{']).next().unwrap_or_default()
}

/// Prefix of the lines of a container.
struct Prefix {
    /// Prefix of its first line, until that is drawn.
    first: Option<Span>,
    rest: Span,
}

/// A link or image whose text is being read.
struct OpenLink {
    url: String,
    /// The target for terminals.
    link: Option<Arc<str>>,
    /// The first span of its text.
    from: usize,
}

#[derive(Default)]
struct Layout<'a> {
    text: &'a str,
    /// Start of the current event.
    at: usize,
    /// Its end.
    end: usize,
    width: u16,
    /// Whether a screen reader reads it.
    is_linear: bool,
    out: Vec<Line>,
    prefixes: Vec<Prefix>,
    /// Open lists, the innermost last, and whether each is a bulleted one.
    lists: Vec<bool>,
    inline: Vec<Span>,
    /// Scopes of open emphasis and the like, innermost last.
    scopes: Vec<&'static str>,
    /// The innermost last.
    links: Vec<OpenLink>,
    /// Text of the open code or HTML block.
    block: Option<String>,
    table: Option<Table>,
    /// The end of the line for which a blank line was last considered.
    blank_checked_to: Option<usize>,
}

impl Layout<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            // Footnotes are switched off in the options.
            Event::Text(text) | Event::FootnoteReference(text) => self.text(&text, self.scope()),
            Event::Code(text) => self.text(&text, self.scope_over("markdown.code")),
            Event::Html(text) | Event::InlineHtml(text) => self.html(&text),
            Event::SoftBreak => self.text(" ", self.scope()),
            Event::HardBreak => self.text("\n", self.scope()),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) if self.is_linear => {
                self.word(if done { "done: " } else { "to do: " });
            }
            Event::TaskListMarker(done) => {
                let (sign, scope) = if done { ("✓ ", "success") } else { ("○ ", "markdown.bullet") };
                self.text(sign, scope);
            }
            Event::InlineMath(tex) => self.formula(&tex, "$"),
            Event::DisplayMath(tex) => self.formula(&tex, "$$"),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                self.scopes.push(heading_scope(level));
                if self.is_linear {
                    self.word(&format!("Heading {}: ", level as usize));
                }
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                let sign = if self.is_linear { "> " } else { "│ " };
                let bar = Span::decoration(sign, "markdown.quote.bar");
                self.prefixes.push(Prefix { first: None, rest: bar });
                self.scopes.push("markdown.quote");
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                if self.is_linear {
                    self.out.extend(code_mark(Some(""), self.width));
                } else if let pulldown_cmark::CodeBlockKind::Fenced(info) = kind {
                    let prefix = self.prefix();
                    self.out.extend(language(&info, self.width, &prefix));
                }
                self.block = Some(String::new());
            }
            Tag::HtmlBlock => {
                self.flush();
                self.block = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first.is_none());
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(Table::new(&alignments));
            }
            Tag::Emphasis => self.scopes.push("markdown.emphasis"),
            Tag::Strong => self.scopes.push("markdown.strong"),
            Tag::Strikethrough => self.scopes.push("markdown.strike"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let (link, from) = (links::target(&dest_url), self.inline.len());
                // What is in the address itself is nothing to read.
                let url = if dest_url.starts_with("data:") { String::new() } else { dest_url.into_string() };
                self.links.push(OpenLink { url, link, from });
                self.scopes.push("markdown.link");
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.scopes.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefixes.pop();
                self.scopes.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                let marker = self.prefixes.last().is_some_and(|prefix| prefix.first.is_some());
                if marker || !self.inline.is_empty() {
                    self.write_inline();
                }
                self.prefixes.pop();
            }
            TagEnd::Table => self.end_table(),
            TagEnd::TableCell => {
                let cell = bare_urls::linked(std::mem::take(&mut self.inline));
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.scopes.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, scope: &'static str) {
        if let Some(block) = &mut self.block {
            block.push_str(text);
        } else {
            let link = self.links.last().and_then(|open| open.link.clone());
            self.inline.push(Span::new(text, scope).with_link(link));
        }
    }

    /// Adds a word that stands for how the text looks.
    fn word(&mut self, word: &str) {
        self.inline.push(Span::decoration(word, self.scope()));
    }

    /// Adds a formula as text; what has no form as text is shown as it was written.
    fn formula(&mut self, tex: &str, marks: &str) {
        let is_part_of_word = self.text[..self.at].ends_with(char::is_alphanumeric)
            || self.text[self.end..].starts_with(char::is_alphanumeric);
        let is_meant = marks == "$$" || !is_part_of_word && math::is_formula(tex);
        match is_meant.then(|| math::text(tex)).flatten() {
            Some(text) => self.text(&text, self.scope_over("markdown.math")),
            None if is_meant => self.text(&format!("{marks}{tex}{marks}"), self.scope_over("markdown.code")),
            None => self.text(&format!("{marks}{tex}{marks}"), self.scope()),
        }
    }

    /// The scope in force.
    fn scope(&self) -> &'static str {
        self.scopes.last().copied().unwrap_or("markdown.text")
    }

    /// Returns the scope, unless a heading or a link overrides it.
    fn scope_over(&self, scope: &'static str) -> &'static str {
        match self.scope() {
            strong if strong.starts_with("markdown.heading") || strong == "markdown.link" => strong,
            _ => scope,
        }
    }

    fn html(&mut self, text: &str) {
        if let Some(block) = &mut self.block {
            block.push_str(text);
        } else if matches!(text, "<br>" | "<br/>" | "<br />") {
            self.text("\n", self.scope());
        } else {
            let shown = without_comments(text);
            if !shown.is_empty() {
                self.text(&shown, "markdown.html");
            }
        }
    }

    fn item(&mut self) {
        self.begin_block();
        let source = self.text[self.at..].trim_start();
        let digits = source.bytes().take_while(u8::is_ascii_digit).count();
        // The number as written: counting cannot continue from an item of another piece.
        let bulleted = self.lists.iter().filter(|bulleted| **bulleted).count();
        let marker = match (digits, bulleted % 2) {
            (1.., _) => format!("{}. ", &source[..digits]),
            (0, 1) => "• ".to_string(),
            (0, _) => "◦ ".to_string(),
        };
        let prefix = |text: String| Span::new(text, "markdown.bullet").with_role(Role::Marker);
        let indent = prefix(" ".repeat(marker.chars().count()));
        self.prefixes.push(Prefix { first: Some(prefix(marker)), rest: indent });
    }

    fn rule(&mut self) {
        self.begin_block();
        let prefix = self.prefix();
        let room = usize::from(self.width).saturating_sub(line::width(&prefix)).max(1);
        let rule = if self.is_linear { "Separator".to_string() } else { "─".repeat(room) };
        self.inline.push(Span::new(rule, "markdown.rule").with_role(Role::Aside));
        self.write_lines(&prefix);
    }

    fn end_link(&mut self) {
        self.scopes.pop();
        let Some(OpenLink { from, link, url }) = self.links.pop() else { return };
        let text: String = self.inline.iter().skip(from).map(|span| span.text.as_str()).collect();
        if !url.is_empty() && text != url && format!("mailto:{text}") != url {
            let space = if text.is_empty() { "" } else { " " };
            self.text(&format!("{space}("), "markdown.url");
            self.inline.push(Span::new(url, "markdown.url").with_link(link));
            self.text(")", "markdown.url");
        }
    }

    fn end_code(&mut self) {
        let text = self.block.take().unwrap_or_default();
        for line in text.lines() {
            let prefix = self.prefix();
            self.out.extend(code(line, self.width, "markdown.code.block", &prefix));
        }
        if self.is_linear {
            self.out.extend(code_mark(None, self.width));
        }
    }

    fn end_html(&mut self) {
        let text = without_comments(&self.block.take().unwrap_or_default());
        if !text.trim().is_empty() {
            self.begin_block();
            self.inline.push(Span::new(text.trim_end(), "markdown.html"));
            self.flush();
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let prefix = self.prefix();
        let room = u16::try_from(usize::from(self.width).saturating_sub(line::width(&prefix))).unwrap_or(1);
        let prefix: Line = prefix.into_iter().map(|span| span.with_role(Role::Decoration)).collect();
        // If the prefix leaves too little room, the table takes the whole width.
        let (prefix, room) = if room < 4 { (Vec::new(), self.width) } else { (prefix, room) };
        let lines = if self.is_linear { table::records(&table, room) } else { table::lines(&table, room) };
        for mut line in lines {
            line.splice(0..0, prefix.iter().cloned());
            self.out.push(line);
        }
    }

    /// Ends the open block and adds a blank line where the text has one, as between pieces: the result must
    /// not change when the text is cut into pieces later.
    fn begin_block(&mut self) {
        self.flush();
        let fresh = self.prefixes.iter().any(|prefix| prefix.first.is_some());
        if !self.out.is_empty() && !fresh && self.follows_blank_line() {
            let rest = self.rest();
            let fits = line::width(&rest) <= usize::from(self.width);
            self.out.push(if fits { rest } else { Vec::new() });
        }
    }

    /// Returns whether the line above is blank, once per line of the text, since a quote and its first
    /// paragraph begin on the same line.
    fn follows_blank_line(&mut self) -> bool {
        let Some(end) = self.text[..self.at].rfind('\n') else { return false };
        let was_checked = self.blank_checked_to.replace(end) == Some(end);
        let above = self.text[..end].rsplit('\n').next().unwrap_or_default();
        !was_checked && above.trim_matches([' ', '\t', '\r', '>']).is_empty()
    }

    /// Writes pending text, if there is any.
    fn flush(&mut self) {
        if !self.inline.is_empty() && self.table.is_none() {
            self.write_inline();
        }
    }

    fn write_inline(&mut self) {
        let first = self.prefix();
        self.write_lines(&first);
    }

    fn write_lines(&mut self, first: &[Span]) {
        let inline = bare_urls::linked(std::mem::take(&mut self.inline));
        let rest = self.rest();
        self.out.extend(wrap(&inline, self.width, first, &rest, BreakMode::Words));
    }

    /// Returns the prefix of the next line; consumes the markers of items.
    fn prefix(&mut self) -> Line {
        let take = |prefix: &mut Prefix| prefix.first.take().unwrap_or_else(|| prefix.rest.clone());
        self.prefixes.iter_mut().take(DEPTH_MAX).map(take).collect()
    }

    /// Returns the prefix of lines after the first.
    fn rest(&self) -> Line {
        self.prefixes.iter().take(DEPTH_MAX).map(|prefix| prefix.rest.clone()).collect()
    }
}

fn heading_scope(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "markdown.heading.1",
        HeadingLevel::H2 => "markdown.heading.2",
        _ => "markdown.heading.3",
    }
}

/// The text without `<!-- … -->`; a comment that does not end hides the rest.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((shown, hidden)) = rest.split_once("<!--") {
        out.push_str(shown);
        rest = hidden.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
