//! Read-only git commands, by the options of each command.
//!
//! Must not know which programs a repository's settings make git run: that is checked in the repository.

use super::options::{Options, ParsedOptions};
use crate::tools::command::syntax::script::Word;

/// One command of git.
struct Command {
    name: &'static str,
    /// The lists of options that it accepts.
    options: &'static [Options],
}

/// Options of the program itself, before the command.
const GLOBAL: [&str; 3] = ["--no-pager", "-P", "--no-optional-locks"];

const COMMANDS: [Command; 4] = [
    Command { name: "status", options: &[STATUS] },
    Command { name: "log", options: &[REVISIONS, SHOWN, DIFFERENCES] },
    Command { name: "show", options: &[REVISIONS, SHOWN, DIFFERENCES] },
    Command { name: "diff", options: &[DIFFERENCES, DIFF] },
];

const STATUS: Options = Options {
    flags: "-s --short -b --branch --show-stash --long -v --verbose -z --null --no-column --ahead-behind \
            --no-ahead-behind --renames --no-renames",
    valued: "",
    attached: "--porcelain -u --untracked-files --ignore-submodules --ignored --column --find-renames -M",
};

/// Selection of commits. Excluded: `--alternate-refs`, which runs a configured program, and `--stdin`.
const REVISIONS: Options = Options {
    flags: "-# --all --branches --tags --remotes --reflog -g --walk-reflogs --merge --boundary --merges \
            --no-merges --first-parent --not --reverse --date-order --author-date-order --topo-order \
            --full-history --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path \
            --show-pulls --follow --full-diff --left-right --left-only --right-only --cherry --cherry-mark \
            --cherry-pick --all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp -F \
            --fixed-strings -P --perl-regexp --basic-regexp --remove-empty --in-commit-order --no-walk \
            --do-walk --ignore-missing",
    valued: "-n --max-count --skip --since --after --until --before --author --committer --grep \
             --grep-reflog --min-parents --max-parents --since-as-filter -L",
    attached: "--branches --tags --remotes --glob --exclude --no-walk --ancestry-path --exclude-hidden",
};

/// Display of commits. Excluded: `--show-signature`, which runs a program, `--remerge-diff` and
/// `--diff-merges`, which merge again, with drivers and into temporary objects.
const SHOWN: Options = Options {
    flags: "--oneline --abbrev-commit --no-abbrev-commit --relative-date --parents --children --graph \
            --no-graph --source --decorate --no-decorate --clear-decorations --log-size --no-expand-tabs \
            --no-notes --no-mailmap --use-mailmap --mailmap --show-linear-break -q --quiet -c --cc -m \
            --no-diff-merges --dd -t",
    valued: "",
    attached: "--pretty --format --date --encoding --expand-tabs --notes --decorate --decorate-refs \
               --decorate-refs-exclude --show-linear-break",
};

/// Display of diffs. Excluded: `--output`, which writes, `--ext-diff` and `--textconv`, which run programs,
/// `--submodule`, which runs git in other repositories, and `--no-index`, with which git reads any file.
const DIFFERENCES: Options = Options {
    flags: "-p -u --patch -s --no-patch --raw --patch-with-raw --indent-heuristic --no-indent-heuristic \
            --minimal --patience --histogram --stat --numstat --shortstat --dirstat --cumulative --summary \
            --patch-with-stat --compact-summary -z --name-only --name-status --color --no-color --color-moved \
            --no-color-moved --no-color-moved-ws --word-diff --color-words --no-renames --rename-empty \
            --no-rename-empty --check --full-index --binary --abbrev --no-abbrev -M --find-renames -C \
            --find-copies --find-copies-harder -D --irreversible-delete -B --break-rewrites --pickaxe-all \
            --pickaxe-regex -R --relative --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b \
            --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W --function-context --no-ext-diff \
            --no-textconv --ignore-submodules --no-prefix --default-prefix --ita-invisible-in-index \
            --ita-visible-in-index",
    valued: "-U --unified --anchored --diff-algorithm --stat-width --stat-name-width --stat-count \
             --stat-graph-width -l -S -G --find-object --diff-filter --inter-hunk-context --src-prefix \
             --dst-prefix --line-prefix -I --ignore-matching-lines --skip-to --rotate-to",
    attached: "--stat --dirstat -X --color --color-moved --color-moved-ws --word-diff --word-diff-regex \
               --color-words --abbrev -M --find-renames -C --find-copies -B --break-rewrites --relative \
               --ws-error-highlight --ignore-submodules",
};

/// Additional options of `git diff`.
const DIFF: Options = Options {
    flags: "--cached --staged --merge-base -0 -1 -2 -3 --base --ours --theirs --exit-code --quiet -q \
            --no-color-moved -c --cc",
    valued: "",
    attached: "",
};

/// Whether the words are a git command that this module checks.
pub(super) fn is_judged(words: &[Word]) -> bool {
    command(words).is_some()
}

/// Returns the git command and its words.
fn command(words: &[Word]) -> Option<(&'static Command, &[Word])> {
    let at = words.iter().position(|word| !(word.is_exact && GLOBAL.contains(&word.text.as_str())))?;
    let (name, rest) = words[at..].split_first()?;
    let command = COMMANDS.iter().find(|command| name.is_exact && command.name == name.text)?;
    Some((command, rest))
}

/// Returns the number of words after `git` that are its own options, with values; 0 if one is unknown.
pub fn git_options(words: &[Word]) -> usize {
    const FLAGS: [&str; 8] = [
        "--no-pager",
        "-P",
        "-p",
        "--paginate",
        "--no-optional-locks",
        "--bare",
        "--literal-pathspecs",
        "--no-replace-objects",
    ];
    const VALUED: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];
    let is_git = |word: &Word| word.is_exact && word.text.rsplit('/').next() == Some("git");
    let Some((_, rest)) = words.split_first().filter(|(first, _)| is_git(first)) else { return 0 };
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.is_exact && word.text.starts_with('-')) {
        let name = word.text.split('=').next().unwrap_or_default();
        let with_value = VALUED.contains(&word.text.as_str());
        match () {
            () if FLAGS.contains(&word.text.as_str()) || name != word.text && VALUED.contains(&name) => {
                at += 1;
            }
            () if with_value && rest.get(at + 1).is_some_and(|value| value.is_exact) => at += 2,
            () => return 0,
        }
    }
    at
}

/// Whether the words after `git` are read-only.
pub(super) fn is_read_only(words: &[Word]) -> bool {
    let Some((command, words)) = command(words) else { return false };
    command.parse(words).is_some_and(|sorted| !runs_programs(&sorted))
}

/// Whether a read-only call may print file content. Names do not count.
pub(in crate::tools::command) fn shows_contents(words: &[Word]) -> bool {
    const SHOW: &str = "-p -u --patch -c --cc -m --dd -W --function-context -L -U --unified --raw \
                        --patch-with-raw --patch-with-stat --binary --word-diff --color-words --check -v \
                        --verbose --inter-hunk-context";
    let Some((command, words)) = command(words) else { return true };
    match command.name {
        "log" | "status" => command
            .parse(words)
            .is_none_or(|sorted| sorted.options.iter().any(|(name, _)| super::options::has(SHOW, name))),
        _ => true,
    }
}

impl Command {
    fn parse<'w>(&self, words: &'w [Word]) -> Option<ParsedOptions<'w>> {
        let mut sorted = ParsedOptions::default();
        // Word by word: an option may be in any of the lists.
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let end = word.is_exact && word.text == "--";
            let whole = if end { &words[at..] } else { words.get(at..at + 1)? };
            let alone = || self.options.iter().find_map(|list| list.parse(whole, false));
            let with_next = || {
                let both = words.get(at..at + 2)?;
                let value = !both[1].text.starts_with('-') || both[1].text == "-";
                self.options.iter().filter(|_| value).find_map(|list| list.parse(both, false))
            };
            let (one, taken) = match alone() {
                Some(one) => (one, whole.len()),
                None => (with_next()?, 2),
            };
            sorted.options.extend(one.options);
            sorted.operands.extend(one.operands);
            at += taken;
        }
        Some(sorted)
    }
}

/// Whether a format contains `%G?` or similar, which run gpg, even after modifiers.
fn runs_programs(sorted: &ParsedOptions<'_>) -> bool {
    let asks_gpg = |format: &str| {
        let plain = format.replace("%%", "");
        plain.split('%').skip(1).any(|rest| rest.trim_start_matches(['+', '-', ' ']).starts_with('G'))
    };
    let is_format = |name: &str| matches!(name, "--format" | "--pretty");
    sorted.options.iter().any(|(name, value)| is_format(name) && value.is_some_and(asks_gpg))
}
