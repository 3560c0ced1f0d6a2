[
  (statement_block) (class_body) (object) (array) (object_pattern) (array_pattern)
  (arguments) (formal_parameters) (parenthesized_expression) (named_imports) (export_clause)
  (switch_body) (template_substitution) (variable_declarator) (assignment_expression)
  (if_statement) (else_clause) (for_statement) (for_in_statement) (while_statement) (do_statement)
  (return_statement) (binary_expression) (ternary_expression) (pair) (arrow_function)
] @indent
[(switch_case) (switch_default)] @indent @extend
[(break_statement) (return_statement) (continue_statement) (throw_statement)] @extend.prevent-once
(call_expression) @indent
(member_expression) @indent.chain
["}" ")" "]"] @outdent
(if_statement consequence: (statement_block) @outdent)
(if_statement alternative: (else_clause) @outdent)
(else_clause (statement_block) @outdent)
(else_clause (if_statement) @outdent)
(for_statement body: (statement_block) @outdent)
(for_in_statement body: (statement_block) @outdent)
(while_statement body: (statement_block) @outdent)
(do_statement body: (statement_block) @outdent)
(do_statement "while" @outdent)
(arrow_function body: (statement_block) @outdent)
[(template_string) (comment)] @literal
