//! PDF documents written by hand, object by object, so that a test says what is in them.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A document that grows.
#[derive(Default)]
pub struct Document {
    /// Bodies of objects, the first one's number being 1. Catalog and tree of pages are made at the end.
    objects: Vec<Vec<u8>>,
    /// Numbers of its pages.
    pages: Vec<usize>,
}

/// How its file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PdfLayout {
    /// As in the first version of the format: a table at its end.
    Table,
    /// Objects in a stream, and the table as one, compressed.
    Streams,
}

/// Compressed as `FlateDecode` wants it.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

impl Document {
    /// Adds an object; gives its number.
    pub fn add(&mut self, body: impl AsRef<[u8]>) -> usize {
        self.objects.push(body.as_ref().to_vec());
        self.objects.len()
    }

    /// Adds a stream. `entries` of its dictionary come beside its length.
    pub fn stream(&mut self, entries: &str, data: impl AsRef<[u8]>) -> usize {
        let data = data.as_ref();
        let mut body = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        body.extend_from_slice(data);
        body.extend_from_slice(b"\nendstream");
        self.add(body)
    }

    /// Adds a page of this content. `resources` are entries of their dictionary.
    pub fn page(&mut self, content: impl AsRef<[u8]>, resources: &str) -> usize {
        self.turned_page(content, resources, 0)
    }

    /// Adds a page that is shown turned.
    pub fn turned_page(&mut self, content: impl AsRef<[u8]>, resources: &str, degrees: usize) -> usize {
        let content = self.stream("", content);
        self.page_of(content, resources, degrees)
    }

    /// Adds a page whose content is an object already.
    pub fn page_of(&mut self, content: usize, resources: &str, degrees: usize) -> usize {
        let page = self.add(format!(
            "<< /Type /Page /Parent PAGES /MediaBox [0 0 400 400] /Rotate {degrees} /Contents {content} 0 R \
             /Resources << {resources} >> >>"
        ));
        self.pages.push(page);
        page
    }

    /// Adds a page with lines of text in a plain font.
    pub fn lines(&mut self, lines: &[&str]) -> usize {
        let mut content = "BT /F 12 Tf 14 TL 20 380 Td".to_string();
        for line in lines {
            content.push_str(&format!(" ({line}) Tj T*"));
        }
        content.push_str(" ET");
        self.page(content, PLAIN)
    }

    /// The file.
    pub fn bytes(&self, form: PdfLayout) -> Vec<u8> {
        let mut objects = self.objects.clone();
        let tree = objects.len() + 1;
        let kids: Vec<String> = self.pages.iter().map(|page| format!("{page} 0 R")).collect();
        let count = kids.len();
        objects.push(format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")).into_bytes());
        objects.push(format!("<< /Type /Catalog /Pages {tree} 0 R >>").into_bytes());
        for page in &self.pages {
            let body = String::from_utf8(objects[page - 1].clone()).unwrap();
            objects[page - 1] = body.replace("PAGES", &format!("{tree} 0 R")).into_bytes();
        }
        match form {
            PdfLayout::Table => with_table(&objects),
            PdfLayout::Streams => with_streams(&objects),
        }
    }
}

/// Resources with one of the fonts that every reader has, as `F`.
pub const PLAIN: &str = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";

fn with_table(objects: &[Vec<u8>]) -> Vec<u8> {
    let (mut out, mut places) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (at, body) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(&indirect_object(at + 1, body));
    }
    let (start, size) = (out.len(), objects.len() + 1);
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for place in places {
        table.push_str(&format!("{place:010} 00000 n \n"));
    }
    table.push_str(&format!(
        "trailer\n<< /Size {size} /Root {} 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len()
    ));
    out.extend_from_slice(table.as_bytes());
    out
}

fn indirect_object(number: usize, body: &[u8]) -> Vec<u8> {
    [format!("{number} 0 obj\n").as_bytes(), body, b"\nendobj\n"].concat()
}

/// Streams stay objects of their own; everything else goes into one stream.
fn with_streams(objects: &[Vec<u8>]) -> Vec<u8> {
    let is_stream = |body: &[u8]| body.ends_with(b"endstream");
    let packed: Vec<usize> = (0..objects.len()).filter(|at| !is_stream(&objects[*at])).collect();
    let (holder, table) = (objects.len() + 1, objects.len() + 2);
    let mut out = b"%PDF-1.5\n".to_vec();
    // Kind, place or holder, and for those in the holder which one.
    let mut rows = vec![(0, 0, 0); table + 1];
    for (at, body) in objects.iter().enumerate().filter(|(_, body)| is_stream(body)) {
        rows[at + 1] = (1, out.len(), 0);
        out.extend_from_slice(&indirect_object(at + 1, body));
    }
    let (mut head, mut bodies) = (String::new(), Vec::new());
    for (nth, at) in packed.iter().enumerate() {
        rows[at + 1] = (2, holder, nth);
        head.push_str(&format!("{} {} ", at + 1, bodies.len()));
        bodies.extend_from_slice(&objects[*at]);
        bodies.push(b'\n');
    }
    let data = deflated(&[head.as_bytes(), &bodies].concat());
    rows[holder] = (1, out.len(), 0);
    let (count, first, length) = (packed.len(), head.len(), data.len());
    let dict = format!("<< /Type /ObjStm /N {count} /First {first} /Filter /FlateDecode /Length {length} >>");
    out.extend_from_slice(&indirect_object(
        holder,
        &[dict.as_bytes(), b"\nstream\n", &data, b"\nendstream"].concat(),
    ));
    rows[table] = (1, out.len(), 0);
    let rows: Vec<u8> = rows
        .into_iter()
        .flat_map(|(kind, place, nth)| {
            [&[kind][..], &(place as u32).to_be_bytes(), &(nth as u16).to_be_bytes()].concat()
        })
        .collect();
    let (start, root, size) = (out.len(), objects.len(), table + 1);
    let data = deflated(&rows);
    let dict = format!(
        "<< /Type /XRef /W [1 4 2] /Size {size} /Root {root} 0 R /Filter /FlateDecode /Length {} >>",
        data.len()
    );
    out.extend_from_slice(&indirect_object(
        table,
        &[dict.as_bytes(), b"\nstream\n", &data, b"\nendstream"].concat(),
    ));
    out.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());
    out
}

/// A deflate stream of `blocks` times 2064 zeros, which is 13 bytes for each: eight copies of 258 bytes
/// from one byte back, of 13 bits each.
pub fn zeros(blocks: usize) -> Vec<u8> {
    let (mut bits, mut out) = (Bits::default(), vec![0x78, 0x9c]);
    // The last block, with fixed codes; then one zero.
    bits.push_bits(0b011, 3, &mut out);
    bits.push_code(0b0011_0000, 8, &mut out);
    for _ in 0..blocks * 8 {
        bits.push_code(0b1100_0101, 8, &mut out);
        bits.push_code(0, 5, &mut out);
    }
    bits.push_code(0, 7, &mut out);
    bits.push_bits(0, 7, &mut out);
    out
}

#[derive(Default)]
struct Bits {
    pending: u32,
    count: u32,
}

impl Bits {
    /// Bits as numbers have them: the lowest first.
    fn push_bits(&mut self, bits: u32, count: u32, out: &mut Vec<u8>) {
        self.pending |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            out.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// Bits as Huffman codes have them: the highest first.
    fn push_code(&mut self, code: u32, count: u32, out: &mut Vec<u8>) {
        self.push_bits(code.reverse_bits() >> (32 - count), count, out);
    }
}
