(function_declaration) @function.around
(method_declaration) @function.around
(func_literal) @function.around
(type_declaration) @class.around
(parameter_list (_) @parameter.inside)
(argument_list (_) @parameter.inside)
(comment) @comment.around
((function_declaration name: (identifier) @name) @test.around (#match? @name "^(Test|Benchmark|Example|Fuzz)"))
