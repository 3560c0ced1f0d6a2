//! Encodings are found, kept on save, and can be chosen.

use crate::support::test_ide::{IdeSetup, TestIde};

async fn choose_encoding(ide: &mut TestIde, encoding: &str, answer: &str) {
    ide.keys("Alt-x").await;
    ide.type_in("file.encoding").await;
    ide.keys("Enter").await;
    ide.type_in(encoding).await;
    ide.keys("Enter").await;
    ide.keys(answer).await;
}

fn utf16_bytes(text: &str, mark: &[u8]) -> Vec<u8> {
    mark.iter().copied().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[tokio::test]
async fn save_keeps_utf16_encoding() {
    for mark in [b"\xff\xfe".as_slice(), b""] {
        let mut ide =
            IdeSetup::new().with("a.txt", utf16_bytes("héllo 漢😀\r\nworld\r\n", mark)).start().await;
        assert_eq!(ide.text(), "héllo 漢😀\r\nworld\r\n");
        assert!(ide.picture().contains("a.txt 1:1  UTF-16LE"), "{}", ide.picture());
        ide.type_in("Ж").await;
        ide.keys("Enter Ctrl-s").await;
        assert_eq!(ide.file_bytes("a.txt"), utf16_bytes("Ж\r\nhéllo 漢😀\r\nworld\r\n", mark));
    }
}

#[tokio::test]
async fn save_rejects_character_outside_detected_encoding() {
    let mut ide = IdeSetup::new().with("a.txt", b"caf\xe9 au lait\n").start().await;
    assert!(ide.picture().contains("windows-1252"), "{}", ide.picture());
    ide.type_in("é漢").await;
    ide.keys("Ctrl-s").await;
    assert!(
        ide.status_message().contains("'漢' in line 1 is not in windows-1252"),
        "{}",
        ide.status_message()
    );
    assert_eq!(ide.file_bytes("a.txt"), b"caf\xe9 au lait\n", "the file is as it was");
    assert!(ide.state().buffers.current().unwrap().is_unsaved());
    ide.keys("Backspace Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), b"\xe9caf\xe9 au lait\n");
}

#[tokio::test]
async fn reopen_with_encoding_decodes_and_keeps_it() {
    let bytes = b"\xf0\xd2\xc9\xd7\xc5\xd4\n";
    let mut ide = IdeSetup::new().with("a.txt", bytes).start().await;
    choose_encoding(&mut ide, "koi8-r", "r").await;
    assert_eq!(ide.text(), "Привет\n");
    assert!(!ide.state().buffers.current().unwrap().is_unsaved());
    ide.type_in("я").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), [b"\xd1".as_slice(), bytes].concat());
    // Somebody else writes: it is in that encoding still.
    ide.write_file("a.txt", b"\xe4\xc1\n");
    ide.focus_window().await;
    assert_eq!(ide.text(), "Да\n");
    choose_encoding(&mut ide, "utf-16be", "r").await;
    assert!(ide.status_message().contains("not UTF-16BE"), "{}", ide.status_message());
    assert_eq!(ide.text(), "Да\n");
}

#[tokio::test]
async fn reopen_with_encoding_undo_restores_bytes() {
    let bytes = b"caf\xe9 au lait\n";
    let mut ide = IdeSetup::new().with("a.txt", bytes).start().await;
    choose_encoding(&mut ide, "utf-8", "r").await;
    assert!(!ide.picture().contains("windows-1252"), "{}", ide.picture());
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "café au lait\n");
    assert!(ide.picture().contains("windows-1252"), "{}", ide.picture());
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), bytes);
    ide.keys("Alt-z").await;
    assert!(!ide.picture().contains("windows-1252"), "{}", ide.picture());
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), bytes);
}

#[tokio::test]
async fn save_with_encoding_writes_chosen_encoding() {
    let mut ide = IdeSetup::new().with("a.txt", "é漢\n").start().await;
    choose_encoding(&mut ide, "windows-1252", "s").await;
    assert!(ide.status_message().contains("'漢' in line 1"), "{}", ide.status_message());
    assert_eq!(ide.file_text("a.txt"), "é漢\n");
    choose_encoding(&mut ide, "utf-16le", "s").await;
    assert_eq!(ide.file_bytes("a.txt"), utf16_bytes("é漢\n", b"\xff\xfe"));
    choose_encoding(&mut ide, "utf-8", "s").await;
    assert_eq!(ide.file_text("a.txt"), "é漢\n");
    assert!(!ide.picture().contains("UTF-16"), "{}", ide.picture());
}

#[tokio::test]
async fn reopen_with_encoding_makes_binary_file_editable() {
    let bytes = utf16_bytes("漢字漢字\n", b"");
    let mut ide = IdeSetup::new().with("a.txt", &bytes).start().await;
    assert!(ide.picture().contains("漢字漢字") || ide.picture().contains("read-only"), "{}", ide.picture());
    choose_encoding(&mut ide, "utf-16le", "r").await;
    assert_eq!(ide.text(), "漢字漢字\n");
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), utf16_bytes("x漢字漢字\n", b""));
}
