//! Encodings are found, kept on save, and can be chosen.

use crate::support::desk::{Desk, Plan};

async fn choose(desk: &mut Desk, encoding: &str, answer: &str) {
    desk.keys("Alt-x").await;
    desk.type_in("file.encoding").await;
    desk.keys("Enter").await;
    desk.type_in(encoding).await;
    desk.keys("Enter").await;
    desk.keys(answer).await;
}

fn wide(text: &str, mark: &[u8]) -> Vec<u8> {
    mark.iter().copied().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[tokio::test]
async fn utf16_is_shown_as_text_and_saved_as_it_was() {
    for mark in [b"\xff\xfe".as_slice(), b""] {
        let mut desk = Plan::new().with("a.txt", wide("héllo 漢😀\r\nworld\r\n", mark)).start().await;
        assert_eq!(desk.text(), "héllo 漢😀\r\nworld\r\n");
        assert!(desk.picture().contains("a.txt 1:1  UTF-16LE"), "{}", desk.picture());
        desk.type_in("Ж").await;
        desk.keys("Enter Ctrl-s").await;
        assert_eq!(desk.bytes("a.txt"), wide("Ж\r\nhéllo 漢😀\r\nworld\r\n", mark));
    }
}

#[tokio::test]
async fn a_legacy_text_is_found_and_what_does_not_fit_is_refused() {
    let mut desk = Plan::new().with("a.txt", b"caf\xe9 au lait\n").start().await;
    assert!(desk.picture().contains("windows-1252"), "{}", desk.picture());
    desk.type_in("é漢").await;
    desk.keys("Ctrl-s").await;
    assert!(desk.message().contains("'漢' in line 1 is not in windows-1252"), "{}", desk.message());
    assert_eq!(desk.bytes("a.txt"), b"caf\xe9 au lait\n", "the file is as it was");
    assert!(desk.state().buffers.current().unwrap().is_unsaved());
    desk.keys("Backspace Ctrl-s").await;
    assert_eq!(desk.bytes("a.txt"), b"\xe9caf\xe9 au lait\n");
}

#[tokio::test]
async fn a_file_is_read_again_in_the_encoding_that_was_chosen() {
    let bytes = b"\xf0\xd2\xc9\xd7\xc5\xd4\n";
    let mut desk = Plan::new().with("a.txt", bytes).start().await;
    choose(&mut desk, "koi8-r", "r").await;
    assert_eq!(desk.text(), "Привет\n");
    assert!(!desk.state().buffers.current().unwrap().is_unsaved());
    desk.type_in("я").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.bytes("a.txt"), [b"\xd1".as_slice(), bytes].concat());
    // Somebody else writes: it is in that encoding still.
    desk.write("a.txt", b"\xe4\xc1\n");
    desk.look_again().await;
    assert_eq!(desk.text(), "Да\n");
    choose(&mut desk, "utf-16be", "r").await;
    assert!(desk.message().contains("not UTF-16BE"), "{}", desk.message());
    assert_eq!(desk.text(), "Да\n");
}

#[tokio::test]
async fn undo_of_reading_again_brings_the_bytes_back() {
    let bytes = b"caf\xe9 au lait\n";
    let mut desk = Plan::new().with("a.txt", bytes).start().await;
    choose(&mut desk, "utf-8", "r").await;
    assert!(!desk.picture().contains("windows-1252"), "{}", desk.picture());
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "café au lait\n");
    assert!(desk.picture().contains("windows-1252"), "{}", desk.picture());
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.bytes("a.txt"), bytes);
    desk.keys("Alt-z").await;
    assert!(!desk.picture().contains("windows-1252"), "{}", desk.picture());
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.bytes("a.txt"), bytes);
}

#[tokio::test]
async fn a_file_is_saved_in_the_encoding_that_was_chosen() {
    let mut desk = Plan::new().with("a.txt", "é漢\n").start().await;
    choose(&mut desk, "windows-1252", "s").await;
    assert!(desk.message().contains("'漢' in line 1"), "{}", desk.message());
    assert_eq!(desk.disk("a.txt"), "é漢\n");
    choose(&mut desk, "utf-16le", "s").await;
    assert_eq!(desk.bytes("a.txt"), wide("é漢\n", b"\xff\xfe"));
    choose(&mut desk, "utf-8", "s").await;
    assert_eq!(desk.disk("a.txt"), "é漢\n");
    assert!(!desk.picture().contains("UTF-16"), "{}", desk.picture());
}

#[tokio::test]
async fn a_binary_file_that_is_text_after_all_can_be_edited_once_its_encoding_is_chosen() {
    let bytes = wide("漢字漢字\n", b"");
    let mut desk = Plan::new().with("a.txt", &bytes).start().await;
    assert!(
        desk.picture().contains("漢字漢字") || desk.picture().contains("read-only"),
        "{}",
        desk.picture()
    );
    choose(&mut desk, "utf-16le", "r").await;
    assert_eq!(desk.text(), "漢字漢字\n");
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.bytes("a.txt"), wide("x漢字漢字\n", b""));
}
