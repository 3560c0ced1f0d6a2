[
  (function_declaration) (method_declaration) (func_literal) (block) (if_statement) (for_statement)
  (expression_switch_statement) (type_switch_statement) (expression_case) (type_case) (default_case)
  (communication_case)
] @local.scope
(parameter_declaration name: (identifier) @local.parameter)
(variadic_parameter_declaration name: (identifier) @local.parameter)
(short_var_declaration left: (expression_list (identifier) @local.definition)) @local.from
(var_spec name: (identifier) @local.definition) @local.from
(const_spec name: (identifier) @local.definition) @local.from
(range_clause left: (expression_list (identifier) @local.definition))
(type_switch_statement alias: (expression_list (identifier) @local.definition))
(identifier) @local.reference
(function_declaration name: (identifier) @local.none)
(keyed_element key: (literal_element (identifier) @local.none))
