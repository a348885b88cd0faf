"""Loads the hook's modules from one file, by the groups in which events need them.

To find a module costs Python more than to run it: half of what a hook took. This code lies in that
file itself (packing.py) and the launcher runs it before anything of ours is there.

Laws:
  - a module comes from here only while its source is the one that was packed; else Python finds
    it by itself, as it does where there is no pack at all;
  - a group is a guess at what an event needs, in the order in which it can be run. Whatever it
    leaves out is found as ever.
"""

import _imp
import marshal
import posix
import sys


def loader(pack, index, groups):  # type: ignore[no-untyped-def]  # run before typing is there
    """What brings a group of modules, given the open pack and what lies in it where."""

    def bring(group):  # type: ignore[no-untyped-def]
        """Load a group; False when something is not as it was packed."""
        for name in groups.get(group, ()):
            if name in sys.modules:
                continue
            path, folder, written_ns, size, start, length = index[name]
            try:
                found = posix.stat(path)
                if found.st_mtime_ns != written_ns or found.st_size != size:
                    return False
                if not length:  # a library of the interpreter's own: only its place is packed
                    spec = type(sys.__spec__)(name, None, origin=path)
                    sys.modules[name] = _imp.create_dynamic(spec)
                    _imp.exec_dynamic(sys.modules[name])
                    continue
                code = marshal.loads(posix.pread(pack, length, start))  # noqa: S302 - our own file
            except (OSError, EOFError, ValueError, TypeError, ImportError):
                return False
            module = sys.modules[name] = type(sys)(name)
            module.__file__ = path
            if folder:
                module.__path__ = [folder]
            try:
                exec(code, module.__dict__)  # noqa: S102
            except Exception:  # Python meets it again, where somebody is prepared for it
                del sys.modules[name]
                return False
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)
        return True

    return bring
