(function_item) @function.around
(closure_expression) @function.around
(struct_item) @class.around
(enum_item) @class.around
(union_item) @class.around
(trait_item) @class.around
(impl_item) @class.around
(parameters (_) @parameter.inside)
(arguments (_) @parameter.inside)
(type_arguments (_) @parameter.inside)
(closure_parameters (_) @parameter.inside)
(line_comment) @comment.around
(block_comment) @comment.around
((attribute_item (attribute (identifier) @name)) @test.before (#any-of? @name "test" "rstest" "bench"))
((attribute_item (attribute (scoped_identifier name: (identifier) @name))) @test.before (#eq? @name "test"))
