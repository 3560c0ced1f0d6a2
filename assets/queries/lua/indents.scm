[
  (function_declaration) (function_definition) (if_statement) (for_statement) (while_statement)
  (repeat_statement) (do_statement) (table_constructor) (arguments) (parameters) (parenthesized_expression)
] @indent
[(else_statement) (elseif_statement)] @indent @outdent
["end" "until" "}" ")" "]"] @outdent
[(comment) (string)] @literal
