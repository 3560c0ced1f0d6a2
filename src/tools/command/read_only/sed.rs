//! Effects of sed scripts.
//!
//! Must not know policies. A script that is not understood may do anything.

use crate::tools::command::syntax::script::Word;

/// Whether the script only prints: addresses with `p`, `d`, `q` or `=`, and one substitution.
pub(super) fn is_read_only(words: &[Word]) -> bool {
    let mut scripts = 0;
    let mut expects_script = false;
    for Word { text, is_dynamic: wild, is_exact: exact } in words {
        match text.as_str() {
            // A pattern may be a file, but a file's name may not be a script.
            _ if *wild || (!*exact && (expects_script || scripts == 0)) => return false,
            script if expects_script => {
                expects_script = false;
                scripts += 1;
                if !script_prints(script) {
                    return false;
                }
            }
            "-n" | "-E" | "-r" | "-s" | "-u" | "-nE" | "-En" | "-nr" | "-rn" | "--help" | "--version" => {}
            "-e" | "-ne" | "-nEe" => expects_script = true,
            option if option.starts_with('-') => return false,
            script if scripts == 0 => {
                scripts += 1;
                if !script_prints(script) {
                    return false;
                }
            }
            _ => {}
        }
    }
    scripts > 0 && !expects_script
}

fn script_prints(script: &str) -> bool {
    let lines = |c: char| c.is_ascii_digit() || ",$;pdq=! ".contains(c);
    script.chars().all(lines) || substitutes(script)
}

/// Whether it is `s/a/b/flags` without the flags `w`, which writes, and `e`, which runs.
fn substitutes(script: &str) -> bool {
    let mut chars = script.chars();
    let (Some('s'), Some(delimiter)) = (chars.next(), chars.next()) else { return false };
    if delimiter.is_alphanumeric() || delimiter == '\\' || script.contains('\n') {
        return false;
    }
    let mut parts = vec![String::new()];
    while let Some(c) = chars.next() {
        match c {
            '\\' => parts.last_mut().into_iter().for_each(|part| part.extend(chars.next())),
            c if c == delimiter => parts.push(String::new()),
            c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts.len() == 3 && parts[2].chars().all(|flag| flag.is_ascii_digit() || "gpiI".contains(flag))
}

/// Whether a call may run a program: with the command `e`, the flag `e`, or a script in a file.
pub(in crate::tools::command) fn may_run(words: &[Word]) -> bool {
    let is_quiet = |word: &Word| word.is_exact && (!word.text.contains('e') || substitutes(&word.text));
    let (mut scripts, mut expects_script) = (0, false);
    for word in words {
        let is_option = word.text.starts_with('-') && !expects_script;
        match () {
            () if word.is_dynamic => return true,
            () if is_option => match option(&word.text[1..]).filter(|_| word.is_exact) {
                Some(script) => expects_script = script,
                None => return true,
            },
            () if expects_script || scripts == 0 => {
                if !is_quiet(word) {
                    return true;
                }
                (scripts, expects_script) = (scripts + 1, false);
            }
            // Files.
            () => {}
        }
    }
    false
}

/// Whether a script follows an option's letters; `None` if they are unknown.
fn option(letters: &str) -> Option<bool> {
    let known = |letters: &str| letters.chars().all(|c| "nErsuz".contains(c));
    match letters.split_once('i') {
        // The rest is a suffix.
        Some((before, _)) if known(before) => Some(false),
        _ => match letters.strip_suffix('e') {
            Some(before) => known(before).then_some(true),
            None => (known(letters) && !letters.is_empty()).then_some(false),
        },
    }
}
