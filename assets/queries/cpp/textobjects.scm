(function_definition) @function.around
(struct_specifier) @class.around
(union_specifier) @class.around
(enum_specifier) @class.around
(parameter_list (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
(class_specifier) @class.around
(lambda_expression) @function.around
(template_parameter_list (_) @parameter.inside)
(template_argument_list (_) @parameter.inside)
((call_expression function: (identifier) @name) @test.around (#any-of? @name "TEST" "TEST_F" "TEST_CASE"))
