[(object) (array)] @indent
["}" "]"] @outdent
