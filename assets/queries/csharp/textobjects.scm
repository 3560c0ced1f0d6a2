(method_declaration) @function.around
(constructor_declaration) @function.around
(local_function_statement) @function.around
(lambda_expression) @function.around
(class_declaration) @class.around
(struct_declaration) @class.around
(interface_declaration) @class.around
(enum_declaration) @class.around
(record_declaration) @class.around
(parameter_list (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
((method_declaration (attribute_list (attribute name: (identifier) @name))) @test.around (#any-of? @name "Test" "Fact" "Theory" "TestMethod"))
