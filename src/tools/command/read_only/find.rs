//! Expressions of find that change nothing.
//!
//! Must not know what is run: that is judged by itself.

use super::options::has;
use crate::tools::command::syntax::script::Word;

/// Tests and actions without a value.
const ALONE: &str = "-a -and -o -or -not -true -false -print -print0 -ls -prune -quit -depth -d -daystart -mount \
                     -xdev -follow -empty -executable -readable -writable -nouser -nogroup -noleaf \
                     -ignore_readdir_race -noignore_readdir_race -warn -nowarn -H -L -P -E -X -x \
                     -O0 -O1 -O2 -O3 --help -help --version -version";
/// Those with one.
const VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype \
                      -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerat \
                      -newerct -newermm -neweraa -newercc -perm -user -group -uid -gid -links -inum -samefile \
                      -fstype -maxdepth -mindepth -regextype -used -printf -context -flags -D";
/// Those before a command, which ends with `;` or `+`.
const RUNS: &str = "-exec -execdir -ok -okdir";

/// Whether find changes nothing by itself.
pub(super) fn only_finds(words: &[Word]) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let name = word.text.as_str();
        match () {
            () if word.wild => return false,
            () if !name.starts_with('-') || name == "-" => {}
            () if has(ALONE, name) => {}
            () if has(VALUED, name) => {
                if words.get(at).is_none_or(|value| value.wild) {
                    return false;
                }
                at += 1;
            }
            () if has(RUNS, name) => match end(&words[at..]) {
                Some(length) => at += length,
                None => return false,
            },
            () => return false,
        }
    }
    true
}

/// How many words belong to a command, with the one that ends it. A `+` does so behind `{}` alone.
fn end(words: &[Word]) -> Option<usize> {
    let ends =
        |n: &usize| words[*n].text == ";" || (words[*n].text == "+" && *n > 0 && words[*n - 1].text == "{}");
    (0..words.len()).find(ends).map(|n| n + 1)
}
