//! The public face of the library stands as it is written down in `snapshots/text_public_face.snap`, and whoever can
//! name something of it can name everything that belongs to it.

use crate::source;
use crate::support::public_api::Library;
use crate::support::snaps;

/// What to do about another face.
const REVIEW_ADVICE: &str = "The public face of the library. If a line goes or changes, a host may no longer compile: say so \
                      in CHANGELOG.md and raise the version as docs/embedding.md has it; a line that comes goes into \
                      the changelog, too. `cargo insta review` takes the new face. What is not meant for hosts wants \
                      `pub(crate)`, or `#[doc(hidden)]` where the program or a test needs it.";

#[test]
fn public_api_matches_snapshot() {
    let face = Library::read(&source::root()).public_api();
    let text = face.lines.into_iter().collect::<Vec<_>>().join("\n");
    snaps::check_text_with_advice("public_face", REVIEW_ADVICE, &text);
}

#[test]
fn public_api_exports_every_named_type() {
    let face = Library::read(&source::root()).public_api();
    let missing: Vec<&str> = face.undocumented.iter().map(String::as_str).collect();
    assert!(
        missing.is_empty(),
        "a host cannot name these: re-export them in a documented `mod.rs`, or hide what names them:\n{}",
        missing.join("\n")
    );
}

/// A package of a few files.
fn library(files: &[(&str, &str)]) -> (tempfile::TempDir, Library) {
    let package = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = package.path().join("src").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let library = Library::read(package.path());
    (package, library)
}

#[test]
fn public_api_scan_follows_documented_paths() {
    let (_package, library) = library(&[
        ("lib.rs", "pub mod port;\n#[doc(hidden)]\npub mod inside;\nmod own;\n#[cfg(test)]\nmod tests;"),
        (
            "port/mod.rs",
            "#[doc(hidden)]\npub mod data;\nmod more;\npub use data::{Kept, Named as Called};\n\
             #[doc(hidden)]\npub use data::Left;",
        ),
        (
            "port/data.rs",
            "use crate::inside::Secret;\n\
             #[derive(Debug, Clone)]\n#[non_exhaustive]\npub struct Kept { pub a: Vec<u8>, b: u8, \
             #[doc(hidden)] pub c: u8, pub d: Option<Secret> }\n\
             pub struct Named;\npub struct Left;\n\
             pub enum Unseen { A }",
        ),
        (
            "port/more.rs",
            "use super::data::Kept;\nimpl Kept { pub fn new(a: Vec<u8>) -> Self { todo(a) }\n\
             pub(crate) fn own(&self) {}\n#[doc(hidden)]\npub fn hidden(&self) {} }\n\
             impl Default for Kept { fn default() -> Self { Self::new(Vec::new()) } }",
        ),
        ("inside.rs", "pub struct Secret;\nimpl Secret { pub fn told(&self) {} }"),
        ("own.rs", "pub struct Own;"),
    ]);
    let face = library.public_api();
    let lines: Vec<&str> = face.lines.iter().map(String::as_str).collect();
    let wanted = [
        "port  mod",
        "port::Called  struct",
        "port::Kept  impl Default",
        "port::Kept  struct  [non_exhaustive, Debug, Clone]",
        "port::Kept::a  field Vec<u8>",
        "port::Kept::d  field Option<Secret>",
        "port::Kept::new  fn (Vec<u8>) -> Self",
    ];
    assert_eq!(lines, wanted);
    let unnamed: Vec<&str> = face.undocumented.iter().map(String::as_str).collect();
    assert_eq!(unnamed, ["port::Kept::d names inside::Secret"]);
}

#[test]
fn public_api_scan_lists_trait_items_and_bounds() {
    let (_package, library) = library(&[(
        "lib.rs",
        "pub trait Port: Send {\n    fn must<'a>(&'a self, at: &'a str) -> Box<dyn Fn(u8) -> bool + 'a>;\n    \
         fn may(&self) where Self: Sized {}\n    #[doc(hidden)]\n    fn own(&self) {}\n}\n\
         impl<F: Fn() + Send> Port for F {}\n\
         #[derive(Default)]\npub enum Way { #[default] Here, There(u8), To { at: String } }\n\
         pub type Sink<T> = Box<dyn FnMut(T)>;\npub const MOST: usize = 3;\n\
         pub async fn go<T: Port>(port: T, way: Option<Way>) -> Result<(), String> { x(port, way) }",
    )]);
    let face = library.public_api();
    let lines: Vec<&str> = face.lines.iter().map(String::as_str).collect();
    let wanted = [
        "MOST  const usize",
        "Port  impl for <F: Fn() + Send>",
        "Port  trait : Send",
        "Port::may  fn (&self) where Self: Sized",
        "Port::may  provided",
        "Port::must  fn <'a>(&'a self, &'a str) -> Box<dyn Fn(u8) -> bool + 'a>",
        "Port::must  required",
        "Sink  type <T> = Box<dyn FnMut(T)>",
        "Way  enum  [Default]",
        "Way::Here  variant",
        "Way::There  variant (u8)",
        "Way::To  variant",
        "Way::To::at  field String",
        "go  async fn <T: Port>(T, Option<Way>) -> Result<(), String>",
    ];
    assert_eq!(lines, wanted);
    assert!(face.undocumented.is_empty(), "{:?}", face.undocumented);
}
