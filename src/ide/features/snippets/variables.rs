//! Values of the variables of snippets. Must not know the caller.

use std::path::Path;

use crate::base::ids;
use crate::text::movement::motion;
use crate::text::operations::comment_tokens::CommentTokens;
use crate::text::rope::Text;
use crate::text::selection::Range;

/// Facts about the position where a snippet is inserted.
pub struct VariableContext<'a> {
    /// The text.
    pub text: &'a Text,
    /// Its file.
    pub path: Option<&'a Path>,
    /// The folder that is worked on.
    pub workspace: &'a Path,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The comment syntax there.
    pub comment_tokens: Option<CommentTokens>,
    /// The text cut or copied last.
    pub clipboard: Option<String>,
}

/// Time variables and their formats.
const TIMES: &[(&str, &str)] = &[
    ("CURRENT_DATE", "%d"),
    ("CURRENT_DAY_NAME", "%A"),
    ("CURRENT_DAY_NAME_SHORT", "%a"),
    ("CURRENT_HOUR", "%H"),
    ("CURRENT_MINUTE", "%M"),
    ("CURRENT_MONTH", "%m"),
    ("CURRENT_MONTH_NAME", "%B"),
    ("CURRENT_MONTH_NAME_SHORT", "%b"),
    ("CURRENT_SECOND", "%S"),
    ("CURRENT_SECONDS_UNIX", "%s"),
    ("CURRENT_TIMEZONE_OFFSET", "%:z"),
    ("CURRENT_YEAR", "%Y"),
    ("CURRENT_YEAR_SHORT", "%y"),
];

impl VariableContext<'_> {
    /// Returns the value of a variable at a range; `None` if there is no such variable.
    pub fn get(&self, range: Range, name: &str) -> Option<String> {
        let line = self.text.line_of(range.start());
        let of_path = |part: fn(&Path) -> Option<&std::ffi::OsStr>| {
            self.path.and_then(part).map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let shown = |path: Option<&Path>| path.map(|path| path.display().to_string()).unwrap_or_default();
        let block = self.comment_tokens.and_then(|signs| signs.block);
        Some(match name {
            "TM_SELECTED_TEXT" => self.text.slice(range.span()).into_owned(),
            "TM_CURRENT_LINE" => self.text.line(line).into_owned(),
            "TM_CURRENT_WORD" => {
                self.text.slice(motion::run_around(self.text, range.head, motion::is_word)).into_owned()
            }
            "TM_LINE_INDEX" => line.0.to_string(),
            "TM_LINE_NUMBER" => (line.0 + 1).to_string(),
            "TM_FILENAME" => of_path(Path::file_name),
            "TM_FILENAME_BASE" => of_path(Path::file_stem),
            "TM_DIRECTORY" => shown(self.path.and_then(Path::parent)),
            "TM_FILEPATH" => shown(self.path),
            "RELATIVE_FILEPATH" => {
                shown(self.path.map(|path| path.strip_prefix(self.workspace).unwrap_or(path)))
            }
            "WORKSPACE_FOLDER" => shown(Some(self.workspace)),
            "WORKSPACE_NAME" => shown(self.workspace.file_name().map(Path::new)),
            "CLIPBOARD" => self.clipboard.clone().unwrap_or_default(),
            "LINE_COMMENT" => {
                self.comment_tokens.and_then(|signs| signs.line).unwrap_or_default().to_string()
            }
            "BLOCK_COMMENT_START" => block.map_or("", |(open, _)| open).to_string(),
            "BLOCK_COMMENT_END" => block.map_or("", |(_, close)| close).to_string(),
            "UUID" => ids::uuid(),
            "RANDOM_HEX" => ids::uuid()[..6].to_string(),
            name => {
                let (_, form) = TIMES.iter().find(|(known, _)| *known == name)?;
                crate::base::clock::local(self.now_ms, form)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::operations::comment_tokens;
    use crate::text::position::Byte;

    #[test]
    fn snippet_variables_cover_file_text_and_time() {
        let text = Text::from("one\n\tgröße x\n");
        let (workspace, path) = (Path::new("/w/näme"), Path::new("/w/näme/src/a.b.rs"));
        let signs = comment_tokens::for_file("a.rs");
        let facts = VariableContext {
            text: &text,
            path: Some(path),
            workspace,
            now_ms: 0,
            comment_tokens: signs,
            clipboard: Some("cut".into()),
        };
        let get = |name: &str| facts.get(Range::new(Byte(5), Byte(7)), name);
        let is = |name: &str, value: &str| assert_eq!(get(name).as_deref(), Some(value), "{name}");
        is("TM_SELECTED_TEXT", "gr");
        is("TM_CURRENT_LINE", "\tgröße x");
        is("TM_CURRENT_WORD", "größe");
        is("TM_LINE_INDEX", "1");
        is("TM_LINE_NUMBER", "2");
        is("TM_FILENAME", "a.b.rs");
        is("TM_FILENAME_BASE", "a.b");
        is("TM_DIRECTORY", "/w/näme/src");
        is("RELATIVE_FILEPATH", "src/a.b.rs");
        is("WORKSPACE_NAME", "näme");
        is("CLIPBOARD", "cut");
        is("LINE_COMMENT", "//");
        is("BLOCK_COMMENT_END", "*/");
        is("CURRENT_SECONDS_UNIX", "0");
        assert_eq!(get("CURRENT_YEAR").map(|year| year.len()), Some(4));
        assert_eq!(get("UUID").map(|id| id.len()), Some(36));
        assert_eq!(get("nothing"), None);
        let bare = VariableContext { path: None, comment_tokens: None, clipboard: None, ..facts };
        let get = |name: &str| bare.get(Range::cursor(Byte(0)), name);
        assert_eq!((get("TM_FILENAME"), get("LINE_COMMENT")), (Some(String::new()), Some(String::new())));
    }
}
