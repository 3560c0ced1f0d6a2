; What is declared is a function; its arguments are parameters.
(decl/signature name: (variable) @function)
(decl/function name: (variable) @function)
(decl/bind name: (variable) @variable)
(expression/variable) @variable
(decl/function patterns: (patterns (pattern/variable) @variable.parameter))
