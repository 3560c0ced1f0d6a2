//! Table of network programs: which words name a host, and which options are known. Each row is a decision
//! about one program.
//!
//! Must not know how words are parsed. An option in no row makes the targets unclear.

use crate::tools::command::syntax::script::Word;

/// Which operands name hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools::command) enum HostOperands {
    /// Each is a URL, or a host with a suffix.
    Each,
    /// The first is a host.
    First,
    /// The first is a host, the rest a command there.
    Login,
    /// Each may be `host:path`.
    Copies,
    /// The first is a repository: a URL, `host:path`, a folder, or a remote's name.
    Repository,
    /// Each may be a repository.
    Mentions,
}

/// Whether an approval of the hosts approves the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools::command) enum NetworkOnly {
    /// No: it writes files anywhere, sends files, or changes the remote.
    No,
    /// Yes, with the options of `flags` and `valued`.
    Yes,
    /// Yes, if the remote command is in the words; it is checked with them.
    WithCommand,
    /// Yes, if the other operands are below the current folder.
    Below,
}

/// Meaning of an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools::command) enum Value {
    /// Irrelevant.
    Plain,
    /// It has effects beyond network access.
    MoreThanNetwork,
    /// A host or several, with commas between.
    Hosts,
}

/// A program, or a git command. Options are separated by blanks.
#[derive(Debug)]
pub(in crate::tools::command) struct Program {
    name: &'static str,
    pub(in crate::tools::command) host_operands: HostOperands,
    pub(in crate::tools::command) network_only: NetworkOnly,
    /// Options without a value.
    pub(in crate::tools::command) flags: &'static str,
    /// Options with a value.
    valued: &'static str,
    /// Options without a value that have other effects.
    pub(super) unsafe_flags: &'static str,
    /// Options with a value that have other effects.
    unsafe_valued: &'static str,
    /// Options whose value is a host.
    hosts: &'static str,
}

impl Program {
    const fn new(name: &'static str, names: HostOperands, network_only: NetworkOnly) -> Self {
        Self {
            name,
            host_operands: names,
            network_only,
            flags: " ",
            valued: " ",
            unsafe_flags: " ",
            unsafe_valued: " ",
            hosts: " ",
        }
    }

    /// Returns the meaning of an option's value; `None` for options without a value, and for unknown ones.
    pub(super) fn valued_as(&self, name: &str) -> Option<Value> {
        let lists = [
            (self.valued, Value::Plain),
            (self.unsafe_valued, Value::MoreThanNetwork),
            (self.hosts, Value::Hosts),
        ];
        lists.into_iter().find(|(list, _)| is_listed(list, name)).map(|(_, kind)| kind)
    }
}

/// Whether a list contains an option.
pub(in crate::tools::command) fn is_listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|known| known == name && !known.is_empty())
}

/// A known program in a command.
pub(in crate::tools::command) struct Call<'w> {
    pub(in crate::tools::command) program: &'static Program,
    /// Its words; for git, those after the git command.
    pub(in crate::tools::command) words: &'w [Word],
    /// Whether git runs in another folder, or with other settings.
    pub(super) is_elsewhere: bool,
}

/// Returns the row of a program, if there is one.
pub(in crate::tools::command) fn find<'w>(name: &str, words: &'w [Word]) -> Option<Call<'w>> {
    if name != "git" {
        let program = PROGRAMS.iter().find(|program| program.name == name)?;
        return Some(Call { program, words, is_elsewhere: false });
    }
    let (mut at, mut elsewhere) = (0, false);
    while let Some(word) = words.get(at).filter(|word| word.is_exact && word.text.starts_with('-')) {
        elsewhere |= !is_listed(" -P --no-pager ", &word.text);
        at += if is_listed(" -C -c --git-dir --work-tree --namespace ", &word.text) { 2 } else { 1 };
    }
    let command = words.get(at).filter(|word| word.is_exact)?;
    let program = GIT.iter().find(|program| program.name == command.text)?;
    Some(Call { program, words: &words[at + 1..], is_elsewhere: elsewhere })
}

const PROGRAMS: &[Program] = &[
    Program {
        flags: " -s -S -f -L -I -i -v -G -4 -6 -# -N -0 --silent --show-error --fail --fail-with-body --location \
                --head --include --verbose --get --ipv4 --ipv6 --compressed --no-progress-meter --progress-bar \
                --no-buffer --http1.0 --http1.1 --http2 --http3 --tlsv1.2 --tlsv1.3 --retry-all-errors ",
        valued: " -m -A -r --max-time --connect-timeout --retry --retry-delay --retry-max-time --max-redirs \
                 --user-agent --range --proto --max-filesize ",
        unsafe_flags: " -k -O -J -R -g -n -q -Z --insecure --remote-name --remote-header-name --remote-time --globoff \
                 --netrc --disable --parallel --create-dirs --location-trusted ",
        unsafe_valued: " -o -X -H -d -F -T -u -b -c -e -w -D -E -C -z --output --output-dir --request --header \
                        --data --data-raw --data-binary --data-urlencode --json --form --form-string \
                        --upload-file --user --cookie --cookie-jar --referer --write-out --dump-header --cert \
                        --key --cacert --oauth2-bearer --continue-at --limit-rate --aws-sigv4 ",
        hosts: " -x --url --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --doh-url ",
        ..Program::new("curl", HostOperands::Each, NetworkOnly::Yes)
    },
    Program {
        flags: " -q -v -nv -nc -S -4 -6 --quiet --verbose --no-verbose --no-clobber --server-response --spider \
                --show-progress --https-only ",
        valued: " -T -t -w -U -Q --timeout --tries --wait --user-agent --quota --connect-timeout \
                 --read-timeout --dns-timeout ",
        unsafe_flags: " -c -r -p -m -k -N -x -np -nH -nd --continue --recursive --page-requisites --mirror \
                 --convert-links --timestamping --no-parent --no-check-certificate --content-disposition ",
        unsafe_valued: " -O -o -a -P -l -A -R --output-document --output-file --append-output \
                        --directory-prefix --header --post-data --post-file --body-data --method --user \
                        --password --level --accept --reject ",
        ..Program::new("wget", HostOperands::Each, NetworkOnly::Yes)
    },
    Program {
        flags: " -4 -6 -a -C -n -q -T -t -v -x ",
        valued: " -i -l -p ",
        unsafe_flags: " -A -f -g -K -k -M -N -s -V -X -Y ",
        unsafe_valued: " -B -b -c -D -E -e -I -L -m -O -Q -R -S -W -w ",
        hosts: " -J ",
        ..Program::new("ssh", HostOperands::Login, NetworkOnly::WithCommand)
    },
    Program {
        flags: " -3 -4 -6 -A -B -C -O -p -q -R -r -T -v ",
        valued: " -c -i -l -P ",
        hosts: " -J ",
        ..Program::new("scp", HostOperands::Copies, NetworkOnly::No)
    },
    Program {
        flags: " -4 -6 -A -a -C -f -p -q -r -v ",
        valued: " -B -b -c -i -l -P -R ",
        hosts: " -J ",
        ..Program::new("sftp", HostOperands::First, NetworkOnly::No)
    },
    Program {
        flags: " -a -A -c -D -g -h -H -i -l -L -n -o -p -P -q -r -R -S -t -u -v -W -x -X -z -0 --archive \
                --checksum --compress --delete --delete-after --delete-before --delete-during \
                --delete-excluded --dry-run --existing --human-readable --ignore-existing --inplace \
                --itemize-changes --links --numeric-ids --partial --perms --progress --quiet --recursive \
                --relative --stats --times --update --verbose ",
        valued: " -f --backup-dir --bwlimit --chmod --chown --compare-dest --exclude --exclude-from --filter \
                 --include --include-from --info --link-dest --log-file --max-size --min-size --out-format \
                 --partial-dir --password-file --port --suffix --timeout ",
        ..Program::new("rsync", HostOperands::Copies, NetworkOnly::No)
    },
    talks("nc"),
    talks("ncat"),
    talks("netcat"),
    pings("ping"),
    pings("ping6"),
    Program {
        flags: " -4 -6 -I -n -T -U ",
        valued: " -f -m -p -q -w ",
        ..Program::new("traceroute", HostOperands::First, NetworkOnly::Yes)
    },
    Program {
        flags: " -4 -6 -a -E -K ",
        valued: " -b -l ",
        ..Program::new("telnet", HostOperands::First, NetworkOnly::No)
    },
    Program { flags: " -d -g -i -n -p -v ", ..Program::new("ftp", HostOperands::First, NetworkOnly::No) },
];

const fn talks(name: &'static str) -> Program {
    Program {
        flags: " -4 -6 -k -l -n -u -v -z ",
        valued: " -i -p -q -s -w ",
        hosts: " -x ",
        ..Program::new(name, HostOperands::First, NetworkOnly::No)
    }
}

const fn pings(name: &'static str) -> Program {
    Program {
        flags: " -4 -6 -a -D -n -q -v ",
        valued: " -c -I -i -s -t -W -w ",
        ..Program::new(name, HostOperands::Each, NetworkOnly::Yes)
    }
}

/// Commands of git that talk to hosts, or note which.
const GIT: &[Program] = &[
    Program {
        flags: " -l -n -q -v --bare --local --mirror --no-checkout --no-local --no-single-branch --no-tags \
                --progress --quiet --shallow-submodules --single-branch --verbose ",
        valued: " -b -j -o --branch --depth --filter --jobs --origin --shallow-exclude --shallow-since ",
        unsafe_flags: " --dissociate --recurse-submodules --recursive --reject-shallow --sparse ",
        ..Program::new("clone", HostOperands::Repository, NetworkOnly::Below)
    },
    Program {
        flags: " -4 -6 -a -n -q -t -v --append --dry-run --no-tags --progress --quiet --tags --verbose ",
        valued: " -j --deepen --depth --jobs --shallow-since ",
        unsafe_flags: " -f -k -p -u --all --force --keep --multiple --prune --prune-tags --recurse-submodules \
                 --unshallow --update-head-ok ",
        unsafe_valued: " -o --refmap --server-option ",
        ..Program::new("fetch", HostOperands::Repository, NetworkOnly::Below)
    },
    Program {
        flags: " -h -q -t --exit-code --get-url --heads --quiet --refs --symref --tags ",
        valued: " -o --server-option --sort ",
        ..Program::new("ls-remote", HostOperands::Repository, NetworkOnly::Below)
    },
    Program {
        flags: " -n -q -r -v --autostash --commit --ff --ff-only --no-commit --no-edit --no-ff --no-rebase \
                --quiet --rebase --squash --tags --verbose ",
        valued: " -s -X --depth ",
        ..Program::new("pull", HostOperands::Repository, NetworkOnly::No)
    },
    Program {
        flags: " -d -f -n -q -u -v --all --atomic --delete --dry-run --follow-tags --force --force-with-lease \
                --mirror --no-verify --porcelain --progress --prune --quiet --set-upstream --tags --verbose ",
        valued: " -o --push-option ",
        hosts: " --repo ",
        ..Program::new("push", HostOperands::Repository, NetworkOnly::No)
    },
    Program {
        flags: " -f -v --add --all --delete --mirror --no-tags --push --tags --verbose ",
        valued: " -m -t ",
        ..Program::new("remote", HostOperands::Mentions, NetworkOnly::No)
    },
    Program {
        flags: " -f -q --all --checkout --force --init --merge --no-fetch --progress --quiet --rebase \
                --recursive --remote ",
        valued: " -b -j --branch --depth --jobs --name --reference ",
        ..Program::new("submodule", HostOperands::Mentions, NetworkOnly::No)
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_program_tables_have_no_duplicates() {
        for rows in [PROGRAMS, GIT] {
            let mut names: Vec<&str> = rows.iter().map(|program| program.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), rows.len());
        }
        for row in PROGRAMS.iter().chain(GIT) {
            let lists = [row.flags, row.valued, row.unsafe_flags, row.unsafe_valued, row.hosts].join(" ");
            let mut options: Vec<&str> = lists.split_whitespace().collect();
            let count = options.len();
            options.sort_unstable();
            options.dedup();
            assert_eq!(options.len(), count, "{}", row.name);
        }
    }
}
