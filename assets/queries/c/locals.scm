[(function_definition) (compound_statement) (for_statement)] @local.scope
(parameter_declaration declarator: (identifier) @local.parameter)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local.parameter))
(parameter_declaration declarator: (pointer_declarator (pointer_declarator declarator: (identifier) @local.parameter)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @local.parameter))
(declaration declarator: (identifier) @local.definition)
(declaration declarator: (pointer_declarator declarator: (identifier) @local.definition))
(declaration declarator: (array_declarator declarator: (identifier) @local.definition))
(init_declarator declarator: (identifier) @local.definition)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local.definition))
(init_declarator declarator: (array_declarator declarator: (identifier) @local.definition))
(identifier) @local.reference
(function_declarator declarator: (identifier) @local.none)
