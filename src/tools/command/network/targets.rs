//! Finds the network targets of a command.
//!
//! Must not know rules. Words that [`super::programs`] does not cover make the targets unclear: they may name
//! another host, or a file with hosts.

use super::host::{self, Host, ParsedHost};
use super::programs::{self, Call, HostOperands, NetworkOnly, Program, Value};
use crate::tools::command::read_only::judge;
use crate::tools::command::syntax::script::{Script, SimpleCommand, Word};

/// The hosts that a command connects to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkTargets {
    /// All hosts in its words.
    pub hosts: Vec<Host>,
    /// Whether there may be others.
    pub is_unresolved: bool,
    /// Whether it does nothing else: the response is printed, or written to a new file in the current folder,
    /// and no data of this machine is sent except its words, or data piped to a remote command, which is
    /// checked separately.
    pub network_only: bool,
}

impl NetworkTargets {
    fn take(&mut self, found: ParsedHost) {
        match found {
            ParsedHost::Named(host) if self.hosts.contains(&host) => {}
            ParsedHost::Named(host) => self.hosts.push(host),
            ParsedHost::NoHost => {}
            ParsedHost::Ambiguous => self.is_unresolved = true,
        }
    }
}

/// Returns the network targets of one command of a script. A read-only command has none.
pub fn network_targets(part: &SimpleCommand) -> NetworkTargets {
    let mut targets = NetworkTargets::default();
    let Some((first, rest)) = part.words.split_first() else { return targets };
    if judge::part_is_read_only(part) {
        return targets;
    }
    if !first.is_exact {
        return NetworkTargets { is_unresolved: true, ..targets };
    }
    let name = first.text.rsplit('/').next().unwrap_or_default();
    let Some(Call { program, words, is_elsewhere: elsewhere }) = programs::find(name, rest) else {
        for word in &part.words {
            add_mentioned(word, &mut targets);
        }
        return targets;
    };
    // Environment variables can redirect it.
    let sent = |name: &String| name.to_ascii_lowercase().ends_with("_proxy") || name.starts_with("GIT_");
    targets.is_unresolved = part.sets.iter().any(sent);
    let read = ParsedWords::new(program, words, &mut targets);
    let plain = !elsewhere && !read.is_unsafe && name == first.text && part.sets.is_empty();
    targets.network_only = plain && !targets.is_unresolved && is_network_only(program, &read);
    if targets.is_unresolved {
        for word in words {
            add_mentioned(word, &mut targets);
        }
    }
    targets
}

/// Returns the targets of a script's redirections: a shell opens `/dev/tcp/HOST/PORT` as a connection.
pub fn network_targets_of_writes(script: &Script) -> NetworkTargets {
    let mut targets = NetworkTargets::default();
    for word in &script.writes {
        for place in ["/dev/tcp/", "/dev/udp/"] {
            let Some((_, rest)) = word.text.split_once(place) else { continue };
            let (name, port) = rest.split_once('/').unwrap_or((rest, ""));
            let known = word.is_exact && !rest.is_empty();
            let text = if port.is_empty() { name.to_string() } else { format!("{name}:{port}") };
            targets.take(if known { host::of_bare(&text, true) } else { ParsedHost::Ambiguous });
        }
    }
    targets
}

fn is_network_only(program: &Program, read: &ParsedWords<'_>) -> bool {
    match program.network_only {
        NetworkOnly::No => false,
        NetworkOnly::Yes => true,
        NetworkOnly::WithCommand => read.command,
        // Names and folders below the current one.
        NetworkOnly::Below => read.operands.iter().skip(1).all(|word| {
            word.is_exact
                && !word.text.starts_with(['/', '~', '+'])
                && !word.text.contains(':')
                && word.text.split('/').all(|name| name != "..")
        }),
    }
}

/// The words of a known program, classified.
struct ParsedWords<'w> {
    operands: Vec<&'w Word>,
    /// Whether an option does more than talk.
    is_unsafe: bool,
    /// Whether a command for the host follows.
    command: bool,
}

impl<'w> ParsedWords<'w> {
    fn new(program: &Program, words: &'w [Word], targets: &mut NetworkTargets) -> Self {
        let mut read = Self { operands: Vec::new(), is_unsafe: false, command: false };
        let mut words = words.iter();
        let mut options = true;
        while let Some(word) = words.next() {
            if options && (word.text.starts_with('-') && word.text.len() > 1) {
                if word.is_exact && word.text == "--" {
                    options = false;
                } else {
                    read.option(program, word, &mut words, targets);
                }
                continue;
            }
            if program.host_operands == HostOperands::Login && !read.operands.is_empty() {
                // The rest is for a remote shell.
                read.command = true;
                break;
            }
            read.operands.push(word);
        }
        read.name(program, targets);
        read
    }

    fn option(
        &mut self,
        program: &Program,
        word: &'w Word,
        words: &mut std::slice::Iter<'w, Word>,
        targets: &mut NetworkTargets,
    ) {
        let text = word.text.as_str();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if text.starts_with("--") => (name, Some(value)),
            _ => (text, None),
        };
        if word.is_dynamic || !word.is_exact && value.is_none() {
            return targets.is_unresolved = true;
        }
        if value.is_none() && self.flag(program, name) {
            return;
        }
        if text.starts_with("--") || program.valued_as(name).is_some() {
            let Some(kind) = program.valued_as(name) else {
                // Such as `--force-with-lease=main`.
                let known = value.is_some() && self.flag(program, name);
                return targets.is_unresolved |= !known;
            };
            let next = if value.is_none() { words.next() } else { None };
            let value = value.map_or_else(|| next.map(literal), |value| Some(Some((value, word.is_exact))));
            return self.value(kind, value.flatten(), targets);
        }
        self.cluster(program, text, words, targets);
    }

    /// Parses `-sSo FILE`: letters, of which the last may have a value.
    fn cluster(
        &mut self,
        program: &Program,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        targets: &mut NetworkTargets,
    ) {
        for (at, letter) in text.char_indices().skip(1) {
            let option = format!("-{letter}");
            if self.flag(program, &option) {
                continue;
            }
            let Some(kind) = program.valued_as(&option) else { return targets.is_unresolved = true };
            let rest = &text[at + letter.len_utf8()..];
            let value = if rest.is_empty() { words.next().and_then(literal) } else { Some((rest, true)) };
            return self.value(kind, value, targets);
        }
    }

    fn flag(&mut self, program: &Program, name: &str) -> bool {
        let beyond = programs::is_listed(program.unsafe_flags, name);
        self.is_unsafe |= beyond;
        beyond || programs::is_listed(program.flags, name)
    }

    fn value(&mut self, kind: Value, value: Option<(&str, bool)>, targets: &mut NetworkTargets) {
        // The shell may split it into several words, or none.
        let Some((text, is_complete)) = value else { return targets.is_unresolved = true };
        match kind {
            Value::Plain => {}
            // With `-` the output is printed.
            Value::MoreThanNetwork => self.is_unsafe |= !(is_complete && text == "-"),
            Value::Hosts => {
                text.split(',').for_each(|text| targets.take(host::of_bare(text, is_complete)));
            }
        }
    }

    /// Adds the targets of the operands.
    fn name(&self, program: &Program, targets: &mut NetworkTargets) {
        for (n, word) in self.operands.iter().enumerate() {
            // A word whose beginning is unknown may be an option.
            let Some((text, is_complete)) =
                literal(word).filter(|(text, is_complete)| *is_complete || !text.is_empty())
            else {
                targets.is_unresolved = true;
                continue;
            };
            let found = match (program.host_operands, n) {
                (HostOperands::Each, _) => host::of_bare(text, is_complete),
                (HostOperands::Login | HostOperands::First, 0) => match host::of_bare(text, is_complete) {
                    // As in sftp: `host:path`.
                    ParsedHost::Ambiguous => match host::of_scp_path(text, is_complete) {
                        ParsedHost::NoHost => ParsedHost::Ambiguous,
                        found => found,
                    },
                    found => found,
                },
                (HostOperands::Repository, 0) | (HostOperands::Mentions, _) if uses_remote_helper(text) => {
                    ParsedHost::Ambiguous
                }
                (HostOperands::Copies | HostOperands::Mentions, _) | (HostOperands::Repository, 0) => {
                    host::of_scp_path(text, is_complete)
                }
                _ => {
                    add_mentioned(word, targets);
                    continue;
                }
            };
            targets.take(found);
        }
    }
}

/// Whether git would start a helper for it: `ext::sh -c …`.
fn uses_remote_helper(text: &str) -> bool {
    text.split_once("::").is_some_and(|(helper, _)| helper.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// Returns the known text of a word: all of it, or its beginning. `None` if the shell decides how many words
/// it is, or how it begins.
fn literal(word: &Word) -> Option<(&str, bool)> {
    if word.is_exact {
        return Some((&word.text, true));
    }
    let quoted = word.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if let Some(text) = quoted.filter(|text| !text.contains(['"', '\\'])) {
        return text.find(['$', '`']).map(|end| (&text[..end], false));
    }
    let unsafe_signs = ['"', '\'', '\\', '$', '`', '{', '~', '(', '<'];
    if word.is_dynamic || word.text.contains(unsafe_signs) {
        return None;
    }
    word.text.find(['*', '?', '[']).map(|end| (&word.text[..end], false))
}

/// Adds every `scheme://host` in a word of an unknown program.
fn add_mentioned(word: &Word, targets: &mut NetworkTargets) {
    let text = word.text.as_str();
    for (at, _) in text.match_indices("://") {
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
        let scheme = text[..at]
            .rfind(|c| !is_scheme(c))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let after_scheme = &text[at + 3..];
        let in_host = |c: char| c.is_alphanumeric() || "-._~%@:[]!&+;=,\\".contains(c);
        let end = after_scheme.find(|c| !in_host(c)).unwrap_or(after_scheme.len());
        let unknown = !word.is_exact && after_scheme[end..].starts_with(['$', '`', '*', '?', '{', '"', '\'']);
        if scheme == at || after_scheme[..end].is_empty() && !unknown {
            continue;
        }
        // Removes punctuation of a surrounding text.
        let place = after_scheme[..end].trim_end_matches([',', ';', '.', '=', '&', '!', ':']);
        let found = host::of_url(&format!("{}://{place}", &text[scheme..at]), true);
        targets.take(if unknown { ParsedHost::Ambiguous } else { found });
    }
}
