[
  (if_statement) (for_statement) (c_style_for_statement) (while_statement) (case_statement)
  (compound_statement) (subshell) (array) (command_substitution) (list) (pipeline)
] @indent
[(elif_clause) (else_clause)] @indent @outdent
(case_item) @indent @extend
(do_group) @indent @outdent
["fi" "done" "esac" "then" "}" ")"] @outdent
[(heredoc_body) (heredoc_end)] @margin
[(heredoc_body) (string) (raw_string)] @literal
