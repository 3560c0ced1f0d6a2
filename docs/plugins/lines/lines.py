"""An example of a plugin's program: reads one JSON document, writes what its command promises."""

import json
import sys

asked = json.load(sys.stdin.buffer)
out = sys.stdout.buffer


def say(text):
    out.write(text.encode())


def selected():
    return [selection["text"] for selection in asked["selections"]]


def lines():
    """The lines of the text as bytes: columns count bytes."""
    return asked["text"].encode().split(b"\n")


match sys.argv[1]:
    case "count":
        text = "".join(selected())
        say(f"{text.count(chr(10))} line ends, {len(text.split())} words, {len(text.encode())} bytes")
    case "quote":
        # Called once for every selection.
        for line in selected()[0].splitlines():
            say(f"> {line}\n")
    case "number":
        starts = [{"line": n, "column": 1} for n in range(1, len(lines()))]
        edits = [{"start": at, "end": at, "text": f"{at['line']}. "} for at in starts]
        say(json.dumps(edits))
    case "long":
        long = [(n, line) for n, line in enumerate(lines(), 1) if len(line) > 80]
        places = [
            {"path": asked["path"], "line": n, "column": 81, "text": line.decode()} for n, line in long
        ]
        say(json.dumps(places))
