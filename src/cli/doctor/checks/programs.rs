//! Checks of the programs that bowline runs. Must not know for what it runs them.

use std::ffi::OsString;
use std::path::Path;

use crate::cli::doctor::facts::{Facts, ProgramError};
use crate::cli::doctor::report::{Check, Finding};
use crate::cli::setup;
use crate::exec::commands::{process, terminal};

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "git", run: |facts| vec![git(facts)] },
    Check { name: "command-shell", run: |facts| vec![shell(&process::shell(&vars(facts)))] },
    Check { name: "terminal-shell", run: |facts| vec![shell(&terminal::shell(&vars(facts)))] },
    Check { name: "editor", run: |facts| vec![editor(facts)] },
    Check { name: "keyring", run: keyring },
    Check { name: "sandbox", run: |facts| vec![sandbox(facts)] },
    Check { name: "language-servers", run: language_servers },
];

fn git(facts: &Facts) -> Finding {
    match &facts.git {
        Ok((path, version)) => Finding::ok(format!("{version} ({})", path.display())),
        Err(error @ ProgramError::NotFound) => {
            Finding::warning(error.to_string(), "Install git: differences, hunks and checkpoints need it")
        }
        Err(ProgramError::Query(error)) => {
            Finding::warning(error.to_string(), "Check that `git --version` works here")
        }
    }
}

fn vars(facts: &Facts) -> Vec<(OsString, OsString)> {
    facts.process.vars.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn shell(path: &Path) -> Finding {
    let shown = path.display().to_string();
    if path.is_file() {
        return Finding::ok(shown);
    }
    Finding::error(format!("{shown}: there is no such program"), "Install bash, or a POSIX shell as /bin/sh")
}

fn editor(facts: &Facts) -> Finding {
    match setup::external_editor(&facts.process) {
        Some(command) => Finding::ok(command),
        None => Finding::note("none", "Set EDITOR to write long messages in an editor of your own"),
    }
}

/// What could confine commands. Nothing of it is used.
fn sandbox(facts: &Facts) -> Finding {
    let mut here: Vec<String> = Vec::new();
    match &facts.bubblewrap {
        Ok((path, Ok(()))) => here.push(format!("bubblewrap works ({})", path.display())),
        Ok((path, Err(error))) => here.push(format!("bubblewrap does not ({}: {error})", path.display())),
        Err(_) => here.push("no bubblewrap".to_string()),
    }
    if let Some(modules) = &facts.security_modules {
        let has_landlock = modules.trim().split(',').any(|name| name == "landlock");
        here.push(format!("the kernel has {}Landlock", if has_landlock { "" } else { "no " }));
    }
    Finding::note(
        format!("commands run without a sandbox; of what could confine them: {}", here.join(", ")),
        "Keep the approval mode on-request, or run bowline in a container or virtual machine",
    )
}

/// A language, the files in a folder that show that it is used there, and its usual servers, the first one preferred.
struct Language {
    name: &'static str,
    /// Names of files, or with a dot first how they end.
    files: &'static [&'static str],
    servers: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language { name: "rust", files: &["Cargo.toml", ".rs"], servers: &["rust-analyzer"] },
    Language { name: "go", files: &["go.mod", "go.work", ".go"], servers: &["gopls"] },
    Language {
        name: "python",
        files: &["pyproject.toml", "setup.py", "requirements.txt", ".py"],
        servers: &["basedpyright-langserver", "pyright-langserver", "pylsp", "ruff"],
    },
    Language {
        name: "typescript",
        files: &["package.json", "tsconfig.json", ".ts", ".tsx", ".js"],
        servers: &["typescript-language-server", "vtsls"],
    },
    Language {
        name: "c",
        files: &["CMakeLists.txt", "compile_commands.json", "meson.build", ".c", ".h", ".cc", ".cpp", ".hpp"],
        servers: &["clangd", "ccls"],
    },
    Language { name: "java", files: &["pom.xml", "build.gradle", ".java"], servers: &["jdtls"] },
    Language { name: "lua", files: &[".lua"], servers: &["lua-language-server"] },
    Language { name: "zig", files: &["build.zig", ".zig"], servers: &["zls"] },
];

/// Names that are looked at in a folder: a checkout may have a folder of a million files.
const NAMES_MAX: usize = 10_000;

/// The language servers that are installed for the languages in the folder. Not having one is no fault.
fn language_servers(facts: &Facts) -> Vec<Finding> {
    let names = |folder: &Path| -> Vec<String> {
        let listed = std::fs::read_dir(folder).into_iter().flatten().flatten().take(NAMES_MAX);
        listed.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
    };
    let cwd = &facts.process.cwd;
    let names: Vec<String> = [names(cwd), names(&cwd.join("src"))].concat();
    let is_used = |language: &&Language| {
        let fits = |name: &String, file: &str| {
            if file.starts_with('.') { name.len() > file.len() && name.ends_with(file) } else { name == file }
        };
        names.iter().any(|name| language.files.iter().any(|file| fits(name, file)))
    };
    let finding = |language: &Language| {
        let found: Vec<&str> =
            language.servers.iter().copied().filter(|name| facts.find_program(name).is_some()).collect();
        let value = match &found[..] {
            [] => format!("none installed; one is {}", language.servers[0]),
            found => format!("{} installed", found.join(", ")),
        };
        Finding::ok(value).about(language.name)
    };
    LANGUAGES.iter().filter(is_used).map(finding).collect()
}

/// The program that keeps keys, if the settings want them kept.
fn keyring(facts: &Facts) -> Vec<Finding> {
    if !facts.setup.as_ref().is_some_and(|setup| setup.loaded.settings.keyring) {
        return Vec::new();
    }
    let name = crate::runtime::login::keyring::PROGRAM;
    let advice = format!("Install {name}, or set keyring = false in settings.toml");
    vec![match facts.find_program(name) {
        Some(path) => Finding::ok(path.display().to_string()),
        None => Finding::warning(format!("{name} is not found"), advice),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use crate::exec::commands::query::QueryError;

    #[test]
    fn doctor_language_servers_are_those_of_languages_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (work, bin) = (dir.path().join("work"), dir.path().join("bin"));
        std::fs::create_dir_all(work.join("src")).unwrap();
        std::fs::create_dir(&bin).unwrap();
        for file in ["Cargo.toml", "src/tool.py", ".rs"] {
            std::fs::write(work.join(file), "").unwrap();
        }
        let server = bin.join("rust-analyzer");
        std::fs::write(&server, "").unwrap();
        std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut facts = Facts::for_tests();
        assert_eq!(language_servers(&facts), []);
        facts.process.cwd = work;
        facts.process.vars.insert("PATH".to_string(), bin.display().to_string());
        let expected = [
            Finding::ok("rust-analyzer installed").about("rust"),
            Finding::ok("none installed; one is basedpyright-langserver").about("python"),
        ];
        assert_eq!(language_servers(&facts), expected);
    }

    #[test]
    fn doctor_sandbox_says_that_there_is_none_and_what_could_be() {
        let mut facts = Facts::for_tests();
        let value = |facts: &Facts| sandbox(facts).value;
        assert!(value(&facts).starts_with("commands run without a sandbox; "), "{}", value(&facts));
        assert!(value(&facts).ends_with(": no bubblewrap"), "{}", value(&facts));
        facts.security_modules = Some("lockdown,landlock\n".to_string());
        facts.bubblewrap = Ok((PathBuf::from("/bin/bwrap"), Ok(())));
        assert!(
            value(&facts).ends_with("bubblewrap works (/bin/bwrap), the kernel has Landlock"),
            "{}",
            value(&facts)
        );
        facts.security_modules = Some("yama".to_string());
        facts.bubblewrap = Ok((PathBuf::from("/bin/bwrap"), Err(QueryError::TimedOut)));
        assert!(value(&facts).contains("bubblewrap does not (/bin/bwrap: "), "{}", value(&facts));
        assert!(value(&facts).ends_with("no Landlock"), "{}", value(&facts));
    }
}
