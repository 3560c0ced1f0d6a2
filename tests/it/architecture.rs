//! The law of the house: which module may import which, no cycles, no hidden dependencies, and
//! where the outside world may be touched. The exception lists are empty and stay so.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{self, Source};

/// Layer, module, what it may import. `a::b` allows only that part of `a`: plain data.
const LAYERS: &[(u8, &str, &[&str])] = &[
    (0, "base", &[]),
    (1, "exec", &["base"]),
    (1, "net", &["base"]),
    (2, "text", &["base"]),
    (2, "tui", &["base"]),
    (2, "patch", &["base"]),
    (2, "config", &["base"]),
    (2, "llm", &["base", "net"]),
    (2, "lsp", &["base"]),
    (2, "workspace", &["base", "exec"]),
    (3, "syntax", &["base", "text"]),
    (3, "session", &["base", "llm::model"]),
    (3, "tools", &["base", "exec", "net", "workspace", "patch", "lsp", "llm::model"]),
    (4, "agent", &["base", "llm", "session", "tools"]),
    (
        6,
        "runtime",
        &["base", "exec", "net", "patch", "config", "llm", "lsp", "workspace", "session", "tools", "agent"],
    ),
    (
        7,
        "ide",
        &[
            "base",
            "exec",
            "text",
            "syntax",
            "tui",
            "config",
            "workspace",
            "runtime",
            "lsp",
            "patch::diff",
            "llm::model",
            "session::format::message",
            "session::derived::outline",
            "tools::contract::tool",
            "tools::contract::view",
            "tools::permissions::approval",
            "tools::running::watched_job",
            "tools::interaction::language_servers",
            "tools::language_servers::errors_left",
            "tools::interaction::questions",
            "tools::permissions::policy",
            "tools::permissions::rules",
            "tools::contract::registry",
            "agent::event",
        ],
    ),
    (
        7,
        "modes",
        &[
            "base",
            "config",
            "runtime",
            "llm::model",
            "session::format::message",
            "tools::permissions::approval",
            "tools::interaction::questions",
            "tools::contract::view",
            "agent::event",
        ],
    ),
    (
        8,
        "cli",
        &[
            "base",
            "exec",
            "net",
            "text",
            "syntax",
            "tui",
            "patch",
            "config",
            "llm",
            "workspace",
            "session",
            "tools",
            "agent",
            "runtime",
            "ide",
            "modes",
        ],
    ),
];

/// What touches the outside world, and the only modules that may.
const BANNED: &[(&str, &[&str])] = &[
    (
        "std::fs",
        &[
            "base::log",
            "exec",
            "workspace",
            "llm::auth",
            "net::certificates",
            "net::cassette",
            "session::store",
            "config::load",
            "tui::term",
            "modes",
            "cli",
        ],
    ),
    ("std::env", &["tui::term", "modes", "cli"]),
    ("std::process", &["exec", "workspace", "modes", "cli"]),
    ("std::net", &["net"]),
    // tokio keeps its pipes, which a command's output needs, beside its sockets.
    ("tokio::net", &["net", "exec::commands::process"]),
    ("tokio::fs", &["exec", "workspace", "llm::request::attach", "session::store", "modes", "cli"]),
    ("tokio::process", &["exec"]),
    ("reqwest::", &["net", "llm"]),
    ("arboard::", &["exec"]),
    ("rusqlite::", &["session::store"]),
    ("SystemTime", &["base::clock", "exec", "session::store"]),
    ("thread::sleep", &[]),
    ("unbounded_channel", &[]),
    ("mpsc::unbounded", &[]),
    ("println!", &["modes", "cli"]),
    ("print!", &["modes", "cli"]),
    // One kind of lock: `parking_lot`, which a panic does not poison.
    ("PoisonError", &[]),
    (".unwrap()", &[]),
    ("unsafe ", &[]),
];

fn top_modules() -> BTreeSet<&'static str> {
    LAYERS.iter().map(|(_, module, _)| *module).collect()
}

/// `a::b::Name` with the name resolved through `a`'s face, so that plain data can be told.
fn resolve(path: &[String], faces: &BTreeMap<(String, String), String>) -> String {
    let mut path = path.to_vec();
    for n in 1..path.len() {
        // A module may have a name like something in it: then the path goes on through the module.
        let face = faces.get(&(path[..n].join("::"), path[n].clone()));
        if let Some(child) = face.filter(|child| **child != path[..=n].join("::")) {
            let rest = path.split_off(n);
            path = child.split("::").map(String::from).collect();
            path.extend(rest);
            return resolve(&path, faces);
        }
    }
    path.join("::")
}

#[test]
fn architecture_imports_follow_layers() {
    let sources = source::sources();
    let faces = source::reexports(&sources);
    let mut broken = Vec::new();
    for file in sources.iter().filter(|s| !s.module.is_empty() && !s.is_test) {
        let Some((_, _, allowed)) = LAYERS.iter().find(|(_, module, _)| *module == file.top()) else {
            broken.push(format!("{}: module `{}` is not in the table of layers", file.path, file.top()));
            continue;
        };
        for (line, segments) in source::paths(file) {
            let path = resolve(&source::absolute(file, &segments), &faces);
            let target = path.split("::").next().unwrap_or_default();
            if !top_modules().contains(target) || target == file.top() {
                continue;
            }
            let may = allowed.iter().any(|a| path == *a || path.starts_with(&format!("{a}::")));
            if !may {
                broken.push(format!(
                    "{}:{line}: `{}` may not import `{path}`; it may import {allowed:?}",
                    file.path,
                    file.top()
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn architecture_layer_table_points_downwards() {
    for (layer, module, allowed) in LAYERS {
        for target in *allowed {
            let top = target.split("::").next().unwrap();
            let (below, ..) = LAYERS.iter().find(|(_, m, _)| *m == top).unwrap();
            assert!(below < layer, "{module} ({layer}) may not import {target} ({below})");
        }
    }
}

#[test]
fn architecture_code_map_lists_every_module() {
    let lib = std::fs::read_to_string(source::root().join("src/lib.rs")).unwrap();
    for module in top_modules() {
        assert!(lib.contains(&format!("[`{module}`]")), "lib.rs does not show `{module}`");
        assert!(lib.contains(&format!("pub mod {module};")), "lib.rs does not declare `{module}`");
    }
    let declared = lib.matches("pub mod ").count();
    assert_eq!(declared, top_modules().len(), "a module of lib.rs has no row in the table of layers");
}

/// Which files import which.
fn file_graph(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = sources.iter().map(|s| s.module.as_str()).collect();
    let faces = source::reexports(sources);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources.iter().filter(|s| !s.is_test && !s.module.is_empty()) {
        for (_, segments) in source::paths(file) {
            let path = resolve(&source::absolute(file, &segments), &faces);
            let parts: Vec<&str> = path.split("::").collect();
            let target =
                (1..=parts.len()).rev().map(|n| parts[..n].join("::")).find(|p| modules.contains(p.as_str()));
            if let Some(target) = target.filter(|t| *t != file.module) {
                graph.entry(file.module.clone()).or_default().insert(target);
            }
        }
    }
    graph
}

/// The same, with what a module takes from its own children by their bare names. What it only gives on is no import.
fn graph_with_children(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<&str> = sources.iter().map(|s| s.module.as_str()).collect();
    let mut graph = file_graph(sources);
    for file in sources.iter().filter(|s| !s.is_test && !s.module.is_empty()) {
        for name in source::bare_paths(file) {
            let child = format!("{}::{name}", file.module);
            if modules.contains(child.as_str()) {
                graph.entry(file.module.clone()).or_default().insert(child);
            }
        }
    }
    graph
}

/// What can be reached from each module, one step or more.
fn reachable(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let from = |start: &String| {
        let mut found = BTreeSet::new();
        let mut next: Vec<&String> = graph[start].iter().collect();
        while let Some(module) = next.pop() {
            if found.insert(module.clone()) {
                next.extend(graph.get(module).into_iter().flatten());
            }
        }
        (start.clone(), found)
    };
    graph.keys().map(from).collect()
}

#[test]
fn import_cycles_stay_within_module_family() {
    let graph = graph_with_children(&source::sources());
    let reached = reachable(&graph);
    let below = |a: &str, b: &str| b.starts_with(&format!("{a}::"));
    let parent =
        |module: &str| module.rsplit_once("::").map_or(String::new(), |(parent, _)| parent.to_string());
    for (from, to) in &reached {
        let back = to.iter().filter(|to| reached.get(*to).is_some_and(|to| to.contains(from)));
        let in_room =
            |other: &&String| shared_folder(from).is_some() && shared_folder(from) == shared_folder(other);
        for other in back.filter(|other| *other != from && !in_room(other)) {
            let family = below(from, other) || below(other, from) || parent(from) == parent(other);
            assert!(family, "{from} and {other} import each other, perhaps by way of others");
            // Siblings belong to one file above them; a folder of equals has no circles.
            let whole = if below(from, other) { from.clone() } else { parent(from) };
            assert!(to.contains(&whole) || below(other, from), "{from} and {other} import each other");
        }
    }
}

/// The folder in which files may import each other: that of one feature of `ide`, whose callbacks answer to each
/// other, and the kernel of `ide`, where state, commands and what floats are made of each other.
fn shared_folder(module: &str) -> Option<&str> {
    let rest = module.strip_prefix("ide::")?;
    let depth = match rest.split("::").next()? {
        "core" => 2,
        "features" => 3,
        _ => return None,
    };
    let end = module.match_indices("::").nth(depth - 1).map_or(module.len(), |(at, _)| at);
    Some(&module[..end])
}

#[test]
fn import_cycles_stay_within_one_feature() {
    fn visit<'a>(
        node: &'a str,
        graph: &'a BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<String> {
        if let Some(at) = path.iter().position(|n| *n == node) {
            return Some(format!("{} -> {node}", path[at..].join(" -> ")));
        }
        if !done.insert(node) {
            return None;
        }
        path.push(node);
        let apart =
            |next: &&String| shared_folder(node).is_none() || shared_folder(node) != shared_folder(next);
        for next in graph.get(node).into_iter().flatten().filter(apart) {
            if let Some(cycle) = visit(next, graph, path, done) {
                return Some(cycle);
            }
        }
        path.pop();
        None
    }
    let sources = source::sources();
    let graph = file_graph(&sources);
    assert!(graph.len() > 20, "the scanner found {} importing files, which cannot be all", graph.len());
    let mut done = BTreeSet::new();
    for node in graph.keys() {
        if let Some(cycle) = visit(node, &graph, &mut Vec::new(), &mut done) {
            panic!("import cycle: {cycle}");
        }
    }
}

/// The floors of `ide`, the lowest first: each may import those before it.
const FLOORS: [&str; 5] = ["model", "core", "editor", "features", "shell"];

/// The imports between files of `ide`.
fn imports_in_ide() -> Vec<(String, String)> {
    let graph = file_graph(&source::sources());
    let pairs = graph.into_iter().flat_map(|(from, to)| to.into_iter().map(move |to| (from.clone(), to)));
    let floor = |module: &str| module.starts_with("ide::");
    pairs.filter(|(from, to)| floor(from) && floor(to)).collect()
}

#[test]
fn ide_layers_import_downwards() {
    let floor = |module: &str| FLOORS.iter().position(|floor| module.split("::").nth(1) == Some(floor));
    let imports = imports_in_ide();
    assert!(imports.len() > 500, "the scanner found {} imports, which cannot be all", imports.len());
    let up: Vec<String> = imports
        .iter()
        .filter(|(from, to)| floor(from).unwrap() < floor(to).unwrap())
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    assert!(up.is_empty(), "imports of a higher floor:\n{}", up.join("\n"));
}

#[test]
fn ide_features_have_no_import_cycles() {
    let feature = |module: &str| {
        let mut parts = module.split("::");
        (parts.nth(1) == Some("features")).then(|| parts.next().map(String::from)).flatten()
    };
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in imports_in_ide() {
        if let (Some(from), Some(to)) = (feature(&from), feature(&to))
            && from != to
        {
            arrows.entry(from).or_default().insert(to);
        }
    }
    let reached = reachable(&arrows);
    let circling: Vec<&String> =
        reached.iter().filter(|(from, to)| to.contains(*from)).map(|(from, _)| from).collect();
    assert!(circling.is_empty(), "features that import each other in a circle: {circling:?}");
}

#[test]
fn imports_have_no_globs_or_hidden_reexports() {
    for file in source::sources().iter().filter(|s| !s.is_test) {
        for (at, _) in file.code.match_indices("pub use ") {
            let line = source::line_at(&file.code, at);
            assert!(file.is_mod_file(), "{}:{line}: only a folder's mod.rs re-exports", file.path);
            let rest = &file.code[at + 8..];
            assert!(
                !rest.starts_with("crate::") && !rest.starts_with("super::"),
                "{}:{line}: re-exports another module",
                file.path
            );
        }
        for (line, text) in file.code.lines().enumerate() {
            let glob = text.trim_start().starts_with("use ") && text.contains("::*");
            assert!(!glob, "{}:{}: glob import", file.path, line + 1);
        }
    }
}

#[test]
fn side_effects_stay_in_allowed_modules() {
    let mut broken = Vec::new();
    for file in source::sources().iter().filter(|s| !s.is_test && !s.module.is_empty()) {
        for (call, places) in BANNED {
            let may = places.iter().any(|p| file.module == *p || file.module.starts_with(&format!("{p}::")));
            if may {
                continue;
            }
            for (at, _) in file.code.match_indices(call) {
                let before = file.code[..at].chars().next_back().unwrap_or(' ');
                let part_of_word =
                    call.starts_with(char::is_alphabetic) && (before.is_alphanumeric() || before == '_');
                if !part_of_word {
                    broken.push(format!(
                        "{}:{}: `{call}` outside {places:?}",
                        file.path,
                        source::line_at(&file.code, at)
                    ));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
