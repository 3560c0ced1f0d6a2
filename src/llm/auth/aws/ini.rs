//! AWS profile files. Pure.

use std::collections::BTreeMap;

/// The values of one section.
pub type Section = BTreeMap<String, String>;

/// Both files merged.
#[derive(Clone, Default)]
pub struct Profiles {
    profiles: BTreeMap<String, Section>,
    sessions: BTreeMap<String, Section>,
}

impl Profiles {
    /// Parses the texts of `config` and `credentials`; the latter takes precedence.
    pub fn read(config: &str, credentials: &str) -> Self {
        let mut all = Self::default();
        for (head, section) in sections(config) {
            match head.split_once(char::is_whitespace) {
                Some(("profile", name)) => all.add(name.trim(), section),
                Some(("sso-session", name)) => {
                    all.sessions.entry(name.trim().to_string()).or_default().extend(section);
                }
                None if head == "default" => all.add("default", section),
                _ => {}
            }
        }
        for (head, section) in sections(credentials) {
            all.add(&head, section);
        }
        all
    }

    fn add(&mut self, name: &str, section: Section) {
        self.profiles.entry(name.to_string()).or_default().extend(section);
    }

    /// Returns a profile by name.
    pub fn profile(&self, name: &str) -> Option<&Section> {
        self.profiles.get(name)
    }

    /// Returns an SSO session that several profiles share.
    pub fn session(&self, name: &str) -> Option<&Section> {
        self.sessions.get(name)
    }
}

fn sections(text: &str) -> Vec<(String, Section)> {
    let mut out: Vec<(String, Section)> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        // Indented lines continue a multi-line value, none of which is needed here.
        if line.trim().is_empty() || line.starts_with(['#', ';', ' ', '\t']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let head = rest.split(']').next().unwrap_or_default().trim();
            out.push((head.replace(['"', '\''], ""), Section::new()));
        } else if let (Some((_, section)), Some((key, value))) = (out.last_mut(), line.split_once('=')) {
            let value = [" #", " ;", "\t#", "\t;"]
                .iter()
                .fold(value, |value, mark| value.split_once(mark).map_or(value, |(before, _)| before));
            section.insert(key.trim().to_ascii_lowercase(), value.trim().to_string());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn aws_profiles_merge_config_and_credentials() {
        let config = "\u{feff}[default]\nregion = eu-west-1 # near\n\n[profile dev]\nrole_arn=arn:x\n\
            s3 =\n  region = no\n[sso-session corp]\nsso_region=us-east-2\n[services x]\na=b\n";
        let credentials = "; mine\n[default]\nAWS_Access_Key_Id = A#1\n[dev]\nrole_arn = arn:y\n";
        let all = Profiles::read(config, credentials);
        let of = |name: &str, key: &str| all.profile(name).and_then(|p| p.get(key)).map(String::as_str);
        assert_eq!(of("default", "region"), Some("eu-west-1"));
        assert_eq!(of("default", "aws_access_key_id"), Some("A#1"));
        assert_eq!((of("dev", "role_arn"), of("dev", "region")), (Some("arn:y"), None));
        assert_eq!(all.session("corp").unwrap()["sso_region"], "us-east-2");
        assert!(all.profile("x").is_none());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn aws_profiles_any_text_is_safe(config in ".{0,80}", credentials in "[\\[\\]=#; a\n]{0,80}") {
            let all = Profiles::read(&config, &credentials);
            prop_assert!(all.profiles.len() <= config.len() + credentials.len());
        }
    }
}
