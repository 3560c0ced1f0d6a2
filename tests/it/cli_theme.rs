//! `bowline theme` as a process: the list, the colors, and themes of other programs.

use std::path::PathBuf;

use bowline::tui::theme::{Theme, color};

use crate::print::TestHome;

const PI: &str = r##"{ "name": "lake", "vars": { "wave": "#78c8ff" },
  "colors": { "accent": "wave", "text": "", "selectedBg": "#203040", "syntaxKeyword": 208 } }"##;

const HELIX: &str = "comment = 'ash'\nkeyword = 'sun'\n'ui.background' = { bg = '#101820' }\n'ui.text' = '#d0d8e0'\n\
    'ui.cursor' = { bg = 'sun' }\n[palette]\nash = '#303840'\nsun = '#ffcc00'\n";

/// A home with files in it.
struct ThemeHome(TestHome);

impl ThemeHome {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(TestHome::new(Vec::new()));
        for (name, text) in files {
            let path = home.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        home
    }

    /// A path below `config` of the home, or else of the folder that the command runs in.
    fn path(&self, name: &str) -> PathBuf {
        let config =
            name.strip_prefix("config/").map(|name| self.0.dir.path().join("home/config").join(name));
        config.unwrap_or_else(|| self.0.work().join(name))
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let mut command = self.0.command(&[&["theme"], args].concat());
        let output = command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn cli_theme_list_has_origins_backgrounds_and_the_one_in_use() {
    let home = ThemeHome::new(&[
        ("config/settings.toml", "theme = \"mist/lake\"\n"),
        ("config/themes/lake.json", PI),
        ("config/themes/broken.toml", "[scopes]\nui = 'rouge'\n"),
        ("config/themes/code.json", "{\"tokenColors\": []}"),
        ("config/plugins/shore/themes/sand.toml", "inherits = 'bowline-light'\n"),
        (".bowline/themes/ours.json", PI),
        (".bowline/themes/ember.json", "{\"appearance\": \"light\", \"colors\": {}}"),
    ]);
    let (code, out, err) = home.run(&["list"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let line = |name: &str| {
        let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        out.lines().map(words).find(|words| words.iter().any(|word| word == name)).unwrap_or_default()
    };
    assert_eq!(line("lake"), ["✓", "lake", "dark", "yours"], "{out}");
    assert_eq!(line("mist"), ["mist", "light", "built-in"]);
    assert_eq!(line("ours"), ["ours", "dark", "project"]);
    assert_eq!(line("ember"), ["ember", "dark", "built-in"], "a project replaces no built-in theme");
    assert_eq!(line("shore:sand"), ["shore:sand", "light", "plugin"]);
    assert!(
        line("broken").join(" ").contains("error yours theme broken, line 2: `rouge` is not a color"),
        "{out}"
    );
    assert!(line("code").join(" ").contains("bowline theme convert"), "{out}");
    let (_, out, _) = home.run(&["list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let row = list.as_array().unwrap().iter().find(|row| row["name"] == "lake").unwrap();
    assert_eq!((&row["in_use"], &row["dark"], &row["origin"]), (&true.into(), &true.into(), &"yours".into()));
    assert!(row["file"].as_str().unwrap().ends_with("themes/lake.json"));
}

#[test]
fn cli_theme_show_prints_colors_without_escapes_when_piped() {
    let home = ThemeHome::new(&[
        ("config/themes/lake.json", PI),
        ("config/themes/heir.toml", "inherits = 'lake'\n[scopes]\nstring = '#010203'\n"),
    ]);
    let (code, out, err) = home.run(&["show", "lake"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("lake (dark)\n\n") && !out.contains('\x1b'), "{out}");
    let line = |out: &str, scope: &str| {
        let found = out.lines().find(|line| line.starts_with(&format!("{scope} ")));
        found.unwrap_or_default().split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line(&out, "keyword"), "208");
    assert_eq!(line(&out, "ui.text.focus"), "#78c8ff on #16181d bold");
    let (_, out, _) = home.run(&["show", "heir"]);
    assert_eq!((line(&out, "keyword"), line(&out, "string")), ("208".into(), "#010203".into()));
    assert!(home.run(&["show"]).1.starts_with("bowline-dark (dark)\n"));
    let (code, _, err) = home.run(&["show", "nope"]);
    assert!(code == Some(2) && err.contains("unknown theme \"nope\"; known: bowline-dark, "), "{err}");
}

#[test]
fn cli_theme_convert_prints_a_theme_and_says_what_is_lost() {
    let home =
        ThemeHome::new(&[("night.toml", HELIX), ("heir.toml", "inherits = 'night'\nkeyword = '#aaffaa'\n")]);
    let (code, out, err) = home.run(&["convert", "night.toml"]);
    assert_eq!(code, Some(0), "{err}");
    let theme = Theme::parse("night", &out).unwrap();
    assert!(
        theme.dark && out.contains("keyword = \"sun\"\n") && out.contains("sun = \"#ffcc00\"\n"),
        "{out}"
    );
    assert!(
        err.contains("bowline: low contrast: comment 1.") && err.contains("no counterpart for 1: ui.cursor"),
        "{err}"
    );
    assert!(!err.contains("contrast: ui."), "{err}");
    let (_, out, _) = home.run(&["convert", "heir.toml"]);
    let heir = Theme::parse("heir", &out).unwrap();
    let fg = |theme: &Theme, scope: &'static str| color::format(theme.style(scope).fg.unwrap());
    assert_eq!((fg(&heir, "keyword"), fg(&heir, "comment")), ("#aaffaa".into(), "#303840".into()));
    assert_eq!(fg(&theme, "keyword.control.import"), "#ffcc00");
}

#[test]
fn cli_theme_convert_writes_files_and_replaces_none_without_force() {
    let home = ThemeHome::new(&[("night.toml", HELIX), ("out.toml", "mine")]);
    let (code, out, err) = home.run(&["convert", "night.toml", "--output", "out.toml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("out.toml exists") && err.contains("--force replaces it"), "{err}");
    assert_eq!(std::fs::read_to_string(home.path("out.toml")).unwrap(), "mine");
    let (code, out, _) = home.run(&["convert", "night.toml", "--output", "out.toml", "--force"]);
    assert!(code == Some(0) && out.contains("out.toml\n"), "{out}");
    assert!(Theme::parse("out", &std::fs::read_to_string(home.path("out.toml")).unwrap()).is_ok());
    let (code, out, _) = home.run(&["convert", "night.toml", "--name", "night"]);
    assert!(code == Some(0) && out.contains("themes/night.toml; use it: theme = \"night\"\n"), "{out}");
    assert!(home.run(&["list"]).1.lines().any(|line| line.contains("night ") && line.ends_with("yours")));
    assert_eq!(home.run(&["convert", "night.toml", "--name", "night"]).0, Some(1));
    let left = std::fs::read_dir(home.path("config/themes")).unwrap().count();
    assert_eq!(left, 1, "no temporary file stays");
    for name in ["", "../up", "a:b", ".a", "auto", "a\nb"] {
        let (code, out, err) = home.run(&["convert", "night.toml", "--name", name]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{name:?}");
        assert!(err.contains("is no name for a theme"), "{err}");
    }
}

#[test]
fn cli_theme_convert_errors_name_file_and_line() {
    let home = ThemeHome::new(&[
        ("heir.toml", "\ninherits = 'gone'\n"),
        ("list.json", "{\n\"tokenColors\": 1}"),
        ("self.json", "{\"include\": \"self.json\"}"),
        ("other.json", "{\"a\": 1}"),
        ("ours.toml", "[scopes]\nui = 'red'\n"),
    ]);
    std::fs::write(home.path("latin.toml"), b"# \xff").unwrap();
    for (file, said) in [
        ("heir.toml", "heir.toml:2: cannot read gone.toml: "),
        ("list.json", "list.json:2: `tokenColors` must be a list"),
        ("self.json", "self.json:1: themes include each other in a circle"),
        ("other.json", "other.json:1: neither a color theme of VS Code"),
        ("ours.toml", "ours.toml:1: a theme of bowline already"),
        ("latin.toml", "cannot read latin.toml: not text in UTF-8"),
        ("none.toml", "cannot read none.toml: "),
        ("/dev/zero", "cannot read /dev/zero: larger than 10 MB"),
    ] {
        let (code, out, err) = home.run(&["convert", file]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{file}: {err}");
        assert!(err.contains(said), "{file}: {err}");
    }
}
