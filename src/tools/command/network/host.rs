//! Hosts in commands and rules, normalized.
//!
//! Must not know programs nor rules. Ambiguous forms are not parsed.

use std::fmt;

use url::Host as Name;

/// Characters that the two versions of IDNA map differently, or not at all.
const AMBIGUOUS: [char; 4] = ['ß', 'ς', '\u{200c}', '\u{200d}'];

/// Ports of schemes, as registered with IANA.
const PORTS: [(&str, u16); 8] = [
    ("http", 80),
    ("ws", 80),
    ("https", 443),
    ("wss", 443),
    ("ssh", 22),
    ("sftp", 22),
    ("ftp", 21),
    ("git", 9418),
];

/// A host as resolvers see it: lower case, international names in ASCII, addresses as numbers, without a
/// trailing dot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    name: Name<String>,
    /// The explicit port or that of the scheme, if any.
    port: Option<u16>,
    /// Whether the port is written.
    has_explicit_port: bool,
}

/// The result of parsing a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools::command) enum ParsedHost {
    /// A host.
    Named(Host),
    /// No host, as in `file:///x`.
    NoHost,
    /// Ambiguous: programs would parse it differently.
    Ambiguous,
}

impl Host {
    fn new(authority: &str, usual: Option<u16>) -> Option<Self> {
        // The userinfo ends at the last `@`.
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let (name, port) = split(place)?;
        Some(Self { name: name_of(name)?, port: port.or(usual), has_explicit_port: port.is_some() })
    }

    /// Returns the host as a rule names it: with its port if it is explicit.
    pub fn rule(&self) -> String {
        match self.port.filter(|_| self.has_explicit_port) {
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.to_string(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Returns the host of `scheme://…`. `whole`: whether this is the full text; otherwise an unknown text
/// follows.
pub(in crate::tools::command) fn of_url(text: &str, is_complete: bool) -> ParsedHost {
    let Some((scheme, rest)) = text.split_once("://") else { return ParsedHost::Ambiguous };
    let scheme = scheme.to_ascii_lowercase();
    let usual = PORTS.iter().find(|(known, _)| *known == scheme).map(|(_, port)| *port);
    match authority(rest, is_complete) {
        Some("") => ParsedHost::NoHost,
        Some(authority) => Host::new(authority, usual).map_or(ParsedHost::Ambiguous, ParsedHost::Named),
        None => ParsedHost::Ambiguous,
    }
}

/// Returns the host of `host`, `user@host:port` or `host/path`, for programs that need no scheme.
pub(in crate::tools::command) fn of_bare(text: &str, is_complete: bool) -> ParsedHost {
    if text.contains("://") {
        return of_url(text, is_complete);
    }
    match authority(text, is_complete) {
        Some("") | None => ParsedHost::Ambiguous,
        Some(authority) => Host::new(authority, None).map_or(ParsedHost::Ambiguous, ParsedHost::Named),
    }
}

/// The host of `user@host:path`; [`Found::Nowhere`] for a path of this machine.
pub(super) fn of_scp_path(text: &str, is_complete: bool) -> ParsedHost {
    if text.contains("://") {
        return of_url(text, is_complete);
    }
    let bracket = text.split_once(']').filter(|(before, _)| before.contains('[') && !before.contains('/'));
    let host = match bracket {
        Some((before, rest)) if rest.starts_with(':') => &text[..=before.len()],
        Some(_) => return ParsedHost::Ambiguous,
        None => match text.split_once(':') {
            Some((host, _)) if !host.contains('/') => host,
            _ if is_complete || text.contains('/') => return ParsedHost::NoHost,
            _ => return ParsedHost::Ambiguous,
        },
    };
    // git's `ext::…` and similar run what follows; `host::module` is rsync's.
    of_bare(host, true)
}

/// Returns the authority: host with user and port. `None` if programs parse it differently, or if its end is
/// unknown.
fn authority(text: &str, is_complete: bool) -> Option<&str> {
    let end = text.find(['/', '?', '#']);
    let (place, rest) = text.split_at(end.unwrap_or(text.len()));
    if place.contains(|c: char| c == '\\' || c.is_whitespace() || c.is_control()) {
        return None;
    }
    match rest.chars().next() {
        None if !is_complete => None,
        None | Some('/') => Some(place),
        // After these characters some programs still look for a host.
        Some(_) if !is_complete || rest.contains(['@', '\\']) => None,
        Some(_) => Some(place),
    }
}

/// Name and port.
fn split(place: &str) -> Option<(&str, Option<u16>)> {
    if address(place).is_some() {
        return Some((place, None));
    }
    let (name, port) = match place.split_once(']') {
        Some((name, rest)) if name.starts_with('[') => {
            let port = if rest.is_empty() { "" } else { rest.strip_prefix(':')? };
            (&place[..=name.len()], port)
        }
        Some(_) => return None,
        None => place.rsplit_once(':').unwrap_or((place, "")),
    };
    let port = if port.is_empty() { None } else { Some(port.parse().ok()?) };
    Some((name, port))
}

/// An address of version 6, without brackets.
fn address(text: &str) -> Option<Name<String>> {
    let colons = text.contains(':') && !text.contains(['[', ']']);
    Name::parse(&format!("[{text}]")).ok().filter(|_| colons)
}

/// Normalizes a name or an address.
fn name_of(text: &str) -> Option<Name<String>> {
    if text.contains(AMBIGUOUS) {
        return None;
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let name = match address(bare) {
        Some(address) => address,
        None => Name::parse(text.strip_suffix(['.', '。', '．', '｡']).unwrap_or(text)).ok()?,
    };
    match name {
        Name::Ipv6(address) => Some(address.to_ipv4_mapped().map_or(Name::Ipv6(address), Name::Ipv4)),
        Name::Ipv4(address) => Some(Name::Ipv4(address)),
        Name::Domain(domain) => {
            // Programs that accept several hosts in one text use special characters.
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
            let fine = domain.chars().all(plain) && !domain.starts_with(['.', '-']) && !domain.ends_with('.');
            (fine && !domain.contains("..")).then_some(Name::Domain(domain))
        }
    }
}

/// Which hosts a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    name: Option<Name<String>>,
    /// Whether the subdomains are meant, and not the name itself.
    subdomains_only: bool,
    port: Option<u16>,
}

impl HostPattern {
    /// Parses `example.org`, `*.example.org` for all of its subdomains, or `*` for all hosts; each with an
    /// optional `:port`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no host: a name or an address, with or without a port");
        if text.contains(['/', '@', '%']) {
            return Err(wrong());
        }
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if let Some(rest) = rest.strip_prefix('*').filter(|_| !below) {
            let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':').ok_or_else(wrong)?) };
            let port = port.map(str::parse).transpose().map_err(|_| wrong())?;
            return Ok(Self { name: None, subdomains_only: false, port });
        }
        let (name, port) = split(rest).ok_or_else(wrong)?;
        let name = name_of(name).ok_or_else(wrong)?;
        if below && !matches!(name, Name::Domain(_)) {
            return Err(wrong());
        }
        Ok(Self { name: Some(name), subdomains_only: below, port })
    }

    /// Whether the pattern matches a host; `None` if that depends on an unknown port.
    pub fn matches(&self, host: &Host) -> Option<bool> {
        let named = match (&self.name, &host.name) {
            (None, _) => true,
            (Some(Name::Domain(above)), Name::Domain(name)) if self.subdomains_only => {
                name.strip_suffix(above.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }
            (Some(_), _) if self.subdomains_only => false,
            (Some(name), other) => name == other,
        };
        match (named, self.port, host.port) {
            (false, ..) => Some(false),
            (true, None, _) => Some(true),
            (true, Some(rule_port), Some(port)) => Some(rule_port == port),
            (true, Some(_), None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn network_host_is_normalized_from_url() {
        for (text, expected) in [
            ("https://good.org", "good.org:443"),
            ("HTTPS://GOOD.org./x?y#z", "good.org:443"),
            ("https://good.org@evil.org/", "evil.org:443"),
            ("https://good.org:80@evil.org:8443/", "evil.org:8443"),
            ("https://a@b@evil.org", "evil.org:443"),
            ("https://evil.org/@good.org", "evil.org:443"),
            ("https://good.org#@evil.org/", "?"),
            ("https://good.org?@evil.org/", "?"),
            ("https://good.org\\@evil.org/", "?"),
            ("https://good.org%2eevil.org/", "good.org.evil.org:443"),
            ("https://%65vil.org/", "evil.org:443"),
            ("https://ｅｖｉｌ．org/", "evil.org:443"),
            ("https://bücher.example/", "xn--bcher-kva.example:443"),
            ("https://XN--BCHER-KVA.example/", "xn--bcher-kva.example:443"),
            ("https://straße.example/", "?"),
            ("https://{a,b}.org/", "?"),
            ("https://a[1-3].org/", "?"),
            ("https://good..org/", "?"),
            ("https://good.org../", "?"),
            ("https://[::1]:3000/x", "[::1]:3000"),
            ("https://[0:0:0:0:0:0:0:1]/", "[::1]:443"),
            ("https://[::ffff:127.0.0.1]/", "127.0.0.1:443"),
            ("https://[fe80::1%25eth0]/", "?"),
            ("http://0x7f.1/", "127.0.0.1:80"),
            ("http://2130706433/", "127.0.0.1:80"),
            ("http://0177.0.0.1/", "127.0.0.1:80"),
            ("file:///etc/passwd", "-"),
            ("redis://cache.good.org:6379/0", "cache.good.org:6379"),
            ("git+ssh://git@good.org/x", "good.org"),
            ("https://good.org:x/", "?"),
            ("https://good.org:99999/", "?"),
            ("https:// good.org/", "?"),
            ("good.org", "?"),
        ] {
            let found = match of_url(text, true) {
                ParsedHost::Named(host) => host.to_string(),
                ParsedHost::NoHost => "-".to_string(),
                ParsedHost::Ambiguous => "?".to_string(),
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn network_host_rules_match_hosts() {
        let host = |text: &str| match of_bare(text, true) {
            ParsedHost::Named(host) => host,
            other => panic!("{text}: {other:?}"),
        };
        for (rule, text, expected) in [
            ("good.org", "https://GOOD.org./", Some(true)),
            ("Good.Org.", "good.org", Some(true)),
            ("good.org", "www.good.org", Some(false)),
            ("*.good.org", "www.good.org", Some(true)),
            ("*.good.org", "a.b.good.org", Some(true)),
            ("*.good.org", "good.org", Some(false)),
            ("*.good.org", "notgood.org", Some(false)),
            ("*.good.org", "good.org.evil.org", Some(false)),
            ("*", "anything", Some(true)),
            ("*:22", "ssh://x", Some(true)),
            ("good.org:443", "https://good.org/", Some(true)),
            ("good.org:443", "https://good.org:8443/", Some(false)),
            ("good.org:443", "good.org", None),
            ("good.org", "good.org:8443", Some(true)),
            ("bücher.example", "xn--bcher-kva.example", Some(true)),
            ("::1", "[::1]:80", Some(true)),
            ("[::1]:80", "http://[::1]/", Some(true)),
            ("127.0.0.1", "http://0x7f000001/", Some(true)),
        ] {
            assert_eq!(HostPattern::parse(rule).unwrap().matches(&host(text)), expected, "{rule} {text}");
        }
        for wrong in
            ["", "*.", "https://good.org", "good.org/x", "a@b", "*good.org", "*.*.org", "*.127.0.0.1", "a:b"]
        {
            assert!(HostPattern::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(host("https://good.org/").rule(), "good.org");
        assert_eq!(host("http://[::1]:3000/").rule(), "[::1]:3000");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// What stands before the host or behind it does not change it, and a rule finds it again.
        #[test]
        fn network_host_userinfo_and_path_do_not_hide_host(
            user in "[a-z.:@]{0,12}", name in "[a-z]{1,8}(\\.[a-z]{1,8}){1,3}", path in "[ -~]{0,12}",
        ) {
            let user = if user.is_empty() { user } else { format!("{user}@") };
            let ParsedHost::Named(host) = of_url(&format!("https://{user}{name}/{path}"), true) else {
                return Err(TestCaseError::fail("no host"));
            };
            prop_assert_eq!(host.to_string(), format!("{name}:443"));
            prop_assert_eq!(HostPattern::parse(&name).unwrap().matches(&host), Some(true));
        }

        #[test]
        fn network_host_any_text_is_safe(text in any::<String>(), whole in any::<bool>()) {
            for found in [of_url(&text, whole), of_bare(&text, whole), of_scp_path(&text, whole)] {
                if let ParsedHost::Named(host) = found {
                    prop_assert_eq!(HostPattern::parse(&host.rule()).unwrap().matches(&host), Some(true));
                }
            }
            drop(HostPattern::parse(&text));
        }
    }
}
