[(element) (STag) (EmptyElemTag)] @indent
(ETag) @outdent
(STag ">" @outdent)
(EmptyElemTag "/>" @outdent)
[(Comment) (CDSect) (AttValue)] @literal
