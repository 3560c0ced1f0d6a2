"""The far end of the place of `remote_place.rs`: one JSON object a line in, lines out."""

import base64
import json
import os
import select
import signal
import stat
import subprocess
import sys


def say(**fields):
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def kind(mode):
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "other"


def whole(path):
    facts = os.stat(path)
    if kind(facts.st_mode) == "folder":
        raise IsADirectoryError(path)
    if kind(facts.st_mode) != "file":
        raise OSError("not a regular file")
    with open(path, "rb") as file:
        return file.read()


def entry(path, name):
    try:
        mode = os.stat(os.path.join(path, name)).st_mode
    except OSError:
        mode = 0
    return {"name": os.fsencode(name).decode("utf-8", "replace"), "kind": kind(mode)}


def run(script, cwd, env):
    if not os.path.isdir(cwd):
        say(error="nofolder")
        return
    child = subprocess.Popen(
        ["/bin/bash", "-c", script],
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    out = child.stdout.fileno()
    waiting = [out, 0]
    while out in waiting:
        for ready in select.select(waiting, [], [])[0]:
            if ready == 0:
                # The only thing that is said meanwhile, or the end of the near end.
                os.read(0, 100)
                waiting.remove(0)
                os.killpg(child.pid, signal.SIGKILL)
            else:
                piece = os.read(out, 65536)
                if piece:
                    say(piece=base64.b64encode(piece).decode())
                else:
                    waiting.remove(out)
    code = child.wait()
    say(code=code if code >= 0 else 128 - code)


def answer(ask):
    what, path = ask["do"], ask.get("path", "")
    if what == "resolve":
        say(path=os.path.realpath(path))
    elif what == "stat":
        facts = os.stat(path)
        say(kind=kind(facts.st_mode), size=facts.st_size, modified=facts.st_mtime_ns // 1000000)
    elif what == "list":
        say(entries=[entry(path, name) for name in os.listdir(path)])
    elif what == "read":
        say(bytes=base64.b64encode(whole(path)).decode())
    elif what == "write":
        path = os.path.realpath(path)
        if os.path.isdir(path):
            raise IsADirectoryError(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "wb") as file:
            file.write(base64.b64decode(ask["bytes"]))
        os.replace(path + ".new", path)
        say(done=True)
    elif what == "remove":
        if os.path.isdir(path):
            raise IsADirectoryError(path)
        os.remove(path)
        say(done=True)
    elif what == "run":
        run(ask["script"], ask["cwd"], ask["env"])


# Without a buffer: what is said while a command runs is waited for below Python's own.
for line in iter(open(0, "rb", buffering=0).readline, b""):
    try:
        answer(json.loads(line))
    except FileNotFoundError:
        say(error="missing")
    except IsADirectoryError:
        say(error="folder")
    except OSError as error:
        say(error=str(error))
