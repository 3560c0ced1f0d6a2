//! Build script: has the linker store relocations in the short form and equal functions once, and packs long texts.
//! The tables of the grammars hold 38 000 addresses that the loader adjusts at every start; equal functions are
//! 0.14 MB; the models are 0.4 MB of text that shrinks to a tenth, the names of characters in PDF 0.07 MB that
//! shrink to a third. May not know any module of the program.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The first release of glibc whose loader reads the short form (`DT_RELR`); a program that has it
/// does not start with an older one.
const GLIBC: (u32, u32) = (2, 36);

/// Names of characters.
const GLYPHS: &str = "assets/glyphs.txt";

/// Has the linker write functions once that are the same. LLVM's has it, which is Rust's own on some systems.
const FOLD: &str = "-Wl,--icf=all";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=assets/models");
    println!("cargo:rerun-if-changed={GLYPHS}");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let here = var("HOST") == var("TARGET");
    let glibc = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    let release = here && glibc && var("PROFILE") == "release";
    if here && glibc && glibc_here().is_some_and(|version| version >= GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    // Nobody here tells functions apart by where they are.
    if release && can_link(FOLD, &var)? {
        println!("cargo:rustc-link-arg-bins={FOLD}");
    }
    let to = PathBuf::from(var("OUT_DIR"));
    fs::write(to.join("glyphs.deflate"), packed(Path::new(GLYPHS))?)?;
    pack_models(Path::new("assets/models"), &to)
}

/// What a file holds, packed.
fn packed(file: &Path) -> io::Result<Vec<u8>> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(file)?)?;
    packed.finish()
}

/// Writes each file packed, and a table of them by provider: `models.rs`.
fn pack_models(from: &Path, to: &Path) -> io::Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(from)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
    files.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    let mut table = String::from("&[\n");
    for file in files {
        let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = to.join(format!("{id}.deflate"));
        fs::write(&path, packed(&file)?)?;
        let path = path.display().to_string();
        table.push_str(&format!("({id:?}, include_bytes!({path:?})),\n"));
    }
    table.push(']');
    fs::write(to.join("models.rs"), table)
}

/// Whether the linker that the program is linked by takes an argument.
fn can_link(argument: &str, var: &dyn Fn(&str) -> String) -> io::Result<bool> {
    let folder = PathBuf::from(var("OUT_DIR"));
    let source = folder.join("nothing.rs");
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(var("RUSTC"));
    rustc.arg(&source).arg("-o").arg(folder.join("nothing")).args(["-C", &format!("link-arg={argument}")]);
    let (flags, linker) = (var("CARGO_ENCODED_RUSTFLAGS"), var("RUSTC_LINKER"));
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if !linker.is_empty() {
        rustc.args(["-C", &format!("linker={linker}")]);
    }
    Ok(rustc.output()?.status.success())
}

/// The version of the C library of this machine, which the program is linked against.
fn glibc_here() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
