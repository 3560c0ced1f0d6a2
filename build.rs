//! Build script: has addresses that the loader must adjust at every start written in their short
//! form. The tables of the grammars hold 38 000 of them, which is 0.9 MB otherwise. May not know
//! any module of the program; does nothing where the short form is not known to work.

use std::process::Command;

/// The first release of glibc whose loader reads the short form (`DT_RELR`); a program that has it
/// does not start with an older one.
const GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let here = var("HOST") == var("TARGET");
    let glibc = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    if here && glibc && glibc_here().is_some_and(|version| version >= GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of the C library of this machine, which the program is linked against.
fn glibc_here() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
