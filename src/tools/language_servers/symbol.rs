//! Which place in a file a call means: a line, and a name in it. Pure.

use std::ops::Range;

/// A place as a model names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolPlace {
    /// The line, from 1.
    pub line: Option<usize>,
    /// A name, perhaps with the number of its occurrence: `name#2`.
    pub symbol: Option<String>,
}

/// Returns the range of the name in bytes: in its line, or in the whole text if no line is given. Without a name it is the empty
/// range before the first character of the line that is no blank. The error is for the model.
pub fn find(text: &str, place: &SymbolPlace) -> Result<Range<usize>, String> {
    let (start, part) = match place.line {
        None => (0, text),
        Some(line) => line_range(text, line)?,
    };
    let Some(symbol) = &place.symbol else {
        let at = start + part.len() - part.trim_start().len();
        return Ok(at..at);
    };
    let (name, number) = split_number(symbol);
    if name.is_empty() {
        return Err("symbol is empty.".to_string());
    }
    let found: Vec<usize> = part.match_indices(name).map(|(at, _)| at).collect();
    let mut whole = found.iter().copied().filter(|at| is_whole(part, *at, name));
    let is_any_whole = whole.clone().next().is_some();
    // A part of a longer name counts only where nothing else is there.
    let nth = number.unwrap_or(1) - 1;
    let at = if is_any_whole { whole.nth(nth) } else { found.get(nth).copied() };
    match at {
        Some(at) => Ok(start + at..start + at + name.len()),
        None => {
            Err(missing(name, place.line, if is_any_whole { whole_count(part, name) } else { found.len() }))
        }
    }
}

fn whole_count(text: &str, name: &str) -> usize {
    text.match_indices(name).filter(|(at, _)| is_whole(text, *at, name)).count()
}

fn missing(name: &str, line: Option<usize>, count: usize) -> String {
    let place = line.map_or_else(|| "the file".to_string(), |line| format!("line {line}"));
    match count {
        0 => format!("{name:?} is not in {place}."),
        1 => format!("{name:?} is only once in {place}."),
        count => format!("{name:?} is only {count} times in {place}."),
    }
}

/// Returns the line without its ending, and where it begins.
fn line_range(text: &str, line: usize) -> Result<(usize, &str), String> {
    let mut start = 0;
    for (n, part) in text.split_inclusive('\n').enumerate() {
        if n + 1 == line {
            return Ok((start, part.trim_end_matches(['\n', '\r'])));
        }
        start += part.len();
    }
    let count = text.lines().count();
    Err(format!("There is no line {line}: the file has {count}."))
}

/// Splits `name#2`; the number is at least 1.
fn split_number(symbol: &str) -> (&str, Option<usize>) {
    let split = symbol.rsplit_once('#');
    match split.and_then(|(name, number)| Some((name, number.parse().ok().filter(|n| *n > 0)?))) {
        Some((name, number)) if !name.is_empty() => (name, Some(number)),
        _ => (symbol, None),
    }
}

/// Whether a name is no part of a longer one.
fn is_whole(text: &str, at: usize, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..at].chars().next_back().filter(|_| name.starts_with(is_word));
    let after = text[at + name.len()..].chars().next().filter(|_| name.ends_with(is_word));
    !before.is_some_and(is_word) && !after.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "let names = name(name, 1);\r\n\tname\n";

    fn found(line: Option<usize>, symbol: Option<&str>) -> Result<Range<usize>, String> {
        find(TEXT, &SymbolPlace { line, symbol: symbol.map(String::from) })
    }

    #[test]
    fn symbol_is_found_by_line_name_and_number() {
        assert_eq!(found(Some(1), Some("name")), Ok(12..16), "not the part of another name");
        assert_eq!(found(Some(1), Some("name#2")), Ok(17..21));
        assert_eq!(found(Some(2), Some("name")), Ok(29..33));
        assert_eq!(found(None, Some("name#3")), Ok(29..33));
        assert_eq!(found(Some(2), None), Ok(29..29), "behind the blanks");
        assert_eq!(found(Some(1), Some("ame")), Ok(5..8), "a part, if there is nothing else");
        assert_eq!(found(Some(1), Some("(")), Ok(16..17));
        assert_eq!(found(Some(1), Some("C#")).unwrap_err(), "\"C#\" is not in line 1.");
    }

    #[test]
    fn symbol_that_is_not_there_says_what_is() {
        assert_eq!(found(Some(1), Some("name#3")).unwrap_err(), "\"name\" is only 2 times in line 1.");
        assert_eq!(found(Some(2), Some("name#2")).unwrap_err(), "\"name\" is only once in line 2.");
        assert_eq!(found(None, Some("other")).unwrap_err(), "\"other\" is not in the file.");
        assert_eq!(found(Some(9), None).unwrap_err(), "There is no line 9: the file has 2.");
        assert_eq!(found(Some(0), None).unwrap_err(), "There is no line 0: the file has 2.");
        assert_eq!(find("a: #333", &SymbolPlace { line: None, symbol: Some("#333".to_string()) }), Ok(3..7));
        assert!(found(Some(1), Some("")).is_err() && find("", &SymbolPlace::default()) == Ok(0..0));
    }
}
