//! Read-only expressions of find.
//!
//! Must not know the commands that it runs: those are checked separately.

use super::options::has;
use crate::tools::command::syntax::script::Word;

/// Tests and actions without a value.
const FLAGS: &str = "-a -and -o -or -not -true -false -print -print0 -ls -prune -quit -depth -d -daystart -mount \
                     -xdev -follow -empty -executable -readable -writable -nouser -nogroup -noleaf \
                     -ignore_readdir_race -noignore_readdir_race -warn -nowarn -H -L -P -E -X -x \
                     -O0 -O1 -O2 -O3 --help -help --version -version";
/// Tests and actions with a value.
const VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype \
                      -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerat \
                      -newerct -newermm -neweraa -newercc -perm -user -group -uid -gid -links -inum -samefile \
                      -fstype -maxdepth -mindepth -regextype -used -printf -context -flags -D";
/// Actions followed by a command, which ends with `;` or `+`.
const EXEC: &str = "-exec -execdir -ok -okdir";

/// Whether find itself changes nothing.
pub(super) fn is_read_only(words: &[Word]) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let name = word.text.as_str();
        match () {
            () if word.is_dynamic => return false,
            () if !name.starts_with('-') || name == "-" => {}
            () if has(FLAGS, name) => {}
            () if has(VALUED, name) => {
                if words.get(at).is_none_or(|value| value.is_dynamic) {
                    return false;
                }
                at += 1;
            }
            () if has(EXEC, name) => match end(&words[at..]) {
                Some(length) => at += length,
                None => return false,
            },
            () => return false,
        }
    }
    true
}

/// Returns the number of words of a command, including its terminator. A `+` terminates it only after `{}`.
fn end(words: &[Word]) -> Option<usize> {
    let ends =
        |n: &usize| words[*n].text == ";" || (words[*n].text == "+" && *n > 0 && words[*n - 1].text == "{}");
    (0..words.len()).find(ends).map(|n| n + 1)
}
