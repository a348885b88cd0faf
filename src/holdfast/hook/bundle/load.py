"""Loads the hook's modules from one file, by the groups in which events need them.

To find a module costs Python more than to run it: half of what a hook took. This code lies in that
file itself (build.py) and the launcher runs it before anything of ours is there.

Laws:
  - a module comes from here only while its source is the one that was packed; else Python finds
    it by itself, as it does where there is no pack at all;
  - what is not what was packed, by its digest, is never run: a damaged code object may crash the
    interpreter, or do something else than it says;
  - a group is a guess at what an event needs, in the order in which it can be run. Whatever it
    leaves out is found as ever.
"""

import _imp
import gc
import marshal
import posix
import sys

damaged = False  # of the launcher's module, where this code runs


def loader(pack, start, lengths, groups, key):  # type: ignore[no-untyped-def]  # before typing is there
    """What brings a group of modules, given the open pack and what lies in it where."""
    modules = {}  # number as a character -> name, path, folder, time and length of the source, code
    chunks = {}  # those that were not read yet: number -> where it lies
    for chunk, length in enumerate(lengths):
        chunks[chunk] = start, length
        start += length

    def bring(group):  # type: ignore[no-untyped-def]
        """Load a group; False when something is not as it was packed."""
        global damaged  # noqa: PLW0603 - of the launcher's module: our own are not there yet
        needed, numbers = groups.get(group, (b"", ""))
        try:
            for chunk in needed:
                if chunk in chunks:
                    start, length = chunks[chunk]
                    content = posix.pread(pack, length, start)
                    if _imp.source_hash(key, memoryview(content)[:-8]) != content[-8:]:
                        damaged = True
                        return False
                    modules.update(marshal.loads(content))  # noqa: S302
                    del chunks[chunk]
            return all(run(*modules[number]) for number in numbers)  # type: ignore[no-untyped-call]
        except (OSError, EOFError, ValueError, TypeError, ImportError):
            return False

    def run(name, path, folder, written_ns, size, code):  # type: ignore[no-untyped-def]
        if name in sys.modules:
            return True
        status = posix.stat(path)
        if status.st_mtime_ns != written_ns or status.st_size != size:
            return False
        if code:
            module = type(sys)(name)
        else:  # a library: only its place is packed
            module = _imp.create_dynamic(type(sys.__spec__)(name, None, origin=path))
        sys.modules[name] = module
        module.__file__ = path
        if folder:
            module.__path__ = [folder]
        try:
            if code:
                exec(code, module.__dict__)  # noqa: S102
            else:
                _imp.exec_dynamic(module)
        except Exception:  # Python meets it again, where somebody is prepared for it
            del sys.modules[name]
            return False
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
        return True

    gc.disable()  # a process of milliseconds has nothing to collect
    return bring
