(function_definition) @function.around
(method_declaration) @function.around
(anonymous_function) @function.around
(arrow_function) @function.around
(class_declaration) @class.around
(interface_declaration) @class.around
(trait_declaration) @class.around
(enum_declaration) @class.around
(formal_parameters (_) @parameter.inside)
(arguments (_) @parameter.inside)
(comment) @comment.around
((method_declaration name: (name) @name) @test.around (#match? @name "^test"))
