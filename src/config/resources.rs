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
    /// The extensions of its files; of files with the same name the first extension counts.
    pub extensions: &'static [&'static str],
    /// The built-in ones.
    pub builtin: &'static [Builtin],
}

/// Who supplies a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supplier {
    /// The program.
    Builtin,
    /// The user's folder.
    User,
    /// The project's folder.
    Project,
    /// A plugin of the user.
    Plugin,
}

/// A resource that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its file; `None` for a built-in one.
    pub file: Option<PathBuf>,
    /// Who supplies it.
    pub supplier: Supplier,
}

impl Resources {
    /// Finds `name`; the user's takes precedence over the built-in one, and that over the project's: a project must not
    /// change what an approval looks like under a name that the user knows.
    pub fn find(&self, name: &str) -> Result<Resource, Problem> {
        let in_plugin = name.split_once(':').filter(|(plugin, name)| is_name(plugin) && is_name(name));
        if is_name(name) {
            let is_builtin = self.builtin.iter().any(|(known, _)| *known == name);
            let user = self.user.iter().map(|folder| (folder.join(name), Supplier::User));
            let project = self.project.iter().filter(|_| !is_builtin);
            let project = project.map(|folder| (folder.join(name), Supplier::Project));
            let plugin = self.plugins.as_ref().zip(in_plugin).map(|((root, folder), (plugin, name))| {
                (root.join(plugin).join(folder).join(name), Supplier::Plugin)
            });
            for (stem, supplier) in user.chain(project).chain(plugin) {
                if let Some((file, text)) = self.read(&stem)? {
                    return Ok(Resource { name: name.to_string(), text, file: Some(file), supplier });
                }
            }
            if let Some((name, text)) = self.builtin.iter().find(|(known, _)| *known == name) {
                let (name, text) = ((*name).to_string(), (*text).to_string());
                return Ok(Resource { name, text, file: None, supplier: Supplier::Builtin });
            }
        }
        let names = self.names().into_iter().collect::<Vec<_>>().join(", ");
        let message = format!("unknown {} {name:?}; known: {names}", self.kind_name);
        Err(Problem { file: PathBuf::from(name), line: None, message })
    }

    /// Reads the first file that exists, given its path without the extension.
    fn read(&self, stem: &Path) -> Result<Option<(PathBuf, String)>, Problem> {
        for end in self.extensions {
            // A name may have dots of its own, so that an extension is added and not replaced.
            let mut file = stem.as_os_str().to_os_string();
            file.push(format!(".{end}"));
            let file = PathBuf::from(file);
            match load::read_text(&file) {
                Ok(Some(text)) => return Ok(Some((file, text))),
                Ok(None) => {}
                Err(error) => {
                    let message = format!("cannot read this {}: {error}", self.kind_name);
                    return Err(Problem { file, line: None, message });
                }
            }
        }
        Ok(None)
    }

    /// Returns all names, sorted, without those of plugins.
    pub fn names(&self) -> BTreeSet<String> {
        let builtin = self.builtin.iter().map(|(name, _)| (*name).to_string());
        builtin.chain(self.folders().flat_map(|folder| load::names_in(folder, self.extensions))).collect()
    }

    /// Returns the names of plugins, sorted.
    pub fn plugin_names(&self) -> BTreeSet<String> {
        let Some((root, folder)) = &self.plugins else { return BTreeSet::new() };
        let mut names = BTreeSet::new();
        for path in load::folders_in(root) {
            if let Some(plugin) = path.file_name().and_then(|name| name.to_str()) {
                let own = load::names_in(&path.join(folder), self.extensions);
                names.extend(own.iter().map(|name| format!("{plugin}:{name}")));
            }
        }
        names
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
            extensions: &["toml", "json"],
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
        fs::write(user.join("p/themes/b.json"), "").unwrap();
        assert_eq!(themes.plugin_names().into_iter().collect::<Vec<_>>(), ["p:b", "p:é"]);
        let message = |name: &str| themes.find(name).unwrap_err().message;
        for name in ["p:x", "q:é", "..:é", "p:../é", ":é", "p:"] {
            assert!(message(name).starts_with("unknown theme"), "{name}");
        }
        assert_eq!(message("solar"), "unknown theme \"solar\"; known: dark, latin, light, mine, theirs");
        assert!(message("../user/mine").starts_with("unknown theme"));
        assert!(message("").starts_with("unknown theme"));
        assert!(message("latin").contains("cannot read this theme"));
    }

    #[test]
    fn resources_first_extension_counts_within_a_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let (project, user) = (folder.path().join("project"), folder.path().join("user"));
        for (folder, files) in
            [(&project, &["a.toml", "c.json"][..]), (&user, &["a.json", "b.json", "b.toml"])]
        {
            fs::create_dir(folder).unwrap();
            for name in files {
                fs::write(folder.join(name), name).unwrap();
            }
        }
        let (project, user) = (Some(project), Some(user));
        let extensions = &["toml", "json"];
        let themes = Resources { kind_name: "theme", project, user, plugins: None, extensions, builtin: &[] };
        let found = |name: &str| themes.find(name).map(|found| (found.text, found.supplier)).unwrap();
        assert_eq!(
            found("a"),
            ("a.json".to_string(), Supplier::User),
            "the user's goes before the project's"
        );
        assert_eq!(found("b"), ("b.toml".to_string(), Supplier::User));
        assert_eq!(found("c"), ("c.json".to_string(), Supplier::Project));
        assert_eq!(themes.names().into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        let toml = Resources { extensions: &["toml"], ..themes };
        assert!(toml.find("c").is_err() && toml.plugin_names().is_empty());
    }
}
