//! Themes and key maps by name: the user's, the built-in ones, the project's.
//!
//! Must not know their content. A name can never refer to another folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::load::{self, Problem};

/// A built-in resource: its name and its text.
pub type Builtin = (&'static str, &'static str);

/// A kind of resource and its locations.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Its name for messages: `theme`, `key map`.
    pub kind_name: &'static str,
    /// The project's folder; `None` if projects cannot supply it.
    pub project: Option<PathBuf>,
    /// The user's folder.
    pub user: Option<PathBuf>,
    /// The user's folder of plugins, and the subfolder of a plugin: for names like `plugin:name`.
    pub plugins: Option<(PathBuf, &'static str)>,
    /// The built-in ones.
    pub builtin: &'static [Builtin],
}

/// A resource that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// Its text (TOML).
    pub text: String,
    /// Its file; `None` for a built-in one.
    pub file: Option<PathBuf>,
}

impl Resources {
    /// Finds `name`; the user's takes precedence over the built-in one, and that over the project's: a project must not
    /// change what an approval looks like under a name that the user knows.
    pub fn find(&self, name: &str) -> Result<Resource, Problem> {
        let theirs = name.split_once(':').filter(|(plugin, name)| is_name(plugin) && is_name(name));
        let theirs = self.plugins.as_ref().zip(theirs);
        let theirs = theirs.map(|((root, folder), (plugin, name))| {
            root.join(plugin).join(folder).join(format!("{name}.toml"))
        });
        if is_name(name) {
            let is_builtin = self.builtin.iter().any(|(known, _)| *known == name);
            let project = self.project.iter().filter(|_| !is_builtin);
            let folders = self.user.iter().chain(project);
            let files = folders.map(|folder| folder.join(format!("{name}.toml")));
            for file in files.chain(theirs) {
                match load::read_text(&file) {
                    Ok(Some(text)) => return Ok(Resource { name: name.to_string(), text, file: Some(file) }),
                    Ok(None) => {}
                    Err(error) => {
                        let message = format!("cannot read this {}: {error}", self.kind_name);
                        return Err(Problem { file, line: None, message });
                    }
                }
            }
            if let Some((name, text)) = self.builtin.iter().find(|(known, _)| *known == name) {
                return Ok(Resource { name: (*name).to_string(), text: (*text).to_string(), file: None });
            }
        }
        let names = self.names().into_iter().collect::<Vec<_>>().join(", ");
        let message = format!("unknown {} {name:?}; known: {names}", self.kind_name);
        Err(Problem { file: PathBuf::from(name), line: None, message })
    }

    /// Returns all names, sorted.
    pub fn names(&self) -> BTreeSet<String> {
        let builtin = self.builtin.iter().map(|(name, _)| (*name).to_string());
        builtin.chain(self.folders().flat_map(load::names_in)).collect()
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.project.iter().chain(&self.user).map(PathBuf::as_path)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn resources_project_adds_names_and_unknown_lists_them() {
        let folder = tempfile::tempdir().unwrap();
        let (project, user) = (folder.path().join("project"), folder.path().join("user"));
        fs::create_dir(&project).unwrap();
        fs::create_dir(&user).unwrap();
        fs::write(user.join("dark.toml"), "user").unwrap();
        fs::write(user.join("mine.toml"), "mine").unwrap();
        fs::write(user.join("notes.txt"), "").unwrap();
        fs::write(user.join("latin.toml"), b"\xff").unwrap();
        let builtin: &'static [Builtin] = &[("dark", "built-in"), ("light", "built-in")];
        let themes = Resources {
            kind_name: "theme",
            project: Some(project.clone()),
            user: Some(user.clone()),
            plugins: Some((user.clone(), "themes")),
            builtin,
        };
        let text = |name: &str| themes.find(name).unwrap().text;
        assert_eq!(
            (text("dark"), text("light"), text("mine")),
            ("user".into(), "built-in".into(), "mine".into())
        );
        for name in ["dark", "light", "theirs"] {
            fs::write(project.join(format!("{name}.toml")), "project").unwrap();
        }
        assert_eq!(themes.find("dark").unwrap().file, Some(user.join("dark.toml")), "known names stay");
        assert_eq!(themes.find("light").unwrap().file, None);
        assert_eq!(themes.find("theirs").unwrap().file, Some(project.join("theirs.toml")));
        fs::create_dir_all(user.join("p/themes")).unwrap();
        fs::write(user.join("p/themes/é.toml"), "plugin").unwrap();
        assert_eq!(themes.find("p:é").unwrap().text, "plugin");
        let message = |name: &str| themes.find(name).unwrap_err().message;
        for name in ["p:x", "q:é", "..:é", "p:../é", ":é", "p:"] {
            assert!(message(name).starts_with("unknown theme"), "{name}");
        }
        assert_eq!(message("solar"), "unknown theme \"solar\"; known: dark, latin, light, mine, theirs");
        assert!(message("../user/mine").starts_with("unknown theme"));
        assert!(message("").starts_with("unknown theme"));
        assert!(message("latin").contains("cannot read this theme"));
    }
}
