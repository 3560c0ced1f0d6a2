//! Checks options against lists of those known to be harmless.
//!
//! Must not know programs. An option in no list is unknown, and so is an abbreviation: which prefixes a
//! program accepts depends on its version.

use crate::tools::command::syntax::script::Word;

/// Options of one program that are known to be harmless, separated by blanks. `-#` in `flags` is a number.
#[derive(Debug, Clone, Copy)]
pub(in crate::tools::command) struct Options {
    /// Options without a value.
    pub(in crate::tools::command) flags: &'static str,
    /// Options with a value, in the same word or the next.
    pub(in crate::tools::command) valued: &'static str,
    /// Options with a value in the same word, or none.
    pub(super) attached: &'static str,
}

/// The words of a call, classified.
#[derive(Debug, Default)]
pub(in crate::tools::command) struct ParsedOptions<'w> {
    /// All options with their values.
    pub(in crate::tools::command) options: Vec<(String, Option<&'w str>)>,
    /// All other words.
    pub(in crate::tools::command) operands: Vec<&'w Word>,
}

impl Options {
    /// Classifies the words of a call; `None` if an option is unknown. Words that may expand to options pass
    /// if `open`, since no option of the program is harmful.
    pub(super) fn parse<'w>(&self, words: &'w [Word], open: bool) -> Option<ParsedOptions<'w>> {
        let mut sorted = ParsedOptions::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.is_exact && word.text == "--" {
                sorted.operands.extend(words);
                break;
            }
            match () {
                () if word.is_dynamic && !open => return None,
                () if word.is_dynamic || !word.text.starts_with('-') || word.text.len() == 1 => {
                    sorted.operands.push(word);
                }
                // `--name=PREFIX*` may expand to several words, the others being operands.
                () if word.text.starts_with("--") => self.long(&word.text, &mut words, open, &mut sorted)?,
                () => self.cluster(&word.text, &mut words, open, &mut sorted)?,
            }
        }
        Some(sorted)
    }

    fn long<'w>(
        &self,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        open: bool,
        sorted: &mut ParsedOptions<'w>,
    ) -> Option<()> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let valued = has(self.valued, name);
        let value = match value {
            Some(value) => (valued || has(self.attached, name)).then_some(Some(value))?,
            None if has(self.flags, name) || has(self.attached, name) => None,
            None if valued => Some(next(words, open)?),
            None => return None,
        };
        sorted.options.push((name.to_string(), value));
        Some(())
    }

    /// Parses `-rnA3`: letters, of which the last may take the rest of the word or the next word.
    fn cluster<'w>(
        &self,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        open: bool,
        sorted: &mut ParsedOptions<'w>,
    ) -> Option<()> {
        if has(self.flags, "-#") && text[1..].chars().all(|c| c.is_ascii_digit()) {
            return Some(());
        }
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let rest = &text[at + letter.len_utf8()..];
            if has(self.flags, &name) {
                sorted.options.push((name, None));
                continue;
            }
            let value = match rest {
                _ if has(self.attached, &name) => Some(rest).filter(|rest| !rest.is_empty()),
                "" if has(self.valued, &name) => Some(next(words, open)?),
                _ if has(self.valued, &name) => Some(rest),
                _ => return None,
            };
            sorted.options.push((name, value));
            return Some(());
        }
        Some(())
    }
}

/// Returns a value in a separate word. One that looks like an option is refused: a version of the program in
/// which the option has no value would interpret it.
fn next<'w>(words: &mut std::slice::Iter<'w, Word>, open: bool) -> Option<&'w str> {
    let word = words.next()?;
    let number = word.text.chars().skip(1).all(|c| c.is_ascii_digit());
    let plain = !word.text.starts_with('-') || (word.is_exact && number);
    (plain && (open || !word.is_dynamic)).then_some(&*word.text)
}

/// Whether an option is in a list.
pub(in crate::tools::command) fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options =
        Options { flags: "-a -b -# --all", valued: "-n --lines", attached: "-u --color" };

    fn sorted(line: &str, open: bool) -> Option<String> {
        let words: Vec<Word> = line
            .split_whitespace()
            .map(|text| if text.starts_with('$') { Word::dynamic(text) } else { Word::plain(text) })
            .collect();
        let ParsedOptions { options, operands } = OPTIONS.parse(&words, open)?;
        let options =
            options.iter().map(|(name, value)| value.map_or(name.clone(), |v| format!("{name}:{v}")));
        Some(options.chain(operands.iter().map(|word| word.text.clone())).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn read_only_options_are_parsed_like_getopt() {
        for (line, expected) in [
            ("x -a y", Some("-a x y")),
            ("-abn5 -n 6", Some("-a -b -n:5 -n:6")),
            ("-5 -u -uno - x", Some("-u -u:no - x")),
            (
                "--all --color --color=x --lines=3 --lines 4",
                Some("--all --color --color:x --lines:3 --lines:4"),
            ),
            ("-a -- -x --out", Some("-a -x --out")),
            ("-n -1", Some("-n:-1")),
            ("-ax", None),
            ("--al", None),
            ("--all=x", None),
            ("--output", None),
            ("-n --output=x", None),
            ("-n", None),
            ("--lines", None),
            ("$x", None),
        ] {
            assert_eq!(sorted(line, false).as_deref(), expected, "{line}");
        }
        assert_eq!(sorted("-n $x $y -a", true).as_deref(), Some("-n:$x -a $y"));
    }
}
