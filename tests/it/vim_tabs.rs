//! Tabs in the Vim key map, and faults found with them, each against what Neovim 0.7.2 comes to: written as in
//! `vim_faults`.

use crate::vim_faults::check;

#[tokio::test]
async fn vim_shift_uses_indentation_of_first_indented_line() {
    check(&[
        ("\\ta\\nb\\n", "j>>", "n 2:1", "\\ta\\n\\tb\\n"),
        ("a\\n\\tb\\n  c\\n", "Gi<C-t><Esc>", "n 3:2", "a\\n\\tb\\n  \\tc\\n"),
        ("\\ta\\n  b\\n", "j>>", "n 2:1", "\\ta\\n\\t  b\\n"),
        ("  a\\n\\tb\\n", "j>>", "n 2:1", "  a\\n        b\\n"),
        ("\\ta\\nb\\n", "<lt><lt>j>>", "n 2:1", "a\\n\\tb\\n"),
        ("\\ta\\n\\tb\\n    c\\n", "x>j", "n 1:1", "\\ta\\n\\t\\tb\\n    c\\n"),
        ("\\t    four\\n", "a<C-t>x<Esc>", "n 1:3", "\\t\\tx\\tfour\\n"),
        ("\\ta\\n", "$i<Tab>x<Esc>", "n 1:3", "\\t\\txa\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_vertical_motion_from_tab_targets_last_column() {
    check(&[
        ("\\tone\\ntwo three\\n", "j", "n 2:4", "\\tone\\ntwo three\\n"),
        ("\\tone\\n", "<lt><lt>", "n 1:3", "one\\n"),
        ("two three\\n\\tone\\n", "jvlk<Esc>", "n 1:5", "two three\\n\\tone\\n"),
        ("a\\tb\\tc\\nabcdefghijk\\n", "llvlohj<Esc>", "n 2:2", "a\\tb\\tc\\nabcdefghijk\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_repeat_of_visual_command_counts_columns() {
    check(&[
        ("a\\tb c\\nabcdefgh\\n", "vl~jk0.", "n 1:1", "a\\tb c\\nabcdefgh\\n"),
        ("a\\tb c\\nabcdefgh\\n", "vl~j0.", "n 2:1", "A\\tb c\\nABCDefgh\\n"),
    ])
    .await;
}

#[tokio::test]
async fn block_paste_splits_tabs() {
    check(&[
        ("ab\\ncd\\n\\tx\\n\\ty\\n", "<C-v>jlyjj<C-v>joyggjp", "n 2:3", "ab\\ncd\\t\\n  \\t  x\\n\\ty\\n"),
        ("abcd\\n\\tx\\n\\ty\\n", "<C-v>Gly2lp", "n 1:4", "abcabcd d\\n   \\tx x\\n   \\ty y\\n"),
    ])
    .await;
}

#[tokio::test]
async fn block_shift_changes_adjacent_whitespace() {
    check(&[
        ("\\t    four\\n", "<C-v>of1><Esc>", "n 1:1", "\\t\\t\\tfour\\n"),
        ("ab\\tcd\\nab\\tcd\\n", "lll<C-v>j><Esc>", "n 1:4", "ab      cd\\nab      cd\\n"),
        ("\\tab  cd\\n\\tab  cd\\n", "lll<C-v>jl<lt><Esc>", "n 1:4", "\\tabcd\\n\\tabcd\\n"),
        ("ab\\n\\t\\tcd\\n", "jl<C-v>><Esc>", "n 2:2", "ab\\n\\t\\t\\tcd\\n"),
        ("ab\\nabcdef\\n", "jll<C-v>k><Esc>", "n 1:3", "ab    \\nab    cdef\\n"),
        ("one\\n    three\\n", "<C-v>j$>dd", "n 1:1", "        three\\n"),
    ])
    .await;
}

#[tokio::test]
async fn block_insert_splits_tabs() {
    check(&[
        ("abcd\\n\\tx\\nabcd\\n", "ll<C-v>jjIé<Esc>", "n 1:3", "abécd\\n  é  x\\nabécd\\n"),
        ("abcd\\n\\tx\\nabcd\\n", "ll<C-v>jjAé<Esc>", "n 1:3", "abcéd\\n   é x\\nabcéd\\n"),
        ("ab\\nx y\\n", "<C-v>jCé<CR><Esc>", "n 2:1", "é\\né\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_brace_object_skips_unmatched_closing_brace() {
    check(&[
        ("}\\n  if { x }\\n", "yaB", "n 2:6", "}\\n  if { x }\\n"),
        ("\\t}\\n{ x }\\n", "da{", "n 2:1", "\\t}\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_ctrl_u_on_opened_line_deletes_indent() {
    check(&[
        ("  one\\n", "o  <C-u>)<Esc>", "n 2:1", "  one\\n)\\n"),
        ("  one\\n", "o x<C-u>)<Esc>", "n 2:4", "  one\\n   )\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_newline_escape_cursor_matches_neovim() {
    check(&[
        ("   x\\n", "wiab<CR><Esc>", "n 2:4", "   ab\\n   x\\n"),
        ("   xy\\n", "wiab<CR><Esc>", "n 2:3", "   ab\\n   xy\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_sort_n_compares_integers() {
    check(&[(
        "v1.2.3\\nb 3\\na\\nx-2\\n3.5\\n3.2\\n",
        ":%sort n<CR>",
        "n 1:1",
        "a\\nx-2\\nv1.2.3\\nb 3\\n3.5\\n3.2\\n",
    )])
    .await;
}

#[tokio::test]
async fn vim_join_includes_empty_last_line() {
    check(&[("one\\ntwo\\n\\n", "vGJ", "n 1:7", "one two\\n")]).await;
}

#[tokio::test]
async fn vim_increment_on_letter_after_number_does_nothing() {
    check(&[("a -1x\\n", "$<C-a>", "n 1:5", "a -1x\\n"), ("a 0xf b\\n", "ff<C-a>", "n 1:6", "a 0x10 b\\n")])
        .await;
}

#[tokio::test]
async fn vim_shift_keeps_detected_tabs_after_deletes() {
    check(&[
        ("  a\\n\\t\\tb\\n", "dd>>", "n 1:4", "            b\\n"),
        ("\\ta\\n    b\\n", "dd>>", "n 1:1", "\\t\\tb\\n"),
        ("\\ta\\n", "<lt><lt>x:pu<CR>>>", "n 2:1", "\\n\\ta\\n"),
    ])
    .await;
}
