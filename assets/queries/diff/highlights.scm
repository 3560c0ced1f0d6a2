; A difference in the words of themes.
[(addition) (new_file)] @diff.plus
[(deletion) (old_file)] @diff.minus
(location) @diff.delta
(commit) @constant
(command) @keyword
