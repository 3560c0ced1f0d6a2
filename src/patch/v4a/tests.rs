//! Patches as models write them, and as none does.

use proptest::prelude::*;

use super::parse::parse;
use super::update::update;
use super::*;

fn enveloped(sections: &str) -> String {
    format!("*** Begin Patch\n{sections}\n*** End Patch")
}

/// What the chunks of an update of `f` make of a text.
fn updated(before: &str, chunks: &str) -> Result<String, String> {
    let sections = parse(&enveloped(&format!("*** Update File: f\n{chunks}"))).map_err(|e| e.to_string())?;
    let [Section::Update { chunks, .. }] = &sections[..] else { panic!("{sections:?}") };
    update(before, chunks).map_err(|error| error.to_string())
}

#[test]
fn patch_every_section_kind_is_parsed() {
    let text = "*** Add File: a b\n+x\n+\n*** Delete File: c\n*** Update File: d  \n*** Move to: e\n x\n@@ fn\n-y\n*** End of File\n";
    let sections = parse(&enveloped(text)).unwrap();
    let line = |sign, text: &str| Line { sign, text: text.into() };
    let chunk = |number, below: Option<&str>, line, at_end| Chunk {
        number,
        below: below.map(str::to_string),
        lines: vec![line],
        at_end,
    };
    let expected = [
        Section::Add { path: "a b".into(), text: "x\n\n".into() },
        Section::Delete { path: "c".into() },
        Section::Update {
            path: "d".into(),
            to: Some("e".into()),
            chunks: vec![
                chunk(8, None, line(Sign::Keep, "x"), false),
                chunk(9, Some("fn"), line(Sign::Remove, "y"), true),
            ],
        },
    ];
    assert_eq!(sections, expected);
    let paths: Vec<&str> = sections.iter().flat_map(Section::paths).collect();
    assert_eq!(paths, ["a b", "c", "d", "e"]);
}

#[test]
fn patch_wrappers_and_blanks_are_skipped() {
    let patch = enveloped("*** Delete File: a");
    let expected = parse(&patch).unwrap();
    for text in [
        format!("\n\n  {patch}  \n\n"),
        format!("<<EOF\n{patch}\nEOF"),
        format!("<<'EOF'\n{patch}\nEOF\n"),
        patch.replace('\n', "\r\n"),
        patch.replace("*** Delete", "  *** Delete"),
        patch.replace("*** Delete", "*** Environment ID: here\n*** Delete"),
    ] {
        assert_eq!(parse(&text).as_ref(), Ok(&expected), "{text}");
    }
}

#[test]
fn patch_parse_errors_name_line() {
    for (text, what) in [
        ("", "first line of a patch"),
        ("*** Begin Patch", "last line of a patch"),
        ("*** Begin Patch\n*** End Patch", "names no file"),
        ("*** Begin Patch\n\n*** End Patch", "line 2: \"\" starts no section"),
        ("\n*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch", "line 5: \"y\" starts no section"),
        ("*** Begin Patch\n*** Update File: a\n*** End Patch", "line 3: the update of \"a\" has no lines"),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n@@ b\n-x\n*** End Patch",
            "line 4: the chunk has no lines",
        ),
        ("*** Begin Patch\n*** Update File: a\n-x\ny\n*** End Patch", "line 4: \"y\" is no line of a chunk"),
        ("*** Begin Patch\n*** Environment ID:\n*** Delete File: a\n*** End Patch", "line 2: one"),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nx\n*** End Patch", "nothing may follow"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
}

#[test]
fn patch_chunks_apply_in_order_below_anchor() {
    let classes = "class A\n def m\n  x\nclass B\n def m\n  x\n";
    assert_eq!(
        updated(classes, "@@ class B\n  def m\n-  x\n+  y").unwrap(),
        "class A\n def m\n  x\nclass B\n def m\n  y\n"
    );
    assert_eq!(updated("a\nb\nc\n", "-a\n+x\n@@ b\n-c\n+y").unwrap(), "x\nb\ny\n");
    assert_eq!(updated("a\nb\na\n", "-a\n+x\n*** End of File").unwrap(), "a\nb\nx\n");
    assert_eq!(updated("a", "@@\n+x\n@@\n-a\n+A").unwrap(), "A\nx\n");
    assert_eq!(updated("a\nb\n", "-a\n+x\n\n@@\n-b").unwrap(), "x\n");
    // What comes at the end comes there in the order of the chunks.
    assert_eq!(updated("a\n", "@@\n+x\n@@\n a\n+y").unwrap(), "a\nx\ny\n");
    assert_eq!(updated("a\n", "*** End of File\n-a\n+x").unwrap(), "x\n");
}

#[test]
fn patch_context_lines_keep_file_text() {
    assert_eq!(updated("  a \r\nb\nc", " a\n-b\n+B\n c").unwrap(), "  a \r\nB\r\nc\r\n");
    assert_eq!(updated("x \u{2014} y\nb\n", " x - y\n-b").unwrap(), "x \u{2014} y\n");
}

#[test]
fn patch_mismatch_is_explained() {
    for (chunks, what) in [
        ("@@ zz\n-a", "no line \"zz\" in the file"),
        ("-zz\n-a", "(no line of it is \"zz\")"),
        ("-a\n-c", "one after the other"),
        ("-c\n@@\n-a", "at its line 1: chunks must be in the order of the file"),
        ("-a\n*** End of File", "not the last ones"),
        ("@@ b\n-b", "after its line 2"),
    ] {
        let error = updated("a\nb\nc\n", chunks).unwrap_err();
        assert!(error.contains(what), "{chunks}: {error}");
    }
}

#[test]
fn patch_outline_follows_streamed_text() {
    let mut outline = Outline::default();
    outline.feed("<<EOF\n*** Begin Patch\n*** Update Fi");
    assert!(outline.files().is_empty());
    outline.feed("le: a\n*** Move to: b\n@@\n-x\n+y\n+z");
    let file = |kind, path: &str, to: Option<&str>, added, removed| outline::FileOutline {
        kind,
        path: path.into(),
        to: to.map(str::to_string),
        added,
        removed,
    };
    assert_eq!(outline.files(), [file(Kind::Update, "a", Some("b"), 1, 1)]);
    outline.feed("\n*** Delete File: c\n*** End Patch\nEOF\nmore\n");
    let expected = [file(Kind::Update, "a", Some("b"), 2, 1), file(Kind::Delete, "c", None, 0, 0)];
    assert_eq!((outline.files(), outline.error()), (&expected[..], None));
    outline.feed("\n");
    let mut bad = Outline::default();
    bad.feed("*** Begin Patch\nx\n*** Delete File: c\n");
    assert!(bad.error().is_some() && bad.files().is_empty());
}

/// Chunks that make one text of another, with every line of the first.
fn whole(old: &[String], new: &[String]) -> String {
    let old = old.iter().map(|line| ["-", line, "\n"]);
    let new = new.iter().map(|line| ["+", line, "\n"]);
    old.chain(new).flatten().collect()
}

/// A chunk for each difference, with one line of context above and below it.
fn hunks(old: &str, new: &str) -> String {
    let rows = crate::patch::diff::lines(old, new).rows;
    let line = |row: &Option<crate::patch::diff::Row>| match row {
        Some(row) => format!("{}{}\n", row.sign, row.text),
        None => "@@\n".to_string(),
    };
    rows.iter().map(line).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Lines of a patch, likely and unlikely ones.
fn patch_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("*** Begin Patch".to_string()),
        Just("*** End Patch".to_string()),
        Just("*** Update File: f".to_string()),
        Just("*** Add File: g".to_string()),
        Just("*** Move to: h".to_string()),
        Just("*** End of File".to_string()),
        Just("@@".to_string()),
        "(@@ )?[-+ ]?[ab]{0,2}\r?",
        "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn patch_any_text_is_safe(text in ".*", before in "[ab\r\n]{0,20}") {
        if let Ok(sections) = parse(&text) {
            prop_assert!(!sections.is_empty());
        }
        let _result = updated(&before, &text);
    }

    #[test]
    fn patch_outline_agrees_with_parser(
        lines in prop::collection::vec(patch_line(), 0..14),
        before in "[ab\r\n]{0,20}",
        cut in 0..200_usize,
    ) {
        let patch = enveloped(&lines.join("\n"));
        let mut outline = Outline::default();
        let cut = patch.floor_char_boundary(cut);
        outline.feed(&patch[..cut]);
        outline.feed(&patch[cut..]);
        outline.feed("\n");
        let Ok(sections) = parse(&patch) else { return Ok(()) };
        prop_assert_eq!(outline.error(), None);
        let known: Vec<&str> = outline.files().iter().map(|file| file.path.as_str()).collect();
        prop_assert_eq!(known, sections.iter().map(Section::path).collect::<Vec<_>>());
        for section in &sections {
            if let Section::Update { chunks, .. } = section
                && let Ok(after) = update(&before, chunks)
            {
                prop_assert!(after.is_empty() || after.ends_with(['\n', '\r']));
            }
        }
    }

    #[test]
    fn patch_of_all_lines_gives_new_text(
        old in prop::collection::vec("[ab\u{2014}]{0,2} ?", 1..12),
        new in prop::collection::vec("[ab\u{2014}]{0,2} ?", 0..12),
    ) {
        prop_assert_eq!(updated(&text(&old), &whole(&old, &new)), Ok(text(&new)));
    }

    #[test]
    fn patch_of_diff_gives_new_text(
        changes in prop::collection::vec((0..4_u8, "[xyz]{1,3}"), 1..60),
    ) {
        // Lines that are all different: then every chunk has one place.
        let old: Vec<String> = (0..changes.len()).map(|n| format!("line {n}")).collect();
        let mut new = Vec::new();
        for (line, (what, other)) in old.iter().zip(&changes) {
            match what {
                0 => new.push(format!("{other} new")),
                1 => new.extend([line.clone(), format!("{other} more")]),
                _ => new.push(line.clone()),
            }
        }
        let (old, new) = (text(&old), text(&new));
        let hunks = hunks(&old, &new);
        if !hunks.is_empty() {
            prop_assert_eq!(updated(&old, &hunks), Ok(new));
        }
    }
}
