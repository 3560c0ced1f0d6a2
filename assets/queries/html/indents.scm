[(element) (script_element) (style_element) (start_tag) (self_closing_tag)] @indent
(end_tag) @outdent
(start_tag ">" @outdent)
(self_closing_tag "/>" @outdent)
[(comment) (raw_text) (quoted_attribute_value)] @literal
