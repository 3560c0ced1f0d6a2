[
  (block) (import_spec_list) (field_declaration_list) (interface_type) (literal_value)
  (parameter_list) (argument_list) (type_arguments) (type_parameter_list) (parenthesized_expression)
  (var_spec_list) (const_declaration) (type_declaration)
  (expression_list) (binary_expression)
] @indent
[(expression_switch_statement) (type_switch_statement) (select_statement)] @indent
[(expression_case) (type_case) (communication_case) (default_case)] @indent @outdent @extend
[(return_statement) (break_statement) (continue_statement) (goto_statement) (fallthrough_statement)] @extend.prevent-once
(call_expression) @indent
(selector_expression) @indent.chain
["}" ")" "]"] @outdent
[(raw_string_literal) (comment)] @literal
