(method_declaration) @function.around
(constructor_declaration) @function.around
(lambda_expression) @function.around
(class_declaration) @class.around
(interface_declaration) @class.around
(enum_declaration) @class.around
(record_declaration) @class.around
(formal_parameters (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(type_arguments (_) @parameter.inside)
(line_comment) @comment.around
(block_comment) @comment.around
((method_declaration (modifiers (marker_annotation name: (identifier) @name))) @test.around (#any-of? @name "Test" "ParameterizedTest"))
