//! Reads the public face of the library out of its own source: every item that a host can name by a path that
//! its documentation shows, what can be done with it, and what its signature names besides.
//!
//! Knows what this crate does and no more: modules in files of their own, `pub use` of a module's children in its
//! `mod.rs`, and nothing public that a macro makes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path as File;

use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, Fields, Ident, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// A module as it stands in its file.
struct Module {
    items: Vec<Item>,
    /// What its imports call by which name: absolute paths in the crate.
    imports: HashMap<String, String>,
}

/// The library's source.
pub struct Library {
    modules: BTreeMap<String, Module>,
}

/// Its public face.
#[derive(Default)]
pub struct PublicApi {
    /// One line for each item: its path, its kind, and what it looks like.
    pub lines: BTreeSet<String>,
    /// What signatures name that no documented path leads to, and where.
    pub undocumented: BTreeSet<String>,
}

/// The face in the making.
struct ApiWalker<'a> {
    library: &'a Library,
    /// Where items are defined, and under which path they are shown first.
    public_paths: BTreeMap<String, String>,
    lines: BTreeSet<String>,
    /// Where something of the crate is named: by whom, and what.
    mentions: Vec<(String, String)>,
}

fn join(module: &str, name: impl std::fmt::Display) -> String {
    if module.is_empty() { name.to_string() } else { format!("{module}::{name}") }
}

/// Whether an item is excluded from the documentation, or exists only in tests. A doc comment is an attribute with a
/// value, not with a list: its words hide nothing.
fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.meta.require_list().is_ok()).any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        (attribute.path().is_ident("doc") && words.contains(&"hidden"))
            || (attribute.path().is_ident("cfg") && (words.contains(&"test") || words.contains(&"doctest")))
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Tokens as a user writes them.
fn text(tokens: &impl ToTokens) -> String {
    let spaced = tokens.to_token_stream().to_string();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '#');
    let chars: Vec<char> = spaced.chars().collect();
    let mut out = String::with_capacity(spaced.len());
    for (at, c) in chars.iter().enumerate() {
        let (before, after) = (out.chars().next_back().unwrap_or(' '), chars.get(at + 1).copied());
        let parts_words = is_word(before) && after.is_some_and(is_word);
        if !c.is_whitespace() || parts_words {
            out.push(*c);
        }
    }
    let out = out.replace("::", "\u{1}").replace("->", "\u{2}").replace(':', ": ").replace('\u{1}', "::");
    let out = out.replace('=', " = ").replace('\u{2}', " -> ").replace(',', ", ").replace('+', " + ");
    let out = out.replace(")where ", ") where ").replace(">where ", "> where ").replace(">for ", "> for ");
    out.replace(", )", ")").replace(", >", ">").replace(", }", "}").trim_end_matches([',', ' ']).to_string()
}

/// The leaves of a `use`: the path of each, and what it is called from there on.
fn leaves(tree: &UseTree, path: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let with = |name: &Ident| path.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(step) => leaves(&step.tree, &with(&step.ident), out),
        // `use a::{self}` names the module itself.
        UseTree::Name(name) if name.ident == "self" => {
            out.push((path.to_vec(), path.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(name) => out.push((with(&name.ident), name.ident.to_string())),
        UseTree::Rename(name) => out.push((with(&name.ident), name.rename.to_string())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, path, out)),
        UseTree::Glob(_) => {}
    }
}

/// A path as seen from a module, from the root of the crate on; `None` for what is of other crates.
fn absolute(module: &str, path: &[String]) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while rest.get(1).is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
            base.pop();
        }
        _ => return None,
    }
    Some(base.into_iter().chain(rest[1..].iter().map(String::as_str)).collect::<Vec<_>>().join("::"))
}

impl Library {
    /// Reads everything below `src`.
    pub fn read(package: &File) -> Self {
        let mut library = Self { modules: BTreeMap::new() };
        library.add_module(&package.join("src"), "", "lib.rs");
        library
    }

    fn add_module(&mut self, folder: &File, module: &str, file: &str) {
        let path = folder.join(file);
        let source = std::fs::read_to_string(&path).unwrap();
        let items = syn::parse_file(&source).unwrap_or_else(|why| panic!("{}: {why}", path.display())).items;
        let mut imports = HashMap::new();
        for item in &items {
            let Item::Use(used) = item else { continue };
            let mut all = Vec::new();
            leaves(&used.tree, &[], &mut all);
            imports.extend(all.into_iter().filter_map(|(path, name)| Some((name, absolute(module, &path)?))));
        }
        for item in &items {
            let Item::Mod(child) = item else { continue };
            if child.content.is_some()
                || (is_hidden(&child.attrs) && (child.ident == "tests" || child.ident == "seeds"))
            {
                continue;
            }
            let name = child.ident.to_string();
            let inner = if file == "lib.rs" || file == "mod.rs" {
                folder.to_path_buf()
            } else {
                folder.join(file.trim_end_matches(".rs"))
            };
            let (folder, file) = if inner.join(&name).join("mod.rs").exists() {
                (inner.join(&name), "mod.rs".to_string())
            } else {
                (inner, format!("{name}.rs"))
            };
            self.add_module(&folder, &join(module, &name), &file);
        }
        self.modules.insert(module.to_string(), Module { items, imports });
    }

    /// The item of a module with this name, defined there.
    fn item(&self, module: &str, name: &str) -> Option<&Item> {
        self.modules.get(module)?.items.iter().find(|item| ident(item).is_some_and(|ident| ident == name))
    }

    /// Where something is defined that is known under an absolute path; re-exports are followed.
    fn defined(&self, path: &str) -> Option<String> {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        if self.modules.contains_key(path) || self.item(module, name).is_some() {
            return Some(path.to_string());
        }
        let found = self.modules.get(module)?;
        for item in &found.items {
            let Item::Use(used) = item else { continue };
            let mut all = Vec::new();
            leaves(&used.tree, &[], &mut all);
            if let Some((path, _)) = all.into_iter().find(|(path, called)| called == name && path.len() > 1) {
                let path = absolute(module, &path).unwrap_or_else(|| join(module, path.join("::")));
                return self.defined(&path);
            }
        }
        None
    }

    /// What a path in the code of a module means, if it is of this crate.
    fn resolve(&self, module: &str, path: &syn::Path) -> Option<String> {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if let Some(path) = absolute(module, &parts) {
            return self.defined(&path);
        }
        let first = parts.first()?;
        let own = || self.item(module, first).map(|_| join(module, first));
        let start = self.modules.get(module)?.imports.get(first).cloned().or_else(own)?;
        self.defined(&[&[start], &parts[1..]].concat().join("::"))
    }

    /// The face.
    pub fn public_api(&self) -> PublicApi {
        let mut walk = ApiWalker {
            library: self,
            public_paths: BTreeMap::new(),
            lines: BTreeSet::new(),
            mentions: Vec::new(),
        };
        walk.module("");
        walk.impls();
        let is_shown = |path: &String| walk.public_paths.contains_key(path);
        let missing = walk.mentions.iter().filter(|(_, what)| !is_shown(what));
        let unnamed = missing.map(|(by, what)| format!("{by} names {what}")).collect();
        PublicApi { lines: walk.lines, undocumented: unnamed }
    }
}

fn ident(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}

/// What of a type every user may rely on besides its members.
fn traits(attributes: &[Attribute]) -> String {
    let mut out = Vec::new();
    for attribute in attributes {
        if attribute.path().is_ident("non_exhaustive") {
            out.insert(0, "non_exhaustive".to_string());
        }
        let is_derive = attribute.path().is_ident("derive");
        if let Ok(list) = attribute.meta.require_list().map(|list| list.tokens.to_string())
            && is_derive
        {
            out.extend(list.split(',').map(|name| name.trim().replace(' ', "")));
        }
    }
    out.retain(|name| !name.is_empty());
    if out.is_empty() { String::new() } else { format!(" [{}]", out.join(", ")) }
}

impl ApiWalker<'_> {
    fn line(&mut self, path: &str, kind: &str, looks: &str) {
        self.lines.insert(format!("{path}  {kind} {looks}").trim_end().to_string());
    }

    /// Notes what tokens of a signature name.
    fn names(&mut self, by: &str, module: &str, visit: impl FnOnce(&mut PathCollector)) {
        let mut paths = PathCollector::default();
        visit(&mut paths);
        let library = self.library;
        let meant = paths.0.iter().filter_map(|path| library.resolve(module, path));
        self.mentions.extend(meant.map(|what| (by.to_string(), what)));
    }

    fn module(&mut self, module: &str) {
        let library = self.library;
        for item in &library.modules[module].items {
            match item {
                Item::Mod(child) if is_public(&child.vis) && !is_hidden(&child.attrs) => {
                    let path = join(module, &child.ident);
                    self.line(&path, "mod", "");
                    self.public_paths.insert(path.clone(), path.clone());
                    self.module(&path);
                }
                Item::Use(used) if is_public(&used.vis) && !is_hidden(&used.attrs) => {
                    let mut all = Vec::new();
                    leaves(&used.tree, &[], &mut all);
                    for (path, name) in all {
                        let Some(defined) = library.defined(&join(module, path.join("::"))) else { continue };
                        let (home, inner) = defined.rsplit_once("::").unwrap_or(("", &defined));
                        if let Some(item) = library.item(home, inner) {
                            self.item(&join(module, name), home, item);
                        }
                    }
                }
                item => {
                    if let Some(name) = ident(item) {
                        self.item(&join(module, name), module, item);
                    }
                }
            }
        }
    }

    /// An item that is shown at a path and defined in a module.
    fn item(&mut self, path: &str, home: &str, item: &Item) {
        let (attributes, visibility) = match item {
            Item::Const(item) => (&item.attrs, &item.vis),
            Item::Enum(item) => (&item.attrs, &item.vis),
            Item::Fn(item) => (&item.attrs, &item.vis),
            Item::Static(item) => (&item.attrs, &item.vis),
            Item::Struct(item) => (&item.attrs, &item.vis),
            Item::Trait(item) => (&item.attrs, &item.vis),
            Item::Type(item) => (&item.attrs, &item.vis),
            _ => return,
        };
        if !is_public(visibility) || is_hidden(attributes) {
            return;
        }
        let name = ident(item).map(ToString::to_string).unwrap_or_default();
        self.public_paths.entry(join(home, name)).or_insert_with(|| path.to_string());
        let traits = traits(attributes);
        match item {
            Item::Const(item) => {
                self.line(path, "const", &text(&item.ty));
                self.names(path, home, |paths| paths.visit_type(&item.ty));
            }
            Item::Static(item) => {
                self.line(path, "static", &text(&item.ty));
                self.names(path, home, |paths| paths.visit_type(&item.ty));
            }
            Item::Type(item) => {
                self.line(path, "type", &format!("{} = {}", text(&item.generics), text(&item.ty)));
                self.names(path, home, |paths| paths.visit_type(&item.ty));
            }
            Item::Fn(item) => self.function(path, home, &item.sig),
            Item::Struct(item) => {
                self.line(path, "struct", &format!("{}{traits}", text(&item.generics)));
                self.fields(path, home, &item.fields, false);
            }
            Item::Enum(item) => {
                self.line(path, "enum", &format!("{}{traits}", text(&item.generics)));
                for variant in item.variants.iter().filter(|variant| !is_hidden(&variant.attrs)) {
                    let path = join(path, &variant.ident);
                    let looks = match &variant.fields {
                        Fields::Unnamed(fields) => text(fields),
                        _ => String::new(),
                    };
                    self.line(&path, "variant", &looks);
                    self.fields(&path, home, &variant.fields, true);
                }
            }
            Item::Trait(item) => self.contract(path, home, item),
            _ => {}
        }
    }

    fn fields(&mut self, path: &str, home: &str, fields: &Fields, of_variant: bool) {
        for (at, field) in fields.iter().enumerate() {
            if !(of_variant || is_public(&field.vis)) || is_hidden(&field.attrs) {
                continue;
            }
            let name = field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string);
            let path = join(path, name);
            if field.ident.is_some() || !of_variant {
                self.line(&path, "field", &text(&field.ty));
            }
            self.names(&path, home, |paths| paths.visit_type(&field.ty));
        }
    }

    fn function(&mut self, path: &str, home: &str, signature: &syn::Signature) {
        // What arguments are called is no part of the face.
        let inputs: Vec<String> = signature
            .inputs
            .iter()
            .map(|input| match input {
                syn::FnArg::Receiver(own) => text(own),
                syn::FnArg::Typed(typed) => text(&typed.ty),
            })
            .collect();
        let (generics, output) = (text(&signature.generics), text(&signature.output));
        let clause =
            signature.generics.where_clause.as_ref().map_or(String::new(), |c| format!(" {}", text(c)));
        let before: String = [
            signature.constness.is_some().then_some("const "),
            signature.asyncness.is_some().then_some("async "),
            Some("fn"),
        ]
        .into_iter()
        .flatten()
        .collect();
        self.line(path, &before, &format!("{generics}({}){output}{clause}", inputs.join(", ")));
        self.names(path, home, |paths| paths.visit_signature(signature));
    }

    fn contract(&mut self, path: &str, home: &str, item: &syn::ItemTrait) {
        let above = if item.supertraits.is_empty() {
            String::new()
        } else {
            format!(": {}", text(&item.supertraits))
        };
        self.line(path, "trait", &format!("{}{above}", text(&item.generics)));
        for inner in &item.items {
            let TraitItem::Fn(method) = inner else { continue };
            if is_hidden(&method.attrs) {
                continue;
            }
            let path = join(path, &method.sig.ident);
            self.function(&path, home, &method.sig);
            // Who implements the trait has to write what has no default.
            self.line(&path, if method.default.is_some() { "provided" } else { "required" }, "");
        }
    }

    /// What is implemented for what is shown, anywhere in the crate.
    fn impls(&mut self) {
        let library = self.library;
        for (module, found) in &library.modules {
            for item in &found.items {
                let Item::Impl(block) = item else { continue };
                if is_hidden(&block.attrs) {
                    continue;
                }
                let path = match &*block.self_ty {
                    Type::Path(path) => library.resolve(module, &path.path),
                    _ => None,
                };
                let shown = path.and_then(|path| self.public_paths.get(&path).cloned());
                match (&block.trait_, shown) {
                    (Some((_, name, _)), Some(path)) => self.line(&path, "impl", &text(name)),
                    // For everything that is something: a trait says so of itself.
                    (Some((_, name, _)), None) => {
                        let own = library
                            .resolve(module, name)
                            .and_then(|path| self.public_paths.get(&path).cloned());
                        let free =
                            block.generics.type_params().any(|own| text(&own.ident) == text(&block.self_ty));
                        if let Some(path) = own.filter(|_| free) {
                            self.line(&path, "impl for", &text(&block.generics));
                        }
                    }
                    (None, Some(path)) => self.methods(&path, module, block),
                    (None, None) => {}
                }
            }
        }
    }

    fn methods(&mut self, path: &str, module: &str, block: &syn::ItemImpl) {
        for item in &block.items {
            match item {
                ImplItem::Fn(method) if is_public(&method.vis) && !is_hidden(&method.attrs) => {
                    self.function(&join(path, &method.sig.ident), module, &method.sig);
                }
                ImplItem::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    self.line(&join(path, &item.ident), "const", &text(&item.ty));
                }
                _ => {}
            }
        }
    }
}

/// The paths that something names.
#[derive(Default)]
struct PathCollector(Vec<syn::Path>);

impl<'a> Visit<'a> for PathCollector {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.push(path.clone());
        syn::visit::visit_path(self, path);
    }
}
