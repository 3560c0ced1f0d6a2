//! Case conversions of names and texts. Must not know which text is changed.

use crate::text::movement::motion;
use crate::text::movement::subword;
use crate::text::operations::replace_spans;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// A case style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// EVERY LETTER.
    Upper,
    /// no letter.
    Lower,
    /// The First Letter Of Each Word.
    Title,
    /// `like_this`.
    Snake,
    /// `likeThis`.
    Camel,
    /// `like-this`.
    Kebab,
}

/// Changes the case of the selection, and of the word at every cursor.
pub fn recase(text: &Text, selection: &Selection, case: Case) -> Transaction {
    let kebab = matches!(case, Case::Snake | Case::Camel | Case::Kebab);
    let span = |range: Range| {
        if !range.is_empty() {
            return Some(range.span());
        }
        let part = |c: char| motion::is_word(c) || kebab && c == '-';
        let word = motion::run_around(text, range.head, part);
        (word.start < word.end).then_some(word)
    };
    replace_spans::replace(text, selection, span, |old| Some(to_case(old, case)))
}

/// A text in another case.
pub fn to_case(text: &str, case: Case) -> String {
    match case {
        Case::Upper => text.to_uppercase(),
        Case::Lower => text.to_lowercase(),
        Case::Title => title(text),
        // Each line separately, and what surrounds a name stays.
        Case::Snake | Case::Camel | Case::Kebab => {
            text.split_inclusive('\n').map(|line| name_in(line, case)).collect()
        }
    }
}

fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        if inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        inside =
            c.is_alphanumeric() || inside && (c == '\'' || c == '’' || !c.is_ascii() && !c.is_whitespace());
    }
    out
}

fn name_in(line: &str, case: Case) -> String {
    let begins = |c: char| motion::is_word(c);
    let start = line.find(begins).unwrap_or(line.len());
    let end =
        line.rfind(begins).map_or(line.len(), |at| at + line[at..].chars().next().map_or(0, char::len_utf8));
    let end = end.max(start);
    format!("{}{}{}", &line[..start], name(&line[start..end], case), &line[end..])
}

fn name(name: &str, case: Case) -> String {
    let parts = subword::parts(name);
    let lower = || parts.iter().map(|part| part.to_lowercase());
    match case {
        Case::Snake => lower().collect::<Vec<_>>().join("_"),
        Case::Kebab => lower().collect::<Vec<_>>().join("-"),
        _ => lower().enumerate().map(|(n, part)| if n == 0 { part } else { capitalize(&part) }).collect(),
    }
}

fn capitalize(part: &str) -> String {
    let mut chars = part.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    fn check(case: Case, before: &str, after: &str) {
        let (mut text, selection) = marked::parse(before);
        let edit = recase(&text, &selection, case);
        edit.changes.apply(&mut text);
        assert_eq!(marked::show(&text, &edit.selection.unwrap()), after, "{case:?} from {before:?}");
    }

    #[test]
    fn recase_words_and_selections() {
        check(Case::Upper, "fo|o strasse| «äb» |", "FO|O STRASSE| «ÄB» |");
        check(Case::Upper, "«ß» a|b", "«SS» A|B");
        check(Case::Lower, "»ÉA«B|c", "»éa«B|c");
        check(Case::Title, "«the don't éTAT»", "«The Don't État»");
        check(Case::Title, "H|ELLO.|", "H|ello.|");
        check(Case::Upper, "»É« b| É|A", "»É« B| É|A");
        let (text, selection) = marked::parse("«É» A|B");
        assert!(recase(&text, &selection, Case::Upper).changes.is_identity(), "nothing is another");
    }

    #[test]
    fn recase_identifier_styles() {
        check(Case::Snake, "HTTPServer|Name x", "http_serve|r_name x");
        check(Case::Camel, "some_lö|ng-name|", "someLön|gName|");
        check(Case::Kebab, "«oneTwo\n  threeFour()»", "«one-two\n  three-four()»");
        check(Case::Snake, "a| + b|", "a| + b|");
        check(Case::Camel, "|", "|");
    }
}
