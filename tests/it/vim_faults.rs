//! Faults of the Vim key map that were mended, each against what Neovim 0.7.2 comes to: mode, line and byte column,
//! and text. Texts and keys are written as in `play.vim`.

use crate::vim::{desk, play};

/// Texts, keys, and what they come to.
async fn check(cases: &[(&str, &str, &str, &str)]) {
    let mut desk = desk().await;
    for (text, keys, place, after) in cases {
        let ours = play(&mut desk, &format!("{text}\t{keys}"));
        let fields: Vec<&str> = ours.split('\t').collect();
        assert_eq!((fields[0], fields[fields.len() - 1]), (*place, *after), "{keys} on {text}");
    }
}

#[tokio::test]
async fn insert_ctrl_t_and_ctrl_d_shift_the_line() {
    check(&[
        ("foo bar\\n", "A<C-t> x<Esc>", "n 1:13", "    foo bar x\\n"),
        ("        foo\\n", "A<C-d>y<Esc>", "n 1:8", "    fooy\\n"),
        ("   foo\\n", "lli<C-t><Esc>", "n 1:3", "    foo\\n"),
        ("foo\\n", "2A<C-t>x<Esc>", "n 1:13", "        fooxx\\n"),
    ])
    .await;
}

#[tokio::test]
async fn substitute_case_signs_change_letters() {
    check(&[
        ("foo bar foo\\n", ":s/foo/\\u&x/g<CR>", "n 1:1", "Foox bar Foox\\n"),
        ("foo bar\\n", ":s/\\w\\+/\\U&\\E-\\l\\0/<CR>", "n 1:1", "FOO-foo bar\\n"),
        ("FOO Bar\\n", ":s/\\w\\+ \\w\\+/\\L\\u&!/<CR>", "n 1:1", "Foo bar!\\n"),
    ])
    .await;
}

#[tokio::test]
async fn substitute_repeats_replacement_and_flags() {
    check(&[
        ("a b\\nc\\n", ":s/a/[&]/<CR>j:s/c/~~/<CR>", "n 2:1", "[a] b\\n[c][c]\\n"),
        ("aa aa\\naa aa\\n", ":s/a/b/g<CR>j:&&<CR>", "n 2:1", "bb bb\\nbb bb\\n"),
        ("aa aa\\naa aa\\n", ":s/a/b/g<CR>j:&<CR>", "n 2:1", "bb bb\\nba aa\\n"),
        ("aa\\n", ":s/x/y/e<CR>x", "n 1:1", "a\\n"),
    ])
    .await;
}

#[tokio::test]
async fn insert_ctrl_w_and_ctrl_u_stop_where_typing_began() {
    check(&[
        ("one two\\n", "A three four<C-w><C-w><C-w>x<Esc>", "n 1:8", "one twox\\n"),
        ("one two\\n", "A three<C-u>x<Esc>", "n 1:8", "one twox\\n"),
        ("one two\\n", "A three<C-u><C-u>x<Esc>", "n 1:1", "x\\n"),
        ("one two\\n", "A three<C-w>x<Esc>u", "n 1:13", "one two three\\n"),
    ])
    .await;
}

#[tokio::test]
async fn put_empty_register_over_selection_deletes_it() {
    check(&[
        ("one two\\n", "vep", "n 1:1", " two\\n"),
        ("one two\\n", "ve\"ap", "n 1:1", " two\\n"),
        ("one two\\n", "veP", "n 1:1", " two\\n"),
    ])
    .await;
}

#[tokio::test]
async fn operator_search_motion_takes_way_to_match() {
    check(&[
        ("one two one\\n", "gU*", "n 1:1", "ONE TWO one\\n"),
        ("one two one\\n", "wg~#", "n 1:5", "one two one\\n"),
    ])
    .await;
}

#[tokio::test]
async fn global_moves_substitutes_and_presses_keys() {
    check(&[
        ("a b\\nx\\na c\\n", ":g/a/m$<CR>", "n 3:1", "x\\na b\\na c\\n"),
        ("a b\\nx\\na c\\n", ":v/x/s/a/A/<CR>", "n 3:1", "A b\\nx\\nA c\\n"),
        ("a b\\nx\\na c\\n", ":g/a/normal Ay<CR>u", "n 1:3", "a b\\nx\\na c\\n"),
        ("a b\\nx\\na c\\n", ":2,3normal Iy<CR>", "n 3:1", "a b\\nyx\\nya c\\n"),
    ])
    .await;
}

#[tokio::test]
async fn count_open_line_and_insert_last_repeat() {
    check(&[
        ("  a\\nx\\n", "j3Onew<Esc>", "n 4:3", "  a\\nnew\\nnew\\nnew\\nx\\n"),
        ("one\\n", "ahi<Esc>$2giX<Esc>", "n 1:5", "ohiXXne\\n"),
        ("one\\ntwo\\n", "3oab<Esc>u", "n 1:1", "one\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn insert_cursor_keys_begin_a_new_insertion() {
    check(&[
        ("one two\\n", "ione<Left>x<Esc>.", "n 1:3", "onxxeone two\\n"),
        ("one two\\n", "3ione<Left>x<Esc>", "n 1:3", "onxeone two\\n"),
        ("one two\\n", "ione<Left>x<Esc>u", "n 1:3", "oneone two\\n"),
    ])
    .await;
}

#[tokio::test]
async fn insert_ctrl_o_keeps_cursor_and_drops_count() {
    check(&[
        ("one two\\n", "ix<C-o>wy<Esc>", "n 1:6", "xone ytwo\\n"),
        ("one two\\n", "3ix<C-o>wy<Esc>", "n 1:6", "xone ytwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn border_motions_and_counts_end_as_in_vim() {
    check(&[
        ("1 2\\n", "~", "n 1:2", "1 2\\n"),
        ("one\\n", "dhx", "n 1:1", "ne\\n"),
        ("one two. Three\\n    four. Five\\n", ")", "n 1:10", "one two. Three\\n    four. Five\\n"),
        ("one two. Three\\n    four. Five\\n", ")))(", "n 2:11", "one two. Three\\n    four. Five\\n"),
        ("one\\ntwo\\n", "j2dd", "n 2:1", "one\\ntwo\\n"),
        ("one\\ntwo\\n", "j3$x", "n 2:1", "one\\nwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn repeat_after_failed_motion_presses_all_keys() {
    check(&[("one\\ntwo\\n", "fzix<Esc>.", "n 1:1", "xxone\\ntwo\\n")]).await;
}

#[tokio::test]
async fn command_line_range_before_first_line_is_first_line() {
    check(&[
        ("one\\ntwo\\nthree\\n", ":-d<CR>", "n 1:1", "two\\nthree\\n"),
        ("one\\ntwo\\n", ":1m1<CR>x", "n 1:1", "ne\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn search_match_under_cursor_and_behind_text_is_skipped() {
    check(&[
        ("aaa aaa\\n", "/a\\+<CR>x", "n 1:5", "aaa aa\\n"),
        ("one\\ntwo\\n", "/^$<CR>x", "n 1:1", "ne\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn replace_with_line_feed_indents_the_new_line() {
    check(&[("  ab\\n", "ll2r<CR>", "n 2:1", "  \\n\\n")]).await;
}
