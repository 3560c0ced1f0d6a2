//! Text objects of a modal key map: for a waiting operator, or to be selected.

use crate::ide::core::context::{Command, command};
use crate::ide::editor::modal::moves::{object, syntax_object};
use crate::syntax::structure::objects::SyntaxObject as Node;
use crate::text::modal::objects::TextObject;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.inside-word", "Select inside word", &["iw"], |cx| {
        object(cx, TextObject::Word(false), false);
    }),
    command("vim.around-word", "Select around word", &["aw"], |cx| object(cx, TextObject::Word(false), true)),
    command("vim.inside-big-word", "Select inside WORD", &["iW"], |cx| {
        object(cx, TextObject::Word(true), false);
    }),
    command("vim.around-big-word", "Select around WORD", &["aW"], |cx| {
        object(cx, TextObject::Word(true), true);
    }),
    command("vim.inside-sentence", "Select inside sentence", &["is"], |cx| {
        object(cx, TextObject::Sentence, false);
    }),
    command("vim.around-sentence", "Select around sentence", &["as"], |cx| {
        object(cx, TextObject::Sentence, true);
    }),
    command("vim.inside-paragraph", "Select inside paragraph", &["ip"], |cx| {
        object(cx, TextObject::Paragraph, false);
    }),
    command("vim.around-paragraph", "Select around paragraph", &["ap"], |cx| {
        object(cx, TextObject::Paragraph, true);
    }),
    command("vim.inside-parentheses", "Select inside parentheses", &["ib"], |cx| {
        object(cx, TextObject::Brackets('('), false);
    }),
    command("vim.around-parentheses", "Select around parentheses", &["ab"], |cx| {
        object(cx, TextObject::Brackets('('), true);
    }),
    command("vim.inside-brackets", "Select inside square brackets", &["i["], |cx| {
        object(cx, TextObject::Brackets('['), false);
    }),
    command("vim.around-brackets", "Select around square brackets", &["a["], |cx| {
        object(cx, TextObject::Brackets('['), true);
    }),
    command("vim.inside-braces", "Select inside braces", &["iB", "curly brackets"], |cx| {
        object(cx, TextObject::Brackets('{'), false);
    }),
    command("vim.around-braces", "Select around braces", &["aB", "curly brackets"], |cx| {
        object(cx, TextObject::Brackets('{'), true);
    }),
    command("vim.inside-angles", "Select inside angle brackets", &["i<"], |cx| {
        object(cx, TextObject::Brackets('<'), false);
    }),
    command("vim.around-angles", "Select around angle brackets", &["a<"], |cx| {
        object(cx, TextObject::Brackets('<'), true);
    }),
    command("vim.inside-quotes", "Select inside double quotes", &["string"], |cx| {
        object(cx, TextObject::Quotes('"'), false);
    }),
    command("vim.around-quotes", "Select around double quotes", &["string"], |cx| {
        object(cx, TextObject::Quotes('"'), true);
    }),
    command("vim.inside-single-quotes", "Select inside single quotes", &["string"], |cx| {
        object(cx, TextObject::Quotes('\''), false);
    }),
    command("vim.around-single-quotes", "Select around single quotes", &["string"], |cx| {
        object(cx, TextObject::Quotes('\''), true);
    }),
    command("vim.inside-backticks", "Select inside backticks", &[], |cx| {
        object(cx, TextObject::Quotes('`'), false);
    }),
    command("vim.around-backticks", "Select around backticks", &[], |cx| {
        object(cx, TextObject::Quotes('`'), true);
    }),
    command("vim.inside-tags", "Select inside tags", &["it", "html", "xml"], |cx| {
        object(cx, TextObject::Tags, false);
    }),
    command("vim.around-tags", "Select around tags", &["at", "html", "xml"], |cx| {
        object(cx, TextObject::Tags, true);
    }),
    command("vim.around-function", "Select around function", &["method"], |cx| {
        syntax_object(cx, Node::Function, true);
    }),
    command("vim.inside-function", "Select inside function", &["method"], |cx| {
        syntax_object(cx, Node::Function, false);
    }),
    command("vim.around-class", "Select around class", &["struct", "type"], |cx| {
        syntax_object(cx, Node::Class, true);
    }),
    command("vim.inside-class", "Select inside class", &["struct", "type"], |cx| {
        syntax_object(cx, Node::Class, false);
    }),
    command("vim.around-parameter", "Select around parameter", &["argument"], |cx| {
        syntax_object(cx, Node::Parameter, true);
    }),
    command("vim.inside-parameter", "Select inside parameter", &["argument"], |cx| {
        syntax_object(cx, Node::Parameter, false);
    }),
    command("vim.around-comment", "Select around comment", &[], |cx| {
        syntax_object(cx, Node::Comment, true);
    }),
    command("vim.inside-comment", "Select inside comment", &[], |cx| {
        syntax_object(cx, Node::Comment, false);
    }),
    command("vim.around-test", "Select around test", &[], |cx| syntax_object(cx, Node::Test, true)),
    command("vim.inside-test", "Select inside test", &[], |cx| syntax_object(cx, Node::Test, false)),
];
