//! What scripts for sed do.
//!
//! Must not know policies. A script that is not understood may do anything.

use super::script::Word;

/// `s/a/b/flags`, where a flag `w` would write and `e` would run.
pub(super) fn substitutes(script: &str) -> bool {
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

/// Whether a call may run something: by the command `e`, by a flag `e`, or by a script that is not here.
pub(super) fn may_run(words: &[Word]) -> bool {
    let is_quiet = |word: &Word| word.exact && (!word.text.contains('e') || substitutes(&word.text));
    let (mut scripts, mut expects_script) = (0, false);
    for word in words {
        let is_option = word.text.starts_with('-') && !expects_script;
        match () {
            () if word.wild => return true,
            () if is_option => match option(&word.text[1..]).filter(|_| word.exact) {
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

/// Whether a script follows the letters of an option; `None` where they are not known.
fn option(letters: &str) -> Option<bool> {
    let known = |letters: &str| letters.chars().all(|c| "nErsuz".contains(c));
    match letters.split_once('i') {
        // What stands behind it is the end of a name.
        Some((before, _)) if known(before) => Some(false),
        _ => match letters.strip_suffix('e') {
            Some(before) => known(before).then_some(true),
            None => (known(letters) && !letters.is_empty()).then_some(false),
        },
    }
}
