//! Table of read-only programs, with the options for which that holds: each row is a decision about one
//! program.
//!
//! Must not know how words are parsed. Anything not in a row is unknown, harmful or not.

use super::options::Options;

/// A program that is read-only with these options.
pub(in crate::tools::command) struct Program {
    pub(in crate::tools::command) name: &'static str,
    pub(in crate::tools::command) words: AllowedWords,
}

/// Allowed words of a program.
#[derive(Debug, Clone, Copy)]
pub(in crate::tools::command) enum AllowedWords {
    /// Any: the program has no options, or the command that it runs is checked separately.
    Any,
    /// These options. All other options of all versions are harmless, too, so words may be expansions.
    Open(Options),
    /// These options, and no word that could expand to another option.
    Closed(Options),
    /// An expression language, which a function checks.
    Own,
}

const fn any(name: &'static str) -> Program {
    Program { name, words: AllowedWords::Any }
}

const fn own(name: &'static str) -> Program {
    Program { name, words: AllowedWords::Own }
}

const fn open(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    attached: &'static str,
) -> Program {
    Program { name, words: AllowedWords::Open(Options { flags, valued, attached }) }
}

const fn closed(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    attached: &'static str,
) -> Program {
    Program { name, words: AllowedWords::Closed(Options { flags, valued, attached }) }
}

const SUM: &str = "-b -c -t -z -w --binary --check --tag --text --zero --ignore-missing --quiet --status \
                   --strict --warn";

const GREP: [&str; 3] = [
    "-# -E -F -G -P -i -y -v -w -x -z -s -b -H -h -n -q -o -a -I -L -l -c -T -U -Z -r -R --extended-regexp \
     --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp \
     --line-regexp --null-data --no-messages --byte-offset --with-filename --no-filename --line-number \
     --line-buffered --quiet --silent --only-matching --text --recursive --dereference-recursive \
     --files-without-match --files-with-matches --count --initial-tab --null --unix-byte-offsets --binary \
     --no-ignore-binary",
    "-e -f -m -A -B -C -D -d --regexp --file --max-count --after-context --before-context --context --label \
     --binary-files --devices --directories --include --exclude --exclude-from --exclude-dir --group-separator",
    "--color --colour --no-group-separator",
];

/// Options that every program of a row has, and that only print.
pub(super) const ALWAYS: [&str; 2] = ["--help", "--version"];

/// Sorted by kind.
pub(in crate::tools::command) const PROGRAMS: &[Program] = &[
    // Files.
    open(
        "ls",
        "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x \
         -X -Z -1 --all --almost-all --author --escape --ignore-backups --directory --dired --classify \
         --no-group --human-readable --si --dereference --dereference-command-line --inode --kibibytes \
         --numeric-uid-gid --literal --file-type --hide-control-chars --show-control-chars --quote-name \
         --reverse --recursive --size --zero --group-directories-first --full-time --context",
        "-I -T -w --ignore --hide --tabsize --width --block-size --format --indicator-style --quoting-style \
         --sort --time --time-style",
        "--color --classify --hyperlink",
    ),
    open(
        "cat",
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank \
         --show-tabs --show-nonprinting",
        "",
        "",
    ),
    open("head", "-# -q -v -z --quiet --silent --verbose --zero-terminated", "-c -n --bytes --lines", ""),
    open(
        "tail",
        "-# -f -F -q -v -z -r --retry --quiet --silent --verbose --zero-terminated",
        "-c -n -s --bytes --lines --max-unchanged-stats --pid --sleep-interval",
        "--follow",
    ),
    open("wc", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words", "--total", ""),
    open(
        "nl",
        "-p --no-renumber",
        "-b -d -f -h -i -l -n -s -v -w --body-numbering --section-delimiter --footer-numbering \
         --header-numbering --line-increment --join-blank-lines --number-format --number-separator \
         --starting-line-number --number-width",
        "",
    ),
    open("tac", "-b -r --before --regex", "-s --separator", ""),
    open("rev", "", "", ""),
    open("fold", "-# -b -s --bytes --spaces --characters -c", "-w --width", ""),
    open(
        "cut",
        "-n -s -z --complement --only-delimited --zero-terminated",
        "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        "",
    ),
    open("tr", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", "", ""),
    open("paste", "-s -z --serial --zero-terminated", "-d --delimiters", ""),
    open(
        "join",
        "-i -z --ignore-case --check-order --nocheck-order --header --zero-terminated",
        "-a -e -j -o -t -v -1 -2",
        "",
    ),
    open(
        "comm",
        "-1 -2 -3 -i -z --check-order --nocheck-order --total --zero-terminated",
        "--output-delimiter",
        "",
    ),
    open("cmp", "-b -l -s -x --print-bytes --verbose --quiet --silent", "-i -n --ignore-initial --bytes", ""),
    // Excluded: `-l`, which runs pr. Its path is fixed, so words may still be expansions.
    open(
        "diff",
        "-# -a -b -B -c -d -e -E -f -h -H -i -n -N -p -P -q -r -s -t -T -u -v -w -y -Z --normal --brief \
         --report-identical-files --ed --rcs --side-by-side --left-column --suppress-common-lines \
         --show-c-function --expand-tabs --initial-tab --suppress-blank-empty --recursive --no-dereference \
         --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --ignore-case \
         --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space \
         --ignore-blank-lines --text --strip-trailing-cr --minimal --speed-large-files",
        "-C -D -F -I -L -S -U -W -x -X --label --show-function-line --width --tabsize --exclude --exclude-from \
         --starting-file --from-file --to-file --ignore-matching-lines --ifdef --line-format \
         --old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format \
         --unchanged-group-format --changed-group-format --horizon-lines --palette",
        "--context --unified --color",
    ),
    open(
        "od",
        "-a -b -c -d -f -h -i -l -o -s -v -x --output-duplicates --traditional",
        "-A -j -N -S -t -w --address-radix --endian --skip-bytes --read-bytes --strings --format",
        "--width",
    ),
    open(
        "strings",
        "-# -a -d -f -h -o -v -V -w --all --data --print-file-name --include-all-whitespace",
        "-e -n -s -t -T -U --bytes --encoding --output-separator --radix --target --unicode",
        "",
    ),
    open("md5sum", SUM, "", ""),
    open("sha1sum", SUM, "", ""),
    open("sha256sum", SUM, "", ""),
    open("grep", GREP[0], GREP[1], GREP[2]),
    open("egrep", GREP[0], GREP[1], GREP[2]),
    open("fgrep", GREP[0], GREP[1], GREP[2]),
    open(
        "jq",
        "-n -r -j -a -s -c -C -M -S -e -R --null-input --raw-input --slurp --compact-output --raw-output \
         --raw-output0 --join-output --ascii-output --sort-keys --color-output --monochrome-output --tab \
         --unbuffered --stream --stream-errors --seq --exit-status --args --jsonargs --arg --argjson \
         --slurpfile --rawfile",
        "-f -L --from-file --indent",
        "",
    ),
    open("basename", "-a -z --multiple --zero", "-s --suffix", ""),
    open("dirname", "-z --zero", "", ""),
    open(
        "realpath",
        "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet \
         --strip --no-symlinks --zero --canonicalize -E",
        "--relative-to --relative-base",
        "",
    ),
    open(
        "readlink",
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline \
         --quiet --silent --verbose --zero",
        "",
        "",
    ),
    open("stat", "-L -f -t -x --dereference --file-system --terse", "-c --format --printf --cached", ""),
    open(
        "du",
        "-0 -a -b -c -D -H -h -k -L -l -m -P -S -s -x --all --apparent-size --bytes --total --dereference \
         --dereference-args --null --human-readable --inodes --count-links --no-dereference --separate-dirs --si \
         --summarize --one-file-system",
        "-B -d -t -X --block-size --max-depth --threshold --exclude --exclude-from --files0-from",
        "--time --time-style",
    ),
    open(
        "df",
        "-a -h -H -i -k -l -P -T --all --human-readable --si --inodes --local --no-sync --portability \
         --print-type --total",
        "-B -t -x --block-size --type --exclude-type",
        "--output",
    ),
    // Excluded: `-C`, which writes, `-z` and `-Z`, which run programs, and `-p`, which sets dates.
    closed(
        "file",
        "-0 -b -E -h -i -k -L -N -n -r -v --brief --mime --mime-type --mime-encoding --extension \
         --keep-going --dereference --no-dereference --no-pad --no-buffer --raw --print0 --apple",
        "-e -F -P --exclude --separator --parameter",
        "",
    ),
    // Excluded: `-o` and `-R`, which write.
    closed(
        "tree",
        "-a -A -C -d -D -f -F -g -h -i -J -l -n -N -p -q -Q -r -s -S -t -u -U -v -x -X --device --dirsfirst \
         --du --fflinks --filesfirst --gitignore --hintro --ignore-case --info --inodes --matchdirs \
         --metafirst --noreport --nolinks --prune --si --version",
        "-I -L -P --charset --filelimit --gitfile --infofile --sort --timefmt",
        "--sort",
    ),
    // Excluded: `-o`, which writes, `--compress-program`, which runs, and `-T`.
    closed(
        "sort",
        "-b -c -C -d -f -g -h -i -m -M -n -r -R -s -u -V -z --ignore-leading-blanks --dictionary-order \
         --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort \
         --numeric-sort --random-sort --reverse --version-sort --debug --merge --stable --unique \
         --zero-terminated",
        "-k -S -t --key --buffer-size --field-separator --parallel --batch-size --random-source",
        "--sort --check",
    ),
    closed(
        "uniq",
        "-# -c -d -D -i -u -z --count --repeated --ignore-case --unique --zero-terminated",
        "-f -s -w --skip-fields --skip-chars --check-chars",
        "--all-repeated --group",
    ),
    // Excluded: `--pre` and `--hostname-bin`, which run programs, as does `-z`.
    closed(
        "rg",
        "-a -b -c -F -h -H -i -I -l -L -n -N -o -p -P -q -s -S -u -U -v -V -w -x -0 -. --text --byte-offset \
         --count --count-matches --fixed-strings --with-filename --ignore-case --no-filename \
         --files-with-matches --files-without-match --files --follow --line-number --no-line-number \
         --only-matching --pretty --pcre2 --quiet --case-sensitive --smart-case --unrestricted --multiline \
         --multiline-dotall --invert-match --word-regexp --line-regexp --null --null-data --hidden --no-hidden \
         --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-ignore-files \
         --no-ignore-exclude --no-ignore-messages --no-messages --glob-case-insensitive --column --no-column \
         --heading --no-heading --trim --no-trim --stats --json --vimgrep --crlf --debug --trace --no-config \
         --no-require-git --one-file-system --passthru --block-buffered --line-buffered --no-mmap --mmap \
         --no-unicode --include-zero --max-columns-preview --type-list --auto-hybrid-regex --sort-files \
         --stop-on-nonmatch --no-context-separator",
        "-A -B -C -d -e -E -f -g -j -m -M -r -t -T --after-context --before-context --context --max-depth \
         --maxdepth --regexp --encoding --file --glob --iglob --threads --max-count --max-columns --replace \
         --type --type-not --type-add --type-clear --color --colors --context-separator --dfa-size-limit \
         --regex-size-limit --engine --field-context-separator --field-match-separator --ignore-file \
         --max-filesize --path-separator --sort --sortr",
        "",
    ),
    // The system.
    any("pwd"),
    any("whoami"),
    open("id", "-a -g -G -n -p -r -u -z -Z --group --groups --name --real --user --zero --context", "", ""),
    open(
        "uname",
        "-a -i -m -n -o -p -r -s -v --all --kernel-name --nodename --kernel-release --kernel-version --machine \
         --processor --hardware-platform --operating-system",
        "",
        "",
    ),
    own("ps"),
    open("uptime", "-p -s -r --pretty --since --raw", "", ""),
    open(
        "free",
        "-b -k -m -g -h -l -L -t -v -w --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi \
         --pebi --human --si --lohi --line --total --wide --committed",
        "-c -s --count --seconds",
        "",
    ),
    open("nproc", "--all", "--ignore", ""),
    open("seq", "-# -w --equal-width", "-f -s --format --separator", ""),
    own("date"),
    open("which", "-a -s --all --skip-dot --skip-tilde --show-dot --show-tilde", "", ""),
    any("sleep"),
    // The shell.
    any("echo"),
    any(":"),
    any("true"),
    any("false"),
    any("type"),
    any("exit"),
    any("return"),
    any("break"),
    any("continue"),
    any("cd"),
    any("[["),
    own("test"),
    own("["),
    own("printf"),
    own("read"),
    // The commands that they run are checked separately, and so are their options.
    any("time"),
    any("nice"),
    any("timeout"),
    any("command"),
    any("builtin"),
    any("xargs"),
    // Languages of their own.
    own("find"),
    own("sed"),
    own("git"),
];

/// The row of a program.
pub(in crate::tools::command) fn find(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_program_table_has_no_duplicates() {
        let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROGRAMS.len());
        for program in PROGRAMS {
            let (AllowedWords::Open(options) | AllowedWords::Closed(options)) = program.words else {
                continue;
            };
            // One that may stand alone or with a value in the same word is in two lists.
            let mut all: Vec<&str> =
                [options.flags, options.valued].iter().flat_map(|list| list.split_whitespace()).collect();
            assert!(all.iter().all(|option| option.starts_with('-')), "{}", program.name);
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{}", program.name);
        }
    }
}
