[(block) (keyframe_block_list) (arguments) (declaration)] @indent
["}" ")"] @outdent
(comment) @literal
