[
  (function_declaration) (function_expression) (generator_function_declaration) (generator_function)
  (arrow_function) (method_definition) (statement_block) (for_statement) (for_in_statement) (catch_clause)
] @local.scope
(arrow_function parameter: (identifier) @local.parameter)
(formal_parameters (array_pattern (identifier) @local.parameter))
(formal_parameters (object_pattern (pair_pattern value: (identifier) @local.parameter)))
(required_parameter pattern: (identifier) @local.parameter)
(required_parameter pattern: (rest_pattern (identifier) @local.parameter))
(optional_parameter pattern: (identifier) @local.parameter)
(lexical_declaration (variable_declarator name: (identifier) @local.definition))
(lexical_declaration (variable_declarator name: (array_pattern (identifier) @local.definition)))
(lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @local.definition))))
(for_in_statement left: (identifier) @local.definition)
(catch_clause parameter: (identifier) @local.definition)
(identifier) @local.reference
(function_declaration name: (identifier) @local.none)
(function_expression name: (identifier) @local.none)
(class_declaration name: (_) @local.none)
(variable_declaration (variable_declarator name: (identifier) @local.unsure))
[(shorthand_property_identifier) (shorthand_property_identifier_pattern)] @local.unsure
