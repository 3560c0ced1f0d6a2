[
  (method) (singleton_method) (class) (singleton_class) (module) (if) (unless) (while) (until) (for)
  (case) (case_match) (begin) (do_block) (block) (array) (hash) (argument_list) (method_parameters)
  (parenthesized_statements) (string_array) (symbol_array)
] @indent
[(else) (elsif) (rescue) (ensure) (when) (in_clause)] @indent @outdent
(call) @indent
["end" "}" ")" "]"] @outdent
[(string) (comment) (heredoc_body)] @literal
