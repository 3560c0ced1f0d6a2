[
  (jsx_element) (jsx_opening_element) (jsx_self_closing_element) (jsx_expression)
] @indent
(jsx_closing_element) @outdent
(jsx_opening_element ">" @outdent)
(jsx_self_closing_element "/>" @outdent)
