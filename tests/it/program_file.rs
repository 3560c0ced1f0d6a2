//! The program's file, as the system loads it.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

/// Where the ELF header states the kind of file, in bytes, and the kind of those that are loaded anywhere
/// (`ET_DYN` of elf(5)).
const KIND: usize = 16;
const ANYWHERE: u16 = 3;

#[test]
fn binary_is_position_independent() {
    let file = fs::read(env!("CARGO_BIN_EXE_bowline")).unwrap();
    assert_eq!(&file[..4], b"\x7fELF");
    assert_eq!(u16::from_le_bytes([file[KIND], file[KIND + 1]]), ANYWHERE);
}

/// What the test above sees is not the release; nothing may have that linked otherwise.
#[test]
fn linker_flags_keep_position_independence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["Cargo.toml", ".cargo/config.toml", ".ci/run"] {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        for fixed in ["no-pie", "no-pic", "relocation-model", "-static"] {
            assert!(!text.contains(fixed), "{name} has {fixed}");
        }
    }
}
