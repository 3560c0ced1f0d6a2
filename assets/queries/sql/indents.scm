[(column_definitions) (subquery) (cte) (case) (list)] @indent
[")" (keyword_end)] @outdent
[(comment) (marginalia)] @literal
