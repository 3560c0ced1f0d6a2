//! PDF documents in every family's way of showing files: what is in them, and what is wrong with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::message::join_text;
use bowline::tools::contract::config::ToolConfig;
use bowline::tools::reading::pdf::extract::{self, PageRequest, PdfError};
use bowline::tools::{AgentToolState, Invocation, Outcome, Registry};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::pdf::{Document, PLAIN, PdfLayout, deflated, zeros};

const ALL: PageRequest = PageRequest { first: 1, last: usize::MAX, unless: usize::MAX };

/// The text of each page.
fn pages(bytes: Vec<u8>) -> Vec<String> {
    let paper = extract::read(bytes, ALL, &|| false).unwrap();
    assert_eq!(paper.shown.len(), paper.pages);
    paper.shown.into_iter().map(|page| page.text).collect()
}

/// The text of a document of one page of this content.
fn page(content: &str, resources: &str) -> String {
    let mut document = Document::default();
    document.page(content, resources);
    pages(document.bytes(PdfLayout::Table)).remove(0)
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pdf").join(name)).unwrap()
}

/// A folder with documents, and tools that look at them.
struct DocumentFixture {
    folder: tempfile::TempDir,
    shared: Arc<AgentToolState>,
}

impl DocumentFixture {
    /// Whose documents are read by another process, as the program does it.
    fn new() -> Self {
        Self::with_program(Some(PathBuf::from(env!("CARGO_BIN_EXE_bowline"))))
    }

    fn with_program(program: Option<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shared = AgentToolState::new(folder.path().join("outputs"));
        let shared = Arc::new(shared.with_config(ToolConfig { program, ..ToolConfig::default() }));
        Self { folder, shared }
    }

    fn write_file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    async fn execute(&self, set: &str, tool: &str, args: Value, cancel: CancellationToken) -> Outcome {
        let registry = Registry::of(set);
        let tool = registry.get(tool).unwrap();
        let schema = bowline::base::schema::Schema::new(&tool.spec().parameters);
        let args = schema.check(tool.prepare(args)).unwrap();
        let env = Arc::new(LocalEnvironment::new(self.folder.path().to_path_buf(), []));
        let mut call = Invocation::new(args, env, Arc::clone(&self.shared));
        call.cancel = cancel;
        tool.run(call).await
    }

    /// What the model is told, and whether it is an error.
    async fn outcome(&self, set: &str, tool: &str, args: Value) -> (bool, String) {
        let outcome = self.execute(set, tool, args, CancellationToken::new()).await;
        (outcome.is_error, join_text(&outcome.content))
    }

    async fn ok(&self, set: &str, tool: &str, args: Value) -> String {
        let (failed, text) = self.outcome(set, tool, args).await;
        assert!(!failed, "{text}");
        text
    }

    async fn error(&self, set: &str, tool: &str, args: Value) -> String {
        let (failed, text) = self.outcome(set, tool, args).await;
        assert!(failed, "{text}");
        text
    }
}

/// A document of so many pages, each with its number and two lines.
fn numbered_document(count: usize) -> Document {
    let mut document = Document::default();
    for number in 1..=count {
        document.lines(&[&format!("Page number {number}."), "Its second line."]);
    }
    document
}

#[tokio::test]
async fn pdf_pages_follow_format_of_model_family() {
    let shelf = DocumentFixture::new();
    shelf.write_file("a.pdf", numbered_document(2).bytes(PdfLayout::Table));
    let whole = "--- Page 1 of 2 ---\nPage number 1.\nIts second line.\n\n--- Page 2 of 2 ---\nPage number 2.\nIts second line.";
    assert_eq!(shelf.ok("pi", "read", json!({"path": "a.pdf"})).await.trim_end(), whole);
    assert_eq!(shelf.ok("gemini", "read_file", json!({"file_path": "a.pdf"})).await.trim_end(), whole);
    let numbered = |form: fn(usize, &str) -> String| -> String {
        let lines = whole.lines().enumerate();
        lines.map(|(at, line)| form(at + 1, line)).collect::<Vec<_>>().join("\n")
    };
    let text = shelf.ok("openai", "read_file", json!({"file_path": "a.pdf"})).await;
    assert_eq!(text, numbered(|number, line| format!("{number} | {line}")));
    let text = shelf.ok("anthropic", "Read", json!({"file_path": "a.pdf"})).await;
    assert_eq!(text, numbered(|number, line| format!("{number:>6}\t{line}")));
    let text = shelf.ok("gemini", "read_many_files", json!({"include": ["*.pdf"]})).await;
    assert_eq!(text, format!("--- a.pdf ---\n\n{whole}\n\n--- End ---"));
    assert!(shelf.error("openai", "view_image", json!({"path": "a.pdf"})).await.contains("no picture"));
}

#[tokio::test]
async fn pdf_long_document_is_paged_by_line_offset() {
    let shelf = DocumentFixture::new();
    shelf.write_file("a.pdf", numbered_document(30).bytes(PdfLayout::Streams));
    let text = shelf.ok("pi", "read", json!({"path": "a.pdf", "offset": 5, "limit": 2})).await;
    assert_eq!(text, "--- Page 2 of 30 ---\nPage number 2.\n\n[113 more lines of 119. Go on with offset=7.]");
    let text = shelf.ok("gemini", "read_file", json!({"file_path": "a.pdf", "start_line": 117})).await;
    assert_eq!(text, "--- Page 30 of 30 ---\nPage number 30.\nIts second line.\n");
    let text = shelf.error("openai", "read_file", json!({"file_path": "a.pdf", "offset": 120})).await;
    assert_eq!(text, "Offset 120 is beyond the end of a.pdf, which has 119 lines.");
}

#[tokio::test]
async fn pdf_pages_argument_selects_pages() {
    let shelf = DocumentFixture::new();
    shelf.write_file("a.pdf", numbered_document(30).bytes(PdfLayout::Table));
    shelf.write_file("ten.pdf", numbered_document(10).bytes(PdfLayout::Table));
    let read = |pages: &str| json!({"file_path": "a.pdf", "pages": pages});
    let why = shelf.error("anthropic", "Read", json!({"file_path": "a.pdf"})).await;
    assert_eq!(
        why,
        "a.pdf has 30 pages. Name those to show with pages, such as \"1-10\": at most 20 at a time."
    );
    assert!(shelf.ok("anthropic", "Read", json!({"file_path": "ten.pdf"})).await.contains("Page number 10."));
    let text = shelf.ok("anthropic", "Read", read("29-31")).await;
    assert!(text.starts_with("     1\t--- Page 29 of 30 ---\n     2\tPage number 29."), "{text}");
    assert!(text.ends_with("\tPage number 30.\n     7\tIts second line."), "{text}");
    assert!(shelf.ok("anthropic", "Read", read("7")).await.contains("Page number 7."));
    assert!(shelf.error("anthropic", "Read", read("1-21")).await.contains("at most 20 can be shown"));
    assert!(shelf.error("anthropic", "Read", read("x")).await.contains("names no pages"));
    assert_eq!(
        shelf.error("anthropic", "Read", read("31-40")).await,
        "a.pdf has 30 pages. Ask for some of these."
    );
    let title = Registry::of("anthropic").get("Read").unwrap().call_view(&read("29-30")).title;
    assert_eq!(title, "a.pdf pages 29-30");
}

#[test]
fn pdf_xref_table_object_streams_and_filters_are_read() {
    for form in [PdfLayout::Table, PdfLayout::Streams] {
        let mut document = numbered_document(2);
        let content =
            document.stream("/Filter /FlateDecode", deflated(b"BT /F 9 Tf 9 9 Td (squeezed) Tj ET"));
        document.page_of(content, PLAIN, 0);
        let hex = "4254202F462039205466 2039203920546420286865782920546A204554>";
        let content = document.stream("/Filter /ASCIIHexDecode", hex);
        document.page_of(content, PLAIN, 0);
        let text = pages(document.bytes(form));
        assert_eq!(
            text,
            ["Page number 1.\nIts second line.", "Page number 2.\nIts second line.", "squeezed", "hex"]
        );
    }
}

/// A font of single bytes with this encoding, as `F`.
fn font_with_encoding(encoding: &str) -> String {
    format!(
        "/Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 0 /Widths [{}] /Encoding {encoding} >> >>",
        "500 ".repeat(256)
    )
}

#[test]
fn pdf_single_byte_encodings_decode() {
    let show = |encoding: &str, octal: &str| {
        page(&format!("BT /F 10 Tf 9 9 Td ({octal}) Tj ET"), &font_with_encoding(encoding))
    };
    assert_eq!(show("/WinAnsiEncoding", r"caf\351 \200 \223x\224 \225"), "café € “x” •");
    assert_eq!(show("/MacRomanEncoding", r"caf\216 \322x\323 \336"), "café “x” fi");
    assert_eq!(show("/StandardEncoding", r"\256 \341 `'"), "fi Æ ‘’");
    let differences =
        "<< /BaseEncoding /WinAnsiEncoding /Differences [65 /ffi /Gamma 70 /uni20AC /f_f.alt /g99 /c71] >>";
    assert_eq!(show(differences, "ABCFGHI\\134\\)"), "ffiΓC€ffHI\\)");
    let symbol = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Symbol >> >>";
    assert_eq!(page(r"BT /F 10 Tf (ab\267) Tj ET", symbol), "αβ•");
}

#[test]
fn pdf_font_program_encoding_is_used() {
    let mut document = Document::default();
    let program = document.stream(
        "",
        "/Encoding 256 array\ndup 11 /ff put\ndup 12 /fi put\ndup 65 /Omega put\nreadonly def\neexec",
    );
    let about = document
        .add(format!("<< /Type /FontDescriptor /FontName /CMR10 /Flags 4 /FontFile {program} 0 R >>"));
    let font = document.add(format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 11 /Widths [583 556] /FontDescriptor {about} 0 R >>"
    ));
    document.page(r"BT /F 10 Tf [(e\013) 27 (ect)-333(\014n)] TJ ET", &format!("/Font << /F {font} 0 R >>"));
    // The blank is no glyph: it is the gap of a third.
    assert_eq!(pages(document.bytes(PdfLayout::Table))[0], "effect fin");
}

/// A map to Unicode of these lines.
fn to_unicode_map(lines: &str) -> String {
    format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <0000> <FFFF> \
         endcodespacerange\n{lines}\nendcmap end end"
    )
}

#[test]
fn pdf_to_unicode_map_decodes_two_byte_codes() {
    let mut document = Document::default();
    let to_unicode = document.stream(
        "",
        to_unicode_map("3 beginbfchar <0001> <0048> <0002> <006600660069> <0005> <D83DDE00> endbfchar 1 beginbfrange <0010> <0012> <0061> endbfrange"),
    );
    let inner = document
        .add("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /W [1 [700 800] 16 18 500] >>");
    let font = document.add(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [{inner} 0 R] /ToUnicode {to_unicode} 0 R >>"
    ));
    let resources = format!("/Font << /F {font} 0 R >>");
    // Where the next one stands says how wide the one before is: 7 and 8 at a size of 10.
    document.page(
        "BT /F 10 Tf <0001> Tj 7 0 Td <0002> Tj 8 0 Td <001000110012> Tj 15 0 Td <00050099> Tj ET",
        &resources,
    );
    let paper = extract::read(document.bytes(PdfLayout::Streams), ALL, &|| false).unwrap();
    assert_eq!(paper.shown[0].text, "Hffiabc😀\u{fffd}");
    assert_eq!((paper.shown[0].unknown, paper.shown[0].glyphs), (1, 7));
}

#[test]
fn pdf_extreme_numbers_do_not_panic() {
    let font = |inner: &str| {
        let inner = format!("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X {inner} >>");
        format!(
            "/Font << /F << /Type /Font /Subtype /Type0 /Encoding /UniGB-UCS2-H /DescendantFonts [{inner}] >> >>"
        )
    };
    let huge = "9".repeat(38);
    for inner in [
        "/W [4294967295 [1 2 3]]".to_string(),
        "/W [-9 [1] 99999999999 [2 3]]".to_string(),
        format!("/W [9 4294967295 {huge}]"),
        format!("/DW {huge}.5"),
    ] {
        assert!(page("BT /F 10 Tf <0041> Tj ET", &font(&inner)).contains('A'), "{inner}");
    }
    let far = format!("BT /F {huge} Tf {huge} 0 0 {huge} 0 0 Tm (x) Tj {huge} {huge} Td (y) Tj (z) Tj ET");
    assert!(page(&format!("BT /F 9 Tf (here) Tj ET {far}"), PLAIN).starts_with("here"));
}

#[test]
fn pdf_cjk_encodings_decode() {
    let with = |encoding: &str, hex: &str| {
        let font = format!(
            "/Font << /F << /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /{encoding} /DescendantFonts \
             [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X >>] >> >>"
        );
        page(&format!("BT /F 10 Tf 50 50 Td <{hex}> Tj ET"), &font)
    };
    assert_eq!(with("90ms-RKSJ-H", "93FA967BB1"), "日本ｱ");
    assert_eq!(with("GBK-EUC-H", "D6D0CEC4"), "中文");
    assert_eq!(with("UniJIS-UTF16-H", "65E5672CD842DFB7"), "日本𠮷");
    assert_eq!(with("CNS-EUC-H", "C4E3C5C6"), "中文");
    assert_eq!(with("UniGB-UCS2-V", "4E2D6587"), "中文", "a line that goes down");
}

#[test]
fn pdf_graphics_states_forms_and_marked_text_are_read() {
    let text = page(
        "q BT /F 10 Tf 10 0 0 10 5 5 Tm (a) Tj ET Q q 2 0 0 2 0 0 cm BT /F 10 Tf 20 TL 5 90 Td (b) Tj (c) ' 1 2 (d) \" ET Q",
        PLAIN,
    );
    assert_eq!(text, "a\n\nb\nc\nd");
    let marked = "BT /F 10 Tf 9 9 Td (in) Tj /Span << /ActualText <FEFF00660066> >> BDC (\\001\\002) Tj EMC /P << /MCID 1 >> BDC (x) Tj EMC ET";
    assert_eq!(page(marked, PLAIN), "inffx");
    let mut document = Document::default();
    let inner = document.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 0 -20]",
        "BT /F 10 Tf 9 90 Td (in a form) Tj ET",
    );
    let resources = format!("{PLAIN} /XObject << /X {inner} 0 R >>");
    document.page("BT /F 10 Tf 9 90 Td (outside) Tj ET /X Do", &resources);
    assert_eq!(pages(document.bytes(PdfLayout::Table))[0], "outside\nin a form");
}

#[test]
fn pdf_recursive_form_terminates() {
    let mut document = Document::default();
    // Three times itself at each of its depths.
    let own = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 1 0 R >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>";
    let form = document.stream(own, "BT /F 10 Tf 9 90 Td (x) Tj ET /X Do /X Do");
    document.page("/X Do", &format!("/XObject << /X {form} 0 R >>"));
    assert!(pages(document.bytes(PdfLayout::Table))[0].starts_with('x'));
}

#[test]
fn pdf_rotated_text_is_read() {
    let mut document = Document::default();
    document.turned_page("BT /F 10 Tf 0 1 -1 0 100 50 Tm (Turned) Tj 0 -12 Td (and below) Tj ET", PLAIN, 90);
    assert_eq!(pages(document.bytes(PdfLayout::Table))[0], "Turned\nand below");
}

#[test]
fn pdf_files_of_real_producers_are_read() {
    let typst = pages(fixture("typst.pdf"));
    assert_eq!(
        typst[0],
        "Efficient offices\nThe first office is efficient: ligatures such as fi, fl and ffi are\nletters again. Café, Straße, \
         Łódź, Ελλάδα.\n\nThe left column comes first\nand has more than one line of\ntext in it.\n\nThe right column \
         follows, it\nalso has more than one line of\ntext in it.\n\nName Size Date\nalpha 12  May\nbeta  345 June\n\n\
         fn main() {\n    if true {\n        println!(\"deep\");\n    }\n}\n\n1"
    );
    assert_eq!(typst[1], "Second page\nThe end.\n\n2");
    assert_eq!(
        pages(fixture("cairo.pdf")),
        ["Cairo wrote this: ½ café – “quoted”.\nA second line.\n\nUp the margin"]
    );
    assert_eq!(pages(fixture("skia.pdf")), ["Skia, as in a browser: Ünïcode → ½\nOn two lines."]);
}

#[tokio::test]
async fn pdf_encrypted_without_password_is_read() {
    for name in ["rc4.pdf", "aes128.pdf", "open.pdf"] {
        assert_eq!(pages(fixture(name)), ["Not for everyone."], "{name}");
    }
    assert_eq!(extract::read(fixture("locked.pdf"), ALL, &|| false), Err(PdfError::Password));
    let shelf = DocumentFixture::new();
    shelf.write_file("locked.pdf", fixture("locked.pdf"));
    let why = shelf.error("pi", "read", json!({"path": "locked.pdf"})).await;
    assert!(why.starts_with("locked.pdf is encrypted, and a password is needed to read it."), "{why}");
}

#[tokio::test]
async fn pdf_without_text_or_damaged_is_reported() {
    let shelf = DocumentFixture::new();
    let mut scan = Document::default();
    let picture = scan.stream(
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        b"x",
    );
    scan.page("q 9 0 0 9 0 0 cm /I Do Q", &format!("/XObject << /I {picture} 0 R >>"));
    shelf.write_file("scan.pdf", scan.bytes(PdfLayout::Table));
    let why = shelf.error("pi", "read", json!({"path": "scan.pdf"})).await;
    assert!(why.starts_with("scan.pdf has 1 page and no text, only pictures."), "{why}");
    scan.lines(&["but here"]);
    scan.page("", "");
    shelf.write_file("half.pdf", scan.bytes(PdfLayout::Table));
    let text = shelf.ok("pi", "read", json!({"path": "half.pdf"})).await;
    assert!(
        text.contains("1 of 3 ---\n[There is no text on this page, only a picture.]\n\n--- Page 2"),
        "{text}"
    );
    assert!(text.contains("but here") && text.contains("[This page is empty.]"), "{text}");
    let whole = numbered_document(3).bytes(PdfLayout::Table);
    for (name, bytes) in [
        ("head.pdf", &b"%PDF-1.7\n"[..]),
        ("noise.pdf", b"%PDF-1.4 \0\xff endobj stream 1 0 obj <<"),
        ("cut.pdf", &whole[..40]),
    ] {
        shelf.write_file(name, bytes);
        let why = shelf.error("anthropic", "Read", json!({"file_path": name})).await;
        assert!(why.starts_with(&format!("{name} is a damaged PDF document")), "{why}");
    }
    // Without its table a document is found again by its objects.
    let table = whole.windows(5).rposition(|window| window == b"xref\n").unwrap();
    assert_eq!(pages(whole[..table].to_vec()).len(), 3);
}

#[tokio::test]
async fn pdf_decompression_bomb_is_rejected() {
    let shelf = DocumentFixture::new();
    let mut bomb = Document::default();
    // 1.2 GB in 8 MB in a few thousand bytes.
    let content = bomb.stream("/Filter [/FlateDecode /FlateDecode]", deflated(&zeros(600_000)));
    bomb.page_of(content, PLAIN, 0);
    let bytes = bomb.bytes(PdfLayout::Table);
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    shelf.write_file("bomb.pdf", bytes);
    let why = shelf.error("pi", "read", json!({"path": "bomb.pdf"})).await;
    assert!(why.starts_with("bomb.pdf cannot be read: it is damaged, or made to use up memory."), "{why}");
    // The next one is read as if nothing had been.
    shelf.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Table));
    assert!(shelf.ok("pi", "read", json!({"path": "a.pdf"})).await.contains("Page number 1."));
}

#[tokio::test]
async fn pdf_read_canceled_token_returns_interrupted() {
    let shelf = DocumentFixture::new();
    shelf.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Table));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = shelf.execute("pi", "read", json!({"path": "a.pdf"}), cancel).await;
    assert_eq!((outcome.is_error, join_text(&outcome.content).as_str()), (true, "Interrupted."));
}

#[tokio::test]
async fn pdf_read_cancel_stops_running_subprocess() {
    // What reads says that it has begun, and never ends.
    let shelf = DocumentFixture::new();
    let begun = shelf.folder.path().join("begun");
    rustix::fs::mkfifoat(rustix::fs::CWD, &begun, rustix::fs::Mode::RWXU).unwrap();
    let reader = shelf.folder.path().join("reader");
    fs::write(&reader, format!("#!/bin/sh\necho up > '{}'\nexec sleep 600\n", begun.display())).unwrap();
    fs::set_permissions(&reader, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let slow = DocumentFixture::with_program(Some(reader));
    slow.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Table));
    let cancel = CancellationToken::new();
    let heard = tokio::task::spawn_blocking(move || fs::read(begun).unwrap());
    let cancelling = async {
        heard.await.unwrap();
        cancel.cancel();
    };
    let (outcome, ()) =
        tokio::join!(slow.execute("pi", "read", json!({"path": "a.pdf"}), cancel.clone()), cancelling);
    assert_eq!((outcome.is_error, join_text(&outcome.content).as_str()), (true, "Interrupted."));
}

#[tokio::test]
async fn pdf_without_reader_program_is_read_in_process() {
    let shelf = DocumentFixture::with_program(None);
    shelf.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Streams));
    assert!(shelf.ok("pi", "read", json!({"path": "a.pdf"})).await.contains("Page number 1."));
    let shelf = DocumentFixture::with_program(Some(PathBuf::from("/none")));
    shelf.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Streams));
    let why = shelf.error("pi", "read", json!({"path": "a.pdf"})).await;
    assert!(why.contains("does not work: cannot start /none"), "{why}");
    let shelf = DocumentFixture::with_program(Some(PathBuf::from("/bin/true")));
    shelf.write_file("a.pdf", numbered_document(1).bytes(PdfLayout::Streams));
    let why = shelf.error("pi", "read", json!({"path": "a.pdf"})).await;
    assert!(why.contains("does not work: EOF"), "{why}");
}
