//! What a line says of what an answer cost. Pure.
//!
//! Must not know entries. Of a long session every answer is asked, when it is opened first: what is written as usual
//! is read without a decoder, and read the same.

use serde::Deserialize;

use crate::llm::model::Usage;
use crate::llm::model::usage::Cost;

/// What is added up of a usage.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::session) struct Counted {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    #[serde(rename = "cacheWrite1h")]
    cache_write_hour: Option<u64>,
    reasoning: Option<u64>,
    total_tokens: u64,
    cost: Cost,
}

impl From<Counted> for Usage {
    fn from(counted: Counted) -> Self {
        let Counted { input, output, cache_read, cache_write, total_tokens, cost, .. } = counted;
        let Counted { cache_write_hour, reasoning, .. } = counted;
        Self {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_hour,
            reasoning,
            total_tokens,
            cost,
            ..Self::default()
        }
    }
}

/// What a usage says, which a text begins with. A list is none.
pub(in crate::session) fn counted(text: &str) -> Option<Counted> {
    quick(text.as_bytes()).or_else(|| {
        let text = text.trim_start().starts_with('{').then_some(text)?;
        // With nothing to keep of fields that are not known it is read four times as fast.
        serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
    })
}

/// The same as this program and pi write it: fields that are known, one of each, without spaces. `None` where it is
/// for the decoder.
fn quick(text: &[u8]) -> Option<Counted> {
    let mut walk = Walk { rest: text };
    let mut found = Counted::default();
    walk.fields(|walk, name| {
        match name {
            b"input" => found.input = walk.whole()?,
            b"output" => found.output = walk.whole()?,
            b"cacheRead" => found.cache_read = walk.whole()?,
            b"cacheWrite" => found.cache_write = walk.whole()?,
            b"cacheWrite1h" => found.cache_write_hour = Some(walk.whole()?),
            b"reasoning" => found.reasoning = Some(walk.whole()?),
            b"totalTokens" => found.total_tokens = walk.whole()?,
            b"cost" => found.cost = cost(walk)?,
            _ => return None,
        }
        Some(())
    })?;
    Some(found)
}

fn cost(walk: &mut Walk<'_>) -> Option<Cost> {
    let mut cost = Cost::default();
    walk.fields(|walk, name| {
        let field = match name {
            b"input" => &mut cost.input,
            b"output" => &mut cost.output,
            b"cacheRead" => &mut cost.cache_read,
            b"cacheWrite" => &mut cost.cache_write,
            b"total" => &mut cost.total,
            _ => return None,
        };
        // As the decoder reads it, to the last digit.
        *field = serde_json::from_slice(walk.until_end()?).ok()?;
        Some(())
    })?;
    Some(cost)
}

/// Fields of an object that are known here at most.
const FIELDS_MAX: usize = 8;

/// A walk through JSON without spaces.
struct Walk<'a> {
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// An object, whose fields somebody reads; `None` where he does not, or there is one twice.
    fn fields(&mut self, mut read: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        let mut names: [&[u8]; FIELDS_MAX] = [b""; FIELDS_MAX];
        for n in 0..FIELDS_MAX {
            self.take(b'"')?;
            let (name, rest) = self.rest.split_at_checked(memchr::memchr(b'"', self.rest)?)?;
            if names[..n].contains(&name) {
                return None;
            }
            names[n] = name;
            self.rest = rest;
            self.next()?;
            self.take(b':')?;
            read(self, name)?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
        None
    }

    /// What stands before the end of a field's value that is a number.
    fn until_end(&mut self) -> Option<&'a [u8]> {
        let (value, rest) = self.rest.split_at_checked(memchr::memchr2(b',', b'}', self.rest)?)?;
        self.rest = rest;
        Some(value)
    }

    /// A whole number as JSON has it.
    fn whole(&mut self) -> Option<u64> {
        let digits = self.until_end()?;
        let plain = digits.len() == 1 || digits.first().is_some_and(|first| *first != b'0');
        let add = |sum: u64, digit: &u8| {
            let digit = u64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
            sum.checked_mul(10)?.checked_add(digit)
        };
        if plain { digits.iter().try_fold(0, add) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::base::seeds::cases(4096))]

        #[test]
        fn what_is_counted_is_what_a_usage_says(
            fields in proptest::collection::vec((0usize..10, 0usize..14), 0..9),
        ) {
            const NAMES: [&str; 10] = [
                "input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens", "cost",
                "unknown", "total",
            ];
            // Such that nearly all are plain in some cases, and one is not.
            const VALUES: [&str; 14] = [
                "7", "0", "12", "18446744073709551615", r#"{"input":1,"total":2.5}"#, r#"{"output":1e-7,"cacheRead":0.1}"#,
                "1.5", "-3", "null", "\"x\"", r#"{"input":1,"total":2.5,"odd":[]}"#, "[1,2]", "18446744073709551616", "01",
            ];
            let fields = fields.iter().map(|(name, value)| format!("\"{}\":{}", NAMES[*name], VALUES[*value]));
            let text = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
            let whole: Option<Usage> = serde_json::from_str(&text).ok();
            let counted = counted(&text).map(Usage::from);
            let plain = whole.map(|usage| Usage { extra: serde_json::Map::new(), ..usage });
            prop_assert_eq!(counted, plain, "{}", text);
        }
    }

    #[test]
    fn what_is_usual_needs_no_decoder() {
        let usual = r#"{"input":900,"output":80,"cacheRead":0,"cacheWrite":20,"reasoning":7,"totalTokens":18446744073709551615,"cost":{"input":0.1,"output":2,"cacheRead":1e-7,"cacheWrite":0,"total":0.4}},"x":1}"#;
        let found = quick(usual.as_bytes()).map(Usage::from).unwrap();
        let decoded =
            serde_json::Deserializer::from_str(usual).into_iter::<Counted>().next().unwrap().unwrap();
        assert_eq!(found, Usage::from(decoded));
        assert_eq!((found.input, found.total_tokens, found.cost.output), (900, u64::MAX, 2.0));
        for other in
            ["", "{", "{}", "[1]", r#"{"input":1"#, r#"{"input":}"#, r#"{"input":1,}"#, r#"{"input" :1}"#]
        {
            assert!(quick(other.as_bytes()).is_none(), "{other}");
        }
    }
}
