//! Faults of the Vim key map that were mended, each against what Neovim 0.7.2 comes to: mode, line and byte column,
//! and text. Texts and keys are written as in `play.vim`.

use crate::vim::{ide, run_script};

/// Texts, keys, and what they come to.
pub async fn check(cases: &[(&str, &str, &str, &str)]) {
    let mut ide = ide().await;
    for (text, keys, place, after) in cases {
        let ours = run_script(&mut ide, &format!("{text}\t{keys}"));
        let fields: Vec<&str> = ours.split('\t').collect();
        assert_eq!((fields[0], fields[fields.len() - 1]), (*place, *after), "{keys} on {text}");
    }
}

#[tokio::test]
async fn vim_insert_ctrl_t_and_ctrl_d_shift_line() {
    check(&[
        ("foo bar\\n", "A<C-t> x<Esc>", "n 1:13", "    foo bar x\\n"),
        ("        foo\\n", "A<C-d>y<Esc>", "n 1:8", "    fooy\\n"),
        ("   foo\\n", "lli<C-t><Esc>", "n 1:3", "    foo\\n"),
        ("foo\\n", "2A<C-t>x<Esc>", "n 1:13", "        fooxx\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_substitute_case_modifiers_change_letters() {
    check(&[
        ("foo bar foo\\n", ":s/foo/\\u&x/g<CR>", "n 1:1", "Foox bar Foox\\n"),
        ("foo bar\\n", ":s/\\w\\+/\\U&\\E-\\l\\0/<CR>", "n 1:1", "FOO-foo bar\\n"),
        ("FOO Bar\\n", ":s/\\w\\+ \\w\\+/\\L\\u&!/<CR>", "n 1:1", "Foo bar!\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_substitute_repeats_replacement_and_flags() {
    check(&[
        ("a b\\nc\\n", ":s/a/[&]/<CR>j:s/c/~~/<CR>", "n 2:1", "[a] b\\n[c][c]\\n"),
        ("aa aa\\naa aa\\n", ":s/a/b/g<CR>j:&&<CR>", "n 2:1", "bb bb\\nbb bb\\n"),
        ("aa aa\\naa aa\\n", ":s/a/b/g<CR>j:&<CR>", "n 2:1", "bb bb\\nba aa\\n"),
        ("aa\\n", ":s/x/y/e<CR>x", "n 1:1", "a\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_ctrl_w_and_ctrl_u_stop_at_insert_start() {
    check(&[
        ("one two\\n", "A three four<C-w><C-w><C-w>x<Esc>", "n 1:8", "one twox\\n"),
        ("one two\\n", "A three<C-u>x<Esc>", "n 1:8", "one twox\\n"),
        ("one two\\n", "A three<C-u><C-u>x<Esc>", "n 1:1", "x\\n"),
        ("one two\\n", "A three<C-w>x<Esc>u", "n 1:13", "one two three\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_paste_of_empty_register_deletes_selection() {
    check(&[
        ("one two\\n", "vep", "n 1:1", " two\\n"),
        ("one two\\n", "ve\"ap", "n 1:1", " two\\n"),
        ("one two\\n", "veP", "n 1:1", " two\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_operator_with_search_word_applies_to_match() {
    check(&[
        ("one two one\\n", "gU*", "n 1:1", "ONE TWO one\\n"),
        ("one two one\\n", "wg~#", "n 1:5", "one two one\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_global_runs_move_substitute_and_normal() {
    check(&[
        ("a b\\nx\\na c\\n", ":g/a/m$<CR>", "n 3:1", "x\\na b\\na c\\n"),
        ("a b\\nx\\na c\\n", ":v/x/s/a/A/<CR>", "n 3:1", "A b\\nx\\nA c\\n"),
        ("a b\\nx\\na c\\n", ":g/a/normal Ay<CR>u", "n 1:3", "a b\\nx\\na c\\n"),
        ("a b\\nx\\na c\\n", ":2,3normal Iy<CR>", "n 3:1", "a b\\nyx\\nya c\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_count_repeats_open_line_and_gi() {
    check(&[
        ("  a\\nx\\n", "j3Onew<Esc>", "n 4:3", "  a\\nnew\\nnew\\nnew\\nx\\n"),
        ("one\\n", "ahi<Esc>$2giX<Esc>", "n 1:5", "ohiXXne\\n"),
        ("one\\ntwo\\n", "3oab<Esc>u", "n 1:1", "one\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_cursor_keys_start_new_insertion() {
    check(&[
        ("one two\\n", "ione<Left>x<Esc>.", "n 1:3", "onxxeone two\\n"),
        ("one two\\n", "3ione<Left>x<Esc>", "n 1:3", "onxeone two\\n"),
        ("one two\\n", "ione<Left>x<Esc>u", "n 1:3", "oneone two\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_ctrl_o_keeps_cursor_and_drops_count() {
    check(&[
        ("one two\\n", "ix<C-o>wy<Esc>", "n 1:6", "xone ytwo\\n"),
        ("one two\\n", "3ix<C-o>wy<Esc>", "n 1:6", "xone ytwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_motions_at_text_borders_match_neovim() {
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
async fn vim_repeat_after_failed_motion_inserts() {
    check(&[("one\\ntwo\\n", "fzix<Esc>.", "n 1:1", "xxone\\ntwo\\n")]).await;
}

#[tokio::test]
async fn vim_range_before_first_line_is_clamped() {
    check(&[
        ("one\\ntwo\\nthree\\n", ":-d<CR>", "n 1:1", "two\\nthree\\n"),
        ("one\\ntwo\\n", ":1m1<CR>x", "n 1:1", "ne\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_search_skips_match_under_cursor_and_after_text() {
    check(&[
        ("aaa aaa\\n", "/a\\+<CR>x", "n 1:5", "aaa aa\\n"),
        ("one\\ntwo\\n", "/^$<CR>x", "n 1:1", "ne\\ntwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_replace_with_newline_indents() {
    check(&[("  ab\\n", "ll2r<CR>", "n 2:1", "  \\n\\n")]).await;
}

#[tokio::test]
async fn vim_undo_and_redo_move_cursor_to_step_start() {
    check(&[
        ("one two\\nthree\\nfour\\n", "jcwx y<Esc>u<C-r>", "n 2:1", "one two\\nx y\\nfour\\n"),
        ("one\\ntwo\\nthree\\nfour\\n", "3JGu", "n 1:1", "one\\ntwo\\nthree\\nfour\\n"),
        ("one\\n  two\\nthree\\n", "3ccx<Esc>u", "n 2:1", "one\\n  two\\nthree\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_macro_is_one_undo_step() {
    check(&[("aa\\nitem\\n", "qqox<Esc>q3@qu", "n 2:1", "aa\\nx\\nitem\\n")]).await;
}

#[tokio::test]
async fn vim_gv_keeps_selected_columns() {
    check(&[
        ("one two three\\n", "wviw<Esc>0ixx<Esc>gvd", "n 1:5", "xxonwo three\\n"),
        ("one two three four\\n", "wve<Esc>0vegvd", "n 1:5", "one  three four\\n"),
        ("one two\\nthree\\n", "wvj<Esc>ggOnew<Esc>gvy", "n 2:5", "new\\none two\\nthree\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_gi_keeps_column() {
    check(&[
        ("one two\\n", "wix<Esc>0iab<Esc>giZ<Esc>", "n 1:3", "abZone xtwo\\n"),
        ("one two\\n", "fwix<Esc>0giZ<Esc>.", "n 1:7", "one txZZwo\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_word_motions_for_operators_stop_at_line_end() {
    check(&[
        ("trailing  \\n   \\nfoo\\n", "dw", "n 1:1", "\\n   \\nfoo\\n"),
        ("   \\nabc\\n", "yWP", "n 1:3", "      \\nabc\\n"),
        ("a b c\\n", "$d9b", "n 1:1", "c\\n"),
        ("a b\\n", "w4gex", "n 1:1", " b\\n"),
        ("日本語カナ あx\\n", "wwx", "n 1:17", "日本語カナ x\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_word_objects_cross_line_ends() {
    check(&[
        ("\\n    }\\n  deep\\n", "daw", "n 1:1", "  deep\\n"),
        ("none\\n   \\n  deep middle\\n", "vbjawy", "n 1:1", "none\\n   \\n  deep middle\\n"),
        ("a b\\n", "3g~awx", "n 1:2", "a \\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_sentence_objects_skip_line_end_in_visual() {
    check(&[
        ("one two. Three\\nfour\\n\\nfive\\n", "visisy", "n 1:1", "one two. Three\\nfour\\n\\nfive\\n"),
        ("A b. C d.\\nE f.\\n", "GvbasoaSy", "n 1:5", "A b. C d.\\nE f.\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_paragraph_objects_extend_linewise_selection() {
    check(&[("a\\n\\nb\\nc\\n\\nd\\n", "jjVjipipd", "n 2:1", "a\\n\\n")]).await;
}

#[tokio::test]
async fn vim_bracket_objects_use_count_and_skip_unclosed() {
    check(&[
        ("f() g(h(x)) y\\n", "2dib", "n 1:9", "f() g(h()) y\\n"),
        ("a (b\\nc(d)\\n", "wwdi(", "n 1:4", "a (b\\nc(d)\\n"),
        ("f(x) y\\n", "v$ibd", "n 1:1", "\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_block_insert_applies_to_all_rows() {
    check(&[
        ("one two\\nthree\\nfour\\n", "<C-v>jjIab<BS>c<Esc>", "n 1:1", "acone two\\nacthree\\nacfour\\n"),
        ("one two\\nthree\\nfour\\n", "l<C-v>jjcX<C-w>Y<Esc>", "n 1:2", "oYe two\\ntYree\\nfYur\\n"),
        ("one two\\nth\\nfour\\n", "ll<C-v>jjAend<Esc>", "n 1:3", "oneend two\\nth end\\nfouendr\\n"),
        (
            "one two\\nthree\\nfour\\n",
            "<C-v>jjI<C-t>x<Esc>",
            "n 1:1",
            "    xone two\\n    xthree\\n    xfour\\n",
        ),
        ("one two\\nthree\\nfour\\n", "<C-v>jjIa<CR>b<Esc>", "n 2:1", "a\\nbone two\\nthree\\nfour\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_block_selection_to_line_end_keeps_width() {
    check(&[
        ("one\\ntwo three\\nfour\\n", "$<C-v>j$hy", "n 1:3", "one\\ntwo three\\nfour\\n"),
        ("ab\\n\\nabcdef\\n", "GA<Esc>0lv$hy0gg<C-v>Gly$p", "n 1:3", "abab\\n  \\nababcdef\\n"),
        ("one two\\nx\\nthree four\\n", "w<C-v>jjyP", "n 1:5", "one ttwo\\nx    \\nthreee four\\n"),
        ("one\\ntwo three\\n", "<C-v>j$lhd", "n 1:1", "\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_block_other_corner_swaps_columns() {
    check(&[("one two\\nthree four\\n", "ll<C-v>jlOd", "n 1:3", "ontwo\\nthe four\\n")]).await;
}

#[tokio::test]
async fn vim_paste_over_block_fills_rows() {
    check(&[
        ("one\\ntwo\\nthree\\n", "xl<C-v>jp", "n 1:2", "no\\ntoo\\nthree\\n"),
        ("one\\ntwo\\nthree\\n", "yy<C-v>jp", "n 3:1", "ne\\nwo\\none\\nthree\\n"),
        ("one\\ntwo\\nthree\\n", "yy<C-v>jP", "n 1:1", "one\\nne\\nwo\\nthree\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_auto_indent_removed_on_escape_or_newline() {
    check(&[
        ("    foo\\n", "o<Esc>", "n 2:1", "    foo\\n\\n"),
        ("    foo\\n", "o<C-h><Esc>", "n 2:1", "    foo\\n\\n"),
        ("    foo\\n", "S)<C-h><Esc>", "n 1:4", "    \\n"),
        ("foo\\n", "o<C-t><Esc>", "n 2:1", "foo\\n\\n"),
        ("    four spaces\\n", "wla<CR><CR><Esc>", "n 3:4", "    fo\\n\\n    ur spaces\\n"),
        ("foo   bar\\n", "wbea<CR><Esc>", "n 2:1", "foo\\nbar\\n"),
        ("  foo\\n", "3o<CR>x<Esc>", "n 7:3", "  foo\\n\\n  x\\n\\n  x\\n\\n  x\\n"),
        ("foo\\nbar\\n", "2o<Del><Esc>", "n 3:1", "foo\\n\\nar\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_ctrl_o_starts_new_insertion() {
    check(&[
        ("one two three\\n", "ix<C-o>wy<Esc>w.", "n 1:11", "xone ytwo ythree\\n"),
        ("one two\\n", "Aab<C-o>D<Esc>.", "n 1:7", "one two\\n"),
        ("    }\\n", "I<C-o>x)<Esc>", "n 1:5", "    )\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_normal_command_repeats_and_uses_line_numbers() {
    check(&[
        ("one\\ntwo\\nthree\\n", ":1,2normal Iy<CR>3.", "n 2:3", "yone\\nyyyytwo\\nthree\\n"),
        ("a\\nb\\nc\\nd\\n", ":1,2normal J<CR>", "n 2:2", "a b\\nc d\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_command_line_cursor_matches_neovim() {
    check(&[
        ("  one two\\n  three\\n", "A<Esc>:d<CR>", "n 1:3", "  three\\n"),
        ("one two\\nthree four\\nx\\n", "fw:g/e/m0<CR>", "n 1:6", "three four\\none two\\nx\\n"),
        ("one two\\nthree four\\nx\\n", "wj:1;+1m1<CR>", "n 1:5", "one two\\nthree four\\nx\\n"),
        ("one\\ntwo\\n", ":%pu<CR>", "n 2:1", "one\\ntwo\\n"),
        ("one\\ntwo\\n", ":9<CR>", "n 2:1", "one\\ntwo\\n"),
        ("b\\n\\na\\n\\n", ":%sort<CR>", "n 1:1", "\\n\\na\\nb\\n"),
        ("one two\\n  three\\n", "w:%><CR>", "n 2:7", "    one two\\n      three\\n"),
        ("x\\n\\ny\\n", ":g/^$/s/x/y/e<CR>", "n 2:1", "x\\n\\ny\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_global_sets_substitute_pattern() {
    check(&[("a1 b1\\n", ":s/b/c/<CR>:g/\\d/s//X/<CR>u&", "n 1:1", "aX c1\\n")]).await;
}

#[tokio::test]
async fn vim_global_keeps_lines_separate() {
    check(&[
        ("a\\n\\nb\\n\\n", ":g!/x/m0<CR>", "n 1:1", "\\nb\\n\\na\\n"),
        ("x\\n", "vly:g/x/pu<CR>", "n 2:1", "x\\nx\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_last_line_without_newline_stays_when_emptied() {
    check(&[
        ("a\\nb", "jD", "n 2:1", "a\\n\\n"),
        ("a\\nb", "jddOx<Esc>", "n 1:1", "x\\na\\n"),
        ("a\\nb", "o<Esc>", "n 2:1", "a\\n\\nb\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_empty_buffer_acts_as_empty_line() {
    check(&[
        ("a\\n", "ddOx<Esc>", "n 1:1", "x\\n\\n"),
        ("a\\n", "ddp", "n 2:1", "\\na\\n"),
        ("a\\n", "dd:t.<CR>", "n 2:1", "\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_join_and_increment_match_neovim() {
    check(&[
        ("a  \\n   \\nb\\n", "3J", "n 1:4", "a   b\\n"),
        ("abc\\n", "ll3J", "n 1:1", "abc\\n"),
        ("x 1)\\n", "f)<C-a>", "n 1:4", "x 1)\\n"),
        ("ff 0b101\\n", "<C-a>", "n 1:8", "ff 0b110\\n"),
        ("a 12\\n", "f2v<C-a>", "n 1:4", "a 13\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_replace_with_newline_cursor_is_before_text() {
    check(&[("        deep middle\\n", "wr<CR>", "n 2:8", "        \\n        eep middle\\n")]).await;
}

#[tokio::test]
async fn vim_shift_and_yank_keep_target_column() {
    check(&[
        ("one two\\n  three\\n", "w>$", "n 1:11", "    one two\\n  three\\n"),
        ("one two\\n  three\\n", "w>g_", "n 1:11", "    one two\\n  three\\n"),
        ("one two three\\nfour five\\n", "wVjky", "n 1:1", "one two three\\nfour five\\n"),
        ("one two three\\nfour five\\n", "jwVky", "n 1:6", "one two three\\nfour five\\n"),
        ("one two\\n", "wy_", "n 1:5", "one two\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_substitute_word_class_is_ascii() {
    check(&[("ét é\\n", ":s/\\w\\+//<CR>", "n 1:1", "é é\\n")]).await;
}

#[tokio::test]
async fn vim_search_word_without_letters_uses_punctuation() {
    check(&[
        ("foo,\\nx,\\nfoo,\\n", "$*", "n 2:2", "foo,\\nx,\\nfoo,\\n"),
        ("one ?\\ntwo\\n? three\\n", "$#", "n 3:1", "one ?\\ntwo\\n? three\\n"),
        ("-12aa bb\\n", "3ld/\\w\\+<CR>", "n 1:4", "-12bb\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_before_and_after_selection_matches_neovim() {
    check(&[
        ("one two three\\nfour\\n", "wvjIx<Esc>", "n 1:1", "xone two three\\nfour\\n"),
        ("one two three\\nfour\\n", "wveAx<Esc>", "n 1:8", "one twox three\\nfour\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_change_to_end_of_empty_line_succeeds() {
    check(&[("one\\n\\n", "xjCx<Esc>", "n 2:1", "ne\\nx\\n")]).await;
}

#[tokio::test]
async fn vim_forced_motions_at_line_ends_match_neovim() {
    check(&[
        ("one two\\nthree\\n", "wdvw", "n 1:5", "one o\\nthree\\n"),
        ("one two\\nthree\\n", "wdv_", "n 1:1", "two\\nthree\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_tilde_on_empty_line_ends_macro() {
    check(&[("a\\nb\\nc\\n", "qq~2cc<Esc>q@q", "n 1:1", "\\nc\\n")]).await;
}

#[tokio::test]
async fn vim_gi_follows_moved_lines() {
    check(&[
        (
            "one\\ntwo\\nthree\\nfour\\n",
            "jAx<Esc>:2m$<CR>ggGgi!<Esc>",
            "n 4:5",
            "one\\nthree\\nfour\\ntwox!\\n",
        ),
        (
            "one\\ntwo\\nthree\\nfour\\n",
            "jAx<Esc>:2,3m0<CR>:4<CR>gi!<Esc>",
            "n 1:5",
            "twox!\\nthree\\none\\nfour\\n",
        ),
        (
            "one\\ntwo\\nthree\\nfour\\n",
            "jAx<Esc>gg:g/o/m0<CR>ggGgi!<Esc>",
            "n 2:5",
            "four\\ntwox!\\none\\nthree\\n",
        ),
    ])
    .await;
}

#[tokio::test]
async fn vim_mark_follows_moved_lines() {
    check(&[("one\\ntwo\\nthree\\nfour\\n", "jmmgg:2m$<CR>gg'mx", "n 4:1", "one\\nthree\\nfour\\nwo\\n")])
        .await;
}

#[tokio::test]
async fn vim_gi_follows_joined_lines() {
    check(&[
        ("one\\ntwo\\nthree\\nfour\\n", "jAx<Esc>ggJgi!<Esc>", "n 1:9", "one twox!\\nthree\\nfour\\n"),
        ("one\\n  two\\nthree\\nfour\\n", "jgIx<Esc>ggJgi!<Esc>", "n 1:6", "one x!  two\\nthree\\nfour\\n"),
        ("one\\n  two\\nthree\\nfour\\n", "jAx<Esc>gggJgi!<Esc>", "n 1:10", "one  twox!\\nthree\\nfour\\n"),
        ("one\\n  two\\nthree\\nfour\\n", "jAx<Esc>gglvjldgi!<Esc>", "n 1:3", "on!three\\nfour\\n"),
        ("\\nfn x\\na", "i<Esc>J<Space>gi<BS>W<Esc>", "n 1:1", "Wfn x\\na\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_gi_follows_undone_lines() {
    check(&[
        ("one\\ntwo\\nthree\\nfour\\n", "jAx<Esc>ggJugi!<Esc>", "n 1:3", "on!e\\ntwox\\nthree\\nfour\\n"),
        ("one\\ntwo\\nthree\\nfour\\n", "jAx<Esc>ggxjdduugi!<Esc>", "n 1:3", "on!e\\ntwox\\nthree\\nfour\\n"),
        ("one\\ntwo\\nthree\\nfour\\n", "jAx<Esc>ggyyPjugi!<Esc>", "n 2:5", "one\\ntwox!\\nthree\\nfour\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_global_normal_join_skips_joined_lines() {
    check(&[("\\nb\\na\\tb\\n\\n日本\\ns\\n", ":g/^/normal J<CR>", "n 3:7", "b\\na\\tb\\n日本 s\\n")]).await;
}

#[tokio::test]
async fn vim_search_word_ends_at_script_change() {
    check(&[
        ("日本 語\\n日xx本 語\\n日xx本 語\\n", "j2l*", "n 3:4", "日本 語\\n日xx本 語\\n日xx本 語\\n"),
        ("日本 語\\n日xx本 語\\n日xx本 語\\n", "j*", "n 3:1", "日本 語\\n日xx本 語\\n日xx本 語\\n"),
        ("日本 語\\n日xx本 語\\n日xx本 語\\n", "j3l#", "n 3:6", "日本 語\\n日xx本 語\\n日xx本 語\\n"),
        ("日本 語\\n日xx本 語\\n日xx本 語\\n", "jld#", "n 2:4", "日本 語\\n日xx本 語\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_failed_search_clears_target_column() {
    check(&[
        ("ab", ":s/zz/y/e<CR>$n>>", "n 1:2", "    ab\\n"),
        ("abc\\nabcdef", ":s/zz/y/e<CR>$njx", "n 2:3", "abc\\nabdef\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_repeat_of_visual_command_ignores_count() {
    check(&[
        ("abc\\nabc\\nabc\\n", "V>2.", "n 1:1", "        abc\\nabc\\nabc\\n"),
        ("abc 5\\nabc\\nabc\\n", "V<C-a>3.", "n 1:1", "abc 7\\nabc\\nabc\\n"),
        ("last\\nA li\\none\\n", "<C-v>jAt. T<Esc>4.", "n 1:1", "lt. Tt. Tast\\nAt. Tt. T li\\none\\n"),
        (
            "last\\nA li\\none\\n",
            "<C-v>j3At. T<Esc>2.",
            "n 1:1",
            "lt. Tt. Tt. Tt. Tt. Tt. Tast\\nAt. Tt. Tt. Tt. Tt. Tt. T li\\none\\n",
        ),
    ])
    .await;
}

#[tokio::test]
async fn vim_repeat_of_block_command_uses_same_width() {
    check(&[("\\tname   string\\t\\n}\\n", "<C-v>jd<Esc>.", "n 1:1", "   string\\t\\n\\n")]).await;
}

#[tokio::test]
async fn vim_block_yank_to_line_end_counts_newline_in_short_rows() {
    check(&[(
        "foo,afoo,\\n\\ntrail\\n",
        "ll<C-v>G$y:pu<CR>jr.",
        "n 5:1",
        "foo,afoo,\\no,afoo,\\n        \\nail\\n\\ntrail\\n",
    )])
    .await;
}

#[tokio::test]
async fn vim_linewise_delete_keeps_target_column() {
    check(&[
        ("\\tsum\\n    if\\n\\tsum\\n", "Vx<Esc>", "n 1:4", "    if\\n\\tsum\\n"),
        ("\\tsum\\n    if\\n\\tsum\\n", "llhhVOx<Esc>", "n 1:4", "    if\\n\\tsum\\n"),
        ("\\tsum\\n\\tsum\\n    if\\n\\tsum\\n", "Vjx<Esc>", "n 1:4", "    if\\n\\tsum\\n"),
        ("\\tsum\\n    if\\n\\tsum\\n", "Vlhx<Esc>", "n 1:1", "    if\\n\\tsum\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_visual_keeps_target_column_of_tab() {
    check(&[
        (
            "\\tsum\\n\\tsum\\nabcdefgh\\n\\tsum\\n",
            "v2j<Esc>",
            "n 3:4",
            "\\tsum\\n\\tsum\\nabcdefgh\\n\\tsum\\n",
        ),
        ("\\tsum\\n\\tsum\\nabcdefgh\\n\\tsum\\n", "llhh<C-v>2jd", "n 1:1", "sum\\nsum\\nefgh\\n\\tsum\\n"),
        ("\\tsum\\n    if\\n\\tsum\\n", "vX", "n 1:4", "    if\\n\\tsum\\n"),
        ("\\tsum\\n    if\\n\\tsum\\n", "vlhX", "n 1:1", "    if\\n\\tsum\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_repeat_inserts_recorded_register_text() {
    check(&[
        ("one\\n", "/n<CR>IW<C-r>/<Esc>/e<CR>.", "n 1:2", "WnWnone\\n"),
        ("one\\n", "/n<CR>IW<C-r>/<C-r>/x<Esc>/e<CR>2.", "n 1:8", "WnnxWnnxWnnxone\\n"),
        ("one\\n", "/n<CR>IW<Left>a<C-r>/x<Esc>/e<CR>2.", "n 1:12", "anxWonanxanxe\\n"),
        ("one\\n", "/n<CR>A<C-o>x<C-r>/x<Esc>/e<CR>2.", "n 1:7", "onnnxnxx\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_ctrl_u_stops_at_first_insert_start() {
    check(&[
        ("abc def \\n", "wi <C-w><Right><C-u><Esc>", "n 1:4", "abc ef \\n"),
        ("A line (b) and\\n", "f(i<C-w><Right><C-u><Esc>", "n 1:2", "A b) and\\n"),
        ("A line (b) and\\n", "f(ifoo <Right>x<C-u><Esc>", "n 1:7", "A line b) and\\n"),
        ("A line (b) and\\n", "f(ifoo <Right>x<C-u><C-u><Esc>", "n 1:1", "b) and\\n"),
        ("A line (b) and\\n", "f(ifoo <Left><C-u>y<Esc>", "n 1:8", "A line y (b) and\\n"),
        ("A line (b) and\\n", "f(i<Right><C-u>y<Esc>", "n 1:8", "A line yb) and\\n"),
        ("A line (b) and\\n", "f(i<Left><C-u>y<Esc>", "n 1:1", "y (b) and\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_removed_auto_indent_keeps_target_column() {
    check(&[
        ("\\tname\\n", "o<Esc>gg", "n 1:2", "\\tname\\n\\n"),
        ("\\tname\\n\\tx\\n", "S<Right><Esc>j", "n 2:2", "\\n\\tx\\n"),
        ("\\tname\\n", "o<BS><Esc>gg", "n 1:1", "\\tname\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_partly_deleted_auto_indent_counts_as_typed() {
    check(&[
        ("    name\\n", "3O<C-h><Esc>", "n 3:1", "\\n\\n \\n    name\\n"),
        ("    name\\n", "4O<BS><Esc>", "n 4:1", "\\n\\n \\n\\n    name\\n"),
        ("    name\\n", "S<C-w><C-t><Esc>", "n 1:4", "    \\n"),
        ("\\tname\\n", "3o<C-w><C-t><Esc>", "n 4:1", "\\tname\\n\\t\\n\\t\\n\\t\\n"),
        ("    name\\n", "3O<BS><BS><Esc>", "n 1:1", "\\n    name\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_insert_delete_at_line_end_keeps_indent() {
    check(&[
        ("    name\\n", "3o<Del><Esc>", "n 4:4", "    name\\n    \\n    \\n    \\n"),
        ("    name\\n", "3O<Del><Esc>", "n 3:4", "    \\n    \\n    me\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_operator_backspace_to_empty_line_keeps_line_break() {
    check(&[
        ("\\n   \\n", "jd<BS>", "n 1:3", "   \\n"),
        ("\\n  x\\n", "jc<BS>x<Esc>", "n 1:1", "x\\n  x\\n"),
        ("one\\n   \\n", "jd<BS>", "n 1:4", "one   \\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_forced_space_motion_at_line_end_deletes_nothing() {
    check(&[
        ("ab}\\ncd\\n", "$dv<Space><Esc>", "n 1:3", "ab}\\ncd\\n"),
        ("ab}\\ncd\\n", "$d2v<Space><Esc>", "n 1:3", "abd\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_word_object_count_after_last_word_fails() {
    check(&[
        ("a\\ndon\\n\\n", "G2diw<Esc>", "n 3:1", "a\\ndon\\n\\n"),
        ("a\\ndon\\n\\n", "G3g~iw<Esc>", "n 3:1", "a\\ndon\\n\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_delete_backspace_to_empty_line_joins_lines() {
    check(&[("a\\nb 3 a 2 c 1\\n", "o<Right><Esc>d2<BS><Esc>", "n 1:1", "b 3 a 2 c 1\\n")]).await;
}

#[tokio::test]
async fn vim_paste_over_entire_buffer_keeps_final_newline() {
    check(&[
        ("x 0\\nx b\\naa\\n", "vapdccx<Esc>VP<Esc>", "n 1:1", "x 0\\nx b\\naa\\n"),
        ("  x 0\\nx b\\naa\\n", "VGyVGp<Esc>", "n 1:3", "  x 0\\nx b\\naa\\n"),
        ("  x 0\\nx b\\naa", "VGyVG2p<Esc>", "n 1:3", "  x 0\\nx b\\naa\\n  x 0\\nx b\\naa\\n"),
    ])
    .await;
}

#[tokio::test]
async fn vim_percent_motion_keeps_column() {
    check(&[
        (
            "abcdef\\nabcdefghij\\nabcdefghijklmn\\n",
            "llll2%x",
            "n 1:5",
            "abcdf\\nabcdefghij\\nabcdefghijklmn\\n",
        ),
        (
            "abcdef\\nabcdefghij\\nabcdefghijklmn\\n",
            "ll50%x",
            "n 2:3",
            "abcdef\\nabdefghij\\nabcdefghijklmn\\n",
        ),
        (
            "abcdef\\nabcdefghij\\nabcdefghijklmn\\n",
            "ll2y%",
            "n 1:3",
            "abcdef\\nabcdefghij\\nabcdefghijklmn\\n",
        ),
    ])
    .await;
}

#[tokio::test]
async fn vim_gi_is_after_replacing_newline() {
    check(&[
        ("item 99, item\\naa\\n", "r<CR>gi<C-u>)<Esc>", "n 1:1", ")tem 99, item\\naa\\n"),
        ("  item 99, item\\naa\\n", "wr<CR>gi)<Esc>", "n 2:3", "  \\n  )tem 99, item\\naa\\n"),
        ("  item 99, item\\naa\\n", "ww3r<CR>Ggi)<Esc>", "n 2:3", "  item \\n  )item\\naa\\n"),
    ])
    .await;
}
