[(function_declaration) (function_definition) (block) (for_statement)] @local.scope
(parameters (identifier) @local.parameter)
(variable_declaration (assignment_statement (variable_list (identifier) @local.definition))) @local.anew
(variable_declaration (variable_list (identifier) @local.definition)) @local.anew
(for_numeric_clause name: (identifier) @local.definition)
(for_generic_clause (variable_list (identifier) @local.definition))
(identifier) @local.reference
(dot_index_expression field: (identifier) @local.none)
(method_index_expression method: (identifier) @local.none)
(field name: (identifier) @local.none)
(function_declaration name: (identifier) @local.none)
