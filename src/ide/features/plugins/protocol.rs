//! Protocol of plugin programs: one JSON document as input and one as output. Lines and columns are
//! one-based, columns in bytes of UTF-8. Must not know processes or state.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::paths;
use crate::base::width::visible;
use crate::config::plugins::Input;
use crate::ide::core::layers::picker::Location;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::features::plugins::state::PluginText;
use crate::text::file_format::format::{LineEnding, without_carriers};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Version of the documents.
const VERSION: u32 = 1;
/// Maximum number of listed locations.
const LOCATIONS_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spot {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Selected<'t> {
    start: Spot,
    end: Spot,
    text: Cow<'t, str>,
}

#[derive(Serialize)]
struct Request<'t> {
    version: u32,
    command: &'t str,
    workspace: Cow<'t, str>,
    path: Option<Cow<'t, str>>,
    language: Option<&'t str>,
    caret: Option<Spot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selections: Option<Vec<Selected<'t>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    start: Spot,
    end: Spot,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextLocation {
    path: PathBuf,
    line: usize,
    #[serde(default = "first")]
    column: usize,
    #[serde(default)]
    text: String,
}

fn first() -> usize {
    1
}

/// Returns the input of a program. `places` are the selections it gets; the last word of a text without a
/// range is that of the caret.
pub fn request(
    command: &str,
    workspace: &Path,
    shown: Option<&PluginText>,
    input: Input,
    ranges: &[Range<Byte>],
) -> Result<Vec<u8>, serde_json::Error> {
    let selected = |text: &'_ PluginText| {
        let one = |range: &Range<Byte>| Selected {
            start: position(&text.text, range.start),
            end: position(&text.text, range.end),
            text: Cow::Owned(text.text.slice(range.clone()).into_owned()),
        };
        ranges.iter().map(one).collect()
    };
    let document = Request {
        version: VERSION,
        command,
        workspace: workspace.to_string_lossy(),
        path: shown.and_then(|shown| shown.path.as_deref()).map(Path::to_string_lossy),
        language: shown.and_then(|shown| shown.language),
        caret: shown.map(|shown| position(&shown.text, shown.selection.primary().head)),
        text: shown.filter(|_| input == Input::Text).map(|shown| shown.text.to_string()),
        selections: shown.filter(|_| input == Input::Selections).map(selected),
    };
    serde_json::to_vec(&document)
}

fn position(text: &Text, at: Byte) -> Spot {
    let line = text.line_of(at);
    Spot { line: line.0 + 1, column: at - text.line_start(line) + 1 }
}

/// Returns the byte of a line and column; fails with a message if they are invalid.
fn byte_at(text: &Text, spot: Spot) -> Result<Byte, String> {
    let to_error = |what: &str| format!("line {}, column {}: {what}", spot.line, spot.column);
    let (Some(line), Some(column)) = (spot.line.checked_sub(1), spot.column.checked_sub(1)) else {
        return Err(to_error("lines and columns count from 1"));
    };
    if line > text.last_line().0 {
        return Err(to_error("the text has not so many lines"));
    }
    let start = text.line_start(Line(line));
    if column > text.line_end(Line(line)) - start {
        return Err(to_error("the line is not so long"));
    }
    let at = Byte(start.0 + column);
    if text.char_floor(at) == at { Ok(at) } else { Err(to_error("this is inside a character")) }
}

/// Returns a text adapted to a file with this line ending: without control characters other than tabs.
pub fn sanitized(output: &str, ending: LineEnding) -> String {
    let output = output.replace("\r\n", "\n");
    let mut output = without_carriers(&output).into_owned();
    output.retain(|c| !c.is_control() || c == '\n' || c == '\t');
    if ending == LineEnding::Lf { output } else { output.replace('\n', ending.text()) }
}

/// Returns the edits of a response, sorted and disjoint.
pub fn edits(text: &Text, answer: &str, ending: LineEnding) -> Result<Vec<(Range<Byte>, String)>, String> {
    let edits: Vec<Edit> = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    let mut placed = Vec::with_capacity(edits.len());
    for edit in edits {
        let (start, end) = (byte_at(text, edit.start)?, byte_at(text, edit.end)?);
        if start > end {
            return Err(format!("line {}: an edit ends before it begins", edit.start.line));
        }
        placed.push((start..end, sanitized(&edit.text, ending)));
    }
    // Several insertions at one position keep the order of the response.
    placed.sort_by_key(|(range, _)| (range.start, range.end));
    if placed.windows(2).any(|two| two[0].0.end > two[1].0.start) {
        return Err("two edits are of the same text".to_string());
    }
    Ok(placed)
}

/// Returns the locations of a response; relative paths are relative to the workspace.
pub fn locations(workspace: &Path, answer: &str) -> Result<Vec<PickRow>, String> {
    let text_locations: Vec<TextLocation> =
        serde_json::from_str(answer).map_err(|error| error.to_string())?;
    if text_locations.iter().any(|location| location.line == 0 || location.column == 0) {
        return Err("lines and columns count from 1".to_string());
    }
    let row = |location: TextLocation| {
        let shown = location.path.to_string_lossy();
        PickRow {
            text: visible(&format!("{shown}:{}: {}", location.line, location.text)).into_owned(),
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
            pick: Pick::new(Location {
                path: paths::absolute(workspace, &location.path),
                line: location.line,
                column: location.column,
            }),
        }
    };
    Ok(text_locations.into_iter().take(LOCATIONS_MAX).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::model::buffers::Buffers;
    use crate::text::document::Document;
    use crate::text::file_format::format::Format;
    use crate::text::marked::parse;
    use proptest::prelude::*;

    fn shown(marked: &str) -> PluginText {
        let (text, selection) = parse(marked);
        let buffer = Buffers::default().open(None, Document::from_bytes(b""), None);
        PluginText {
            buffer,
            version: 0,
            text,
            format: Format::default(),
            selection,
            path: Some("/w/é.rs".into()),
            language: Some("rust"),
        }
    }

    #[test]
    fn plugin_request_positions_are_one_based_bytes() {
        let shown = shown("aé«b\nö»x");
        let spans: Vec<Range<Byte>> =
            shown.selection.ranges().iter().map(crate::text::selection::Range::span).collect();
        let made = request("plugin.a.b", Path::new("/w"), Some(&shown), Input::Selections, &spans).unwrap();
        assert_eq!(
            String::from_utf8(made).unwrap(),
            r#"{"version":1,"command":"plugin.a.b","workspace":"/w","path":"/w/é.rs","language":"rust","caret":{"line":2,"column":3},"selections":[{"start":{"line":1,"column":4},"end":{"line":2,"column":3},"text":"b\nö"}]}"#
        );
        let made = request("c", Path::new("/w"), Some(&shown), Input::Text, &[]).unwrap();
        assert!(String::from_utf8(made).unwrap().ends_with(r#""text":"aéb\nöx"}"#));
        let made = request("c", Path::new("/w"), None, Input::None, &[]).unwrap();
        let bare = r#"{"version":1,"command":"c","workspace":"/w","path":null,"language":null,"caret":null}"#;
        assert_eq!(String::from_utf8(made).unwrap(), bare);
    }

    fn edit(start: (usize, usize), end: (usize, usize), text: &str) -> String {
        let spot = |(line, column)| Spot { line, column };
        crate::base::json::json!([{ "start": spot(start), "end": spot(end), "text": text }]).to_string()
    }

    #[test]
    fn plugin_edits_are_placed_or_rejected() {
        let text = Text::from("aé\nb");
        let made = |answer: &str| edits(&text, answer, LineEnding::CrLf);
        assert_eq!(
            made(&edit((1, 2), (2, 1), "x\n\u{1b}")).unwrap(),
            [(Byte(1)..Byte(4), "x\r\n".to_string())]
        );
        assert_eq!(made("[]").unwrap(), []);
        for (answer, told) in [
            (edit((1, 3), (1, 4), ""), "inside a character"),
            (edit((3, 1), (3, 1), ""), "not so many lines"),
            (edit((1, 5), (1, 5), ""), "not so long"),
            (edit((0, 1), (1, 1), ""), "count from 1"),
            (edit((2, 1), (1, 1), ""), "ends before it begins"),
            ("{}".to_string(), "expected a sequence"),
            (
                format!(
                    "[{},{}]",
                    edit((1, 1), (2, 1), "").trim_matches(['[', ']']),
                    edit((1, 2), (1, 2), "").trim_matches(['[', ']'])
                ),
                "the same text",
            ),
        ] {
            let problem = made(&answer).unwrap_err();
            assert!(problem.contains(told), "{answer}: {problem}");
        }
    }

    #[test]
    fn plugin_locations_are_resolved_and_escaped() {
        let rows = locations(
            Path::new("/w"),
            r#"[{"path":"src/a.rs","line":3,"column":2,"text":"\u001b[31mx"},{"path":"/b","line":1}]"#,
        );
        let rows = rows.unwrap();
        assert_eq!(rows[0].text, "src/a.rs:3: ␛[31mx");
        assert_eq!(rows[0].pick, Pick::new(Location { path: "/w/src/a.rs".into(), line: 3, column: 2 }));
        assert_eq!(rows[1].pick, Pick::new(Location { path: "/b".into(), line: 1, column: 1 }));
        assert!(locations(Path::new("/w"), r#"[{"path":"a","line":0}]"#).is_err());
        assert!(locations(Path::new("/w"), "no").is_err());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn plugin_position_roundtrips(content in "[aé\n]{0,20}", at in 0usize..24) {
            let text = Text::from(content.as_str());
            let at = text.char_floor(Byte(at).min(text.end()));
            prop_assert_eq!(byte_at(&text, position(&text, at)), Ok(at));
        }
    }
}
