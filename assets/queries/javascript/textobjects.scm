(function_declaration) @function.around
(function_expression) @function.around
(generator_function_declaration) @function.around
(arrow_function) @function.around
(method_definition) @function.around
(class_declaration) @class.around
(class) @class.around
(formal_parameters (_) @parameter.inside)
(arguments (_) @parameter.inside)
(comment) @comment.around
((call_expression function: (identifier) @name) @test.around (#any-of? @name "it" "test" "describe" "suite"))
((call_expression function: (member_expression object: (identifier) @name)) @test.around (#any-of? @name "it" "test" "describe"))
