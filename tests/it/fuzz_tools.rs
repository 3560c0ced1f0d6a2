//! What the agent's tools get from outside, damaged by the generator of `fuzz`: output of commands, patches,
//! texts to replace, command lines.

use std::sync::Arc;

use bowline::patch::passes::{self, Pass, Tolerance};
use bowline::patch::replace::{self, Change, ReplaceOptions};
use bowline::patch::v4a::outline::Outline;
use bowline::patch::v4a::parse::{self, Section};
use bowline::patch::v4a::update;
use bowline::tools::output::artifacts::Artifacts;
use bowline::tools::output::command_output::{Output, OutputCollector};
use bowline::tools::output::limits::{BYTES_MAX, Keep, Limits};
use bowline::tools::output::truncation::{self, Body};
use bowline::tools::permissions::policy::{self, Roots, Verdict};
use bowline::tools::{Mode, ToolClass, command, output::ansi};

use crate::fuzz::{Rng, run_target};

/// Colors, titles, progress, wide letters, and bytes that are no text.
const PRINTED: &[u8] = b"\x1b[1;31merror\x1b[0m: caf\xc3\xa9 \xe2\x94\x82 \xf0\x9f\x98\x80\r\n\x1b]0;title\x07\
    10%\r 20%\r100%\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\ttab\x08\x08\x0bbell\x07\n\x1b(B\x1b[?25l\x1b[2K\xff\xfe\
    \xe2\x94 \xc2\x9b31m \xc2\x9dstring\xc2\x9c plain\n\n\x1bPq#0\x1b\\ end\x1b";

fn collect(artifacts: &Arc<Artifacts>, pieces: &[Vec<u8>]) -> Output {
    let mut collector = OutputCollector::new(artifacts.start_writing("bash"));
    for piece in pieces {
        collector.push(piece);
    }
    collector.take(artifacts.start_writing("bash"), true)
}

fn some_limits(chance: &mut Rng) -> Limits {
    let keep = if chance.below(2) == 0 { Keep::Ends } else { Keep::Tail };
    let lines = (chance.below(2) == 0).then(|| 1 + chance.below(40));
    Limits { chars: chance.below(3000), keep, lines }
}

#[test]
fn fuzz_command_output_ignores_chunk_boundaries() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Arc::new(Artifacts::new(folder.path().join("outputs")));
    run_target("command output", |chance| {
        let mut bytes = PRINTED.repeat(1 + chance.below(8));
        chance.damage(&mut bytes);
        // Now and then so much that the middle is only in the artifact.
        if chance.below(40) == 0 && !bytes.is_empty() {
            bytes = bytes.repeat(1_300_000 / bytes.len() + 1);
        }
        let wanted = ansi::strip_ansi(&String::from_utf8_lossy(&bytes));
        assert!(wanted.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{wanted:?}");
        let wanted = wanted.trim_end_matches('\n');
        let pieces = chance.split(&bytes);
        let output = collect(&artifacts, &pieces);
        let once = collect(&artifacts, &[bytes.clone()]);
        assert_eq!(output.bytes, once.bytes, "however it is cut");
        assert_eq!(output.body.chars(), wanted.chars().count());
        match &output.body {
            Body::Whole(text) => assert_eq!(text, wanted),
            Body::Ends { head, tail, .. } => {
                assert!(wanted.starts_with(head.as_str()) && wanted.ends_with(tail.as_str()));
            }
        }
        let limits = some_limits(chance);
        if let Some(cut) = truncation::truncate(&output.body, limits) {
            // What is left, and words on what is not.
            assert!(cut.chars().count() <= limits.chars + 500, "{} of {limits:?}", cut.chars().count());
        } else {
            assert!(wanted.chars().count() <= limits.chars);
        }
        let last = output.last_lines();
        assert!(last.text.len() <= BYTES_MAX && wanted.contains(&last.text));
        if let Some(kept) = last.kept {
            let text = std::fs::read_to_string(&kept.path).unwrap();
            assert_eq!(text.trim_end_matches('\n'), wanted, "all of it is kept");
            std::fs::remove_file(kept.path).unwrap();
        }
    });
}

const FILE: &str = "fn one() {\n    let a = 1;\n\tlet b = \u{201c}two\u{201d};\n}\n\nfn two() {\n    // caf\u{e9}\n    one();\n    one();\n}\nlast";
const PATCH: &str = "*** Begin Patch\n*** Environment ID: x\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn one() {\n     let a = 1;\n-\tlet b = \u{201c}two\u{201d};\n+\tlet b = 2;\n }\n@@\n-last\n+the end\n*** End of File\n*** Add File: c.rs\n+new\n+\n*** Delete File: d.rs\n*** End Patch\n";

#[test]
fn fuzz_broken_patches_parse_deterministically() {
    run_target("apply_patch", |chance| {
        let mut bytes = PATCH.as_bytes().to_vec();
        if chance.below(8) > 0 {
            chance.damage(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (mut whole, mut pieces) = (Outline::default(), Outline::default());
        whole.feed(&text);
        text.chars().for_each(|c| pieces.feed(c.encode_utf8(&mut [0; 4])));
        assert_eq!((whole.files(), whole.error()), (pieces.files(), pieces.error()), "{text}");
        let Ok(sections) = parse::parse(&text) else { return };
        let mut file = FILE.as_bytes().to_vec();
        if chance.below(2) == 0 {
            chance.damage(&mut file);
        }
        let file = String::from_utf8_lossy(&file).into_owned();
        for section in &sections {
            assert!(section.paths().all(|path| !path.contains('\n')), "{text}");
            let Section::Update { chunks, .. } = section else { continue };
            if let Ok(after) = update::update(&file, chunks) {
                assert_eq!(update::update(&file, chunks), Ok(after), "the same again");
            }
        }
    });
}

/// A piece of a text, at characters.
fn slice_of(chance: &mut Rng, text: &str) -> String {
    let from = text.floor_char_boundary(chance.below(text.len()));
    let to = text.ceil_char_boundary((from + 1 + chance.below(60)).min(text.len()));
    text[from..to].to_string()
}

#[test]
fn fuzz_edit_replacement_changes_text_consistently() {
    run_target("tolerant edits", |chance| {
        let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let mut file = FILE.as_bytes().to_vec();
        if chance.below(3) == 0 {
            chance.damage(&mut file);
        }
        let file = lossy(file);
        let mut old = slice_of(chance, &file).into_bytes();
        if chance.below(2) == 0 {
            chance.damage(&mut old);
        }
        let (old, new) = (lossy(old), slice_of(chance, FILE));
        let ladder = if chance.below(2) == 0 { Tolerance::Careful } else { Tolerance::Fuzzy };
        let how = ReplaceOptions { tolerance: ladder, everywhere: chance.below(3) == 0 };
        let plain = ![&file, &old, &new].iter().any(|text| text.contains('\r'));
        if plain && !old.is_empty() {
            for found in passes::find_all(&file, &old, ladder) {
                assert!(file.get(found.range.clone()).is_some(), "{found:?} in {file:?}");
            }
        }
        let change = Change { old: old.clone(), new: new.clone() };
        let Ok(made) = replace::apply(&file, &[change], how) else { return };
        assert!(made.count > 0 && made.text != file, "{made:?}");
        assert!(how.everywhere || made.count == 1, "{made:?}");
        if plain && made.passes == [Pass::Exact] && !how.everywhere {
            assert_eq!(made.text, file.replacen(&old, &new, 1));
        }
    });
}

/// Lines that only look, in every form that the parser knows.
const LINES: [&str; 8] = [
    "ls -la src && cat \"a b.txt\" | grep -n 'x y' | head -5",
    "for f in *.rs; do wc -l \"$f\"; done",
    "if [ -e a ]; then cat a; else echo no; fi",
    "cat <<'EOF' | sort\nb\na\nEOF",
    "find . -name '*.rs' -print0 | xargs -0 grep -l x",
    "git log --oneline -5; git -C sub status 2>/dev/null",
    "echo $(cat a | wc -l) `pwd` ${x:-y} $((1 + 2))",
    "case $1 in a*) ls;; *) pwd;; esac; f() { ls; }; f",
];

#[test]
fn fuzz_command_lines_with_rm_need_approval() {
    let roots = Roots { root: "/work".into(), ..Roots::default() };
    let runs = |line: &str| policy::judge(Mode::OnRequest, ToolClass::Runs, line, &roots) == Verdict::Run;
    assert!(runs(LINES[0]), "what only looks runs");
    run_target("command lines", |chance| {
        let mut bytes = LINES[chance.below(LINES.len())].as_bytes().to_vec();
        if chance.below(8) > 0 {
            chance.damage(&mut bytes);
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(command::parse(&line), command::parse(&line), "{line:?}");
        // Whatever stands behind it, what comes first is not lost.
        for first in
            ["rm -rf x\n", "rm -rf x; ", "rm -rf x & ", "rm -rf x | ", "rm -rf x && ", "! rm -rf x\n"]
        {
            let all = format!("{first}{line}");
            assert!(!runs(&all), "{all:?}");
        }
        // Nor is what it is wrapped in.
        for (before, behind) in [("(rm -rf x\n", "\n)"), ("{ rm x\n", "\n}"), ("eval \"rm x\"\n", "")] {
            let all = format!("{before}{line}{behind}");
            assert!(!runs(&all), "{all:?}");
        }
    });
}
