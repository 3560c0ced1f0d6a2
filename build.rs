//! Build script: has addresses that the loader must adjust at every start written in their short
//! form, and packs the data about models. The tables of the grammars hold 38 000 addresses, which is
//! 0.9 MB otherwise; the models are 0.4 MB of text that shrinks to a tenth. May not know any module
//! of the program.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The first release of glibc whose loader reads the short form (`DT_RELR`); a program that has it
/// does not start with an older one.
const GLIBC: (u32, u32) = (2, 36);

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=assets/models");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let here = var("HOST") == var("TARGET");
    let glibc = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    if here && glibc && glibc_here().is_some_and(|version| version >= GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    pack_models(Path::new("assets/models"), &PathBuf::from(var("OUT_DIR")))
}

/// Writes each file packed, and a table of them by provider: `models.rs`.
fn pack_models(from: &Path, to: &Path) -> io::Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(from)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
    files.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    let mut table = String::from("&[\n");
    for file in files {
        let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(&file)?)?;
        let path = to.join(format!("{id}.deflate"));
        fs::write(&path, packed.finish()?)?;
        let path = path.display().to_string();
        table.push_str(&format!("({id:?}, include_bytes!({path:?})),\n"));
    }
    table.push(']');
    fs::write(to.join("models.rs"), table)
}

/// The version of the C library of this machine, which the program is linked against.
fn glibc_here() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
