(function_definition) @function.around
(lambda) @function.around
(class_definition) @class.around
(parameters (_) @parameter.inside)
(lambda_parameters (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
((function_definition name: (identifier) @name) @test.around (#match? @name "^test"))
