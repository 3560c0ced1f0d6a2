[
  (compound_statement) (declaration_list) (enum_declaration_list) (switch_block) (match_block) (colon_block)
  (array_creation_expression) (list_literal) (arguments) (formal_parameters) (parenthesized_expression)
  (property_hook_list) (namespace_use_group)
  (if_statement) (else_clause) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement)
  (member_call_expression) (assignment_expression) (return_statement) (binary_expression)
] @indent
[(case_statement) (default_statement)] @indent @extend
[(break_statement) (return_statement) (continue_statement)] @extend.prevent-once
["}" ")" "]" "endif" "endfor" "endforeach" "endwhile" "endswitch"] @outdent
(if_statement body: (compound_statement) @outdent)
(if_statement alternative: (else_clause) @outdent)
(if_statement alternative: (else_if_clause) @outdent)
(else_clause body: (compound_statement) @outdent)
(else_if_clause body: (compound_statement) @outdent)
(for_statement (compound_statement) @outdent)
(foreach_statement body: (compound_statement) @outdent)
(while_statement body: (compound_statement) @outdent)
(do_statement body: (compound_statement) @outdent)
(do_statement "while" @outdent)
[(comment) (heredoc) (nowdoc) (text) (text_interpolation)] @literal
