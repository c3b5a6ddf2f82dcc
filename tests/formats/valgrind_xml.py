#!/usr/bin/env python3
"""norn's Valgrind XML, beside helgrind's own for the same program: valgrind_xml.py BIN_DIR WORK_DIR

The grammar is that of docs/internals/xml-output-protocol4.txt in Valgrind 3.19's source package, written down below.
helgrind's output must pass it (or the grammar is wrong), norn's must, and outputs that were broken on purpose must not.
Then races are compared element by element: of racer.c, and of heap.cpp, through libstdc++, in a block and a global.
"""

import copy
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))

TOOLSPECIFIC = "(error|announcethread)"
WHAT = "(what|xwhat)"
# Element: what its children are, in order. Helgrind says isrootthread of the first thread, which the text leaves out.
GRAMMAR = {
    "valgrindoutput": "protocolversion protocoltool preamble pid ppid tool (logfilequalifier )*(usercomment )?args status "
                      f"((errorcounts|clientmsg|fatal_signal|{TOOLSPECIFIC}) )*status "
                      f"((errorcounts|{TOOLSPECIFIC}) )*suppcounts ",
    "preamble": "(line )*",
    "args": "vargv argv ",
    "vargv": "exe (arg )*",
    "argv": "exe (arg )*",
    "status": "state time ",
    "stack": "(frame )+",
    "frame": "ip (obj )?(fn )?(dir )?(file )?(line )?",
    "errorcounts": "(pair )*",
    "suppcounts": "(pair )*",
    "pair": "count (unique|name) ",
    "announcethread": "hthreadid (stack|isrootthread) ",
    "error": f"unique tid (threadname )?kind {WHAT} ({WHAT} )?stack ((auxwhat|xauxwhat|stack) )*(suppression )?",
    "xwhat": "text (hthreadid )*",
    "xauxwhat": "text ((hthreadid|file|line|dir) )*",
    "suppression": "sname skind (skaux )?(sframe )+rawtext ",
    "sframe": "(obj|fun) ",
}
INT, HEX64 = r"\d+", r"0x[0-9a-fA-F]{1,16}"
LEAVES = {"pid": INT, "ppid": INT, "tid": INT, "hthreadid": INT, "count": INT, "line": r".*", "unique": HEX64,
          "ip": HEX64, "protocolversion": "4", "state": "RUNNING|FINISHED",
          "kind": "Race|UnlockUnlocked|UnlockForeign|UnlockBogus|PthAPIerror|LockOrder|Misc"}


def mistakes(root):
    """What is not as the protocol has it, one line each."""
    found = []
    for element in root.iter():
        children = "".join(child.tag + " " for child in element)
        if element.tag in GRAMMAR:
            if not re.fullmatch(GRAMMAR[element.tag], children):
                found.append(f"<{element.tag}> has: {children}")
        elif children:
            found.append(f"<{element.tag}> is to have no elements: {children}")
        elif element.tag in LEAVES and not re.fullmatch(LEAVES[element.tag], element.text or ""):
            found.append(f"<{element.tag}>{element.text}")
    for frame in root.iter("frame"):
        if not re.fullmatch(INT, frame.findtext("line", "0")):
            found.append("a frame's line is no number")
    announced = set()
    for element in root:
        if element.tag == "announcethread":
            announced.add(element.findtext("hthreadid"))
        for thread in element.iter("hthreadid"):
            if thread.text not in announced:
                found.append(f"thread {thread.text} was not announced")
    uniques = [error.findtext("unique") for error in root.findall("error")]
    if len(set(uniques)) != len(uniques):
        found.append("two errors are one")
    for unique in root.iter("unique"):
        if unique.text not in uniques:
            found.append(f"no error {unique.text}")
    return found


def broken(root):
    """Outputs that must not pass, and what was done to them."""
    def without(path, tag):
        other = copy.deepcopy(root)
        other.find(path).remove(other.find(f"{path}/{tag}"))
        return other
    yield "no stack", without(".//error", "stack")
    yield "no kind", without(".//error", "kind")
    yield "no text", without(".//xwhat", "text")
    yield "no suppcounts", without(".", "suppcounts")
    other = copy.deepcopy(root)
    other.find(".//error/kind").text = "Data race"
    yield "an unknown kind", other
    other = copy.deepcopy(root)
    frame = other.find(".//frame")
    frame.insert(0, frame[-1])
    del frame[-1]
    yield "the elements of a frame in another order", other
    other = copy.deepcopy(root)
    other.find(".//xwhat/hthreadid").text = "99"
    yield "a thread that was not announced", other


def race_in(root, lines):
    """The race of two statements, both writes: its error, and the innermost frames of its sides."""
    for error in root.findall("error"):
        stacks = error.findall("stack")
        inner = [stack[0] for stack in stacks[:2]]
        if error.findtext("kind") == "Race" and "during write" in error.findtext("xwhat/text") and \
                sorted(int(frame.findtext("line", "0")) for frame in inner) == lines:
            return error, inner
    sys.exit(f"valgrind_xml.py: no race on lines {lines}")


def shape(text):
    """Without addresses and numbers."""
    return re.sub(r"0x[0-9A-Fa-f]+|\d+", "N", text or "")


def bare(function):
    """g++ says what a template returns, clang does not; Valgrind's demangler keeps brackets apart."""
    return re.sub(r"^(void|std::__invoke_result<.*>::type) (?=std::)", "", re.sub(r"> (?=>)", ">", function or ""))


def pairs_of(their_root, our_root, lines):
    """What must be the same of a race in helgrind's output and in norn's: what it is, theirs, ours."""
    (theirs, their_frames), (ours, our_frames) = race_in(their_root, lines), race_in(our_root, lines)
    # norn says one thing more, behind all that helgrind says.
    assert ours[-1].tag == "auxwhat" and ours[-1].text.startswith("norn: "), xml.tostring(ours[-1])
    our_elements = list(ours)[:-1]
    yield "elements", [e.tag for e in theirs], [e.tag for e in our_elements]
    if their_frames[0].findtext("line") != our_frames[0].findtext("line"):  # the other thread was first
        our_frames.reverse()
    for side, (their, our) in enumerate(zip(their_frames, our_frames)):
        yield f"frame of side {side}", [e.tag for e in their], [e.tag for e in our]
        for tag in ("fn", "file", "line", "dir"):
            yield f"{tag} of side {side}", their.findtext(tag), our.findtext(tag)
    for their, our in zip(theirs, our_elements):
        if their.tag in ("what", "auxwhat", "kind"):
            yield f"<{their.tag}>", shape(their.text), shape(our.text)
        elif their.tag in ("xwhat", "xauxwhat"):
            yield f"<{their.tag}>", [(e.tag, shape(e.text)) for e in their], [(e.tag, shape(e.text)) for e in our]


def run(command, allowed=(0,)):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"valgrind_xml.py: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}")


def main():
    binaries, work = map(os.path.abspath, sys.argv[1:3])
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    os.environ["NORN_DIR"] = os.path.join(work, ".norn")
    for name, compiler in (("racer.c", "cc"), ("heap.cpp", "c++")):
        source, program = os.path.join(HERE, name), name.split(".")[0]
        run([compiler, "-g", "-pthread", source, "-o", f"{program}.plain"])
        run([os.path.join(binaries, f"norn-{compiler}"), "-g", "-pthread", source, "-o", program])
        run(["valgrind", "--tool=helgrind", "--xml=yes", f"--xml-file={program}.helgrind.xml", f"./{program}.plain"])
        run([os.path.join(binaries, "norn"), "run", f"--xml={program}.norn.xml", "--", f"./{program}"], (66,))
    run([os.path.join(binaries, "norn"), "report", "--xml=others.xml", os.path.join(HERE, "../page/others.jsonl")])
    names = ("racer.helgrind", "racer.norn", "heap.helgrind", "heap.norn", "others")
    outputs = {name: xml.parse(f"{name}.xml").getroot() for name in names}
    failures = [f"{name}: {line}" for name, root in outputs.items() for line in mistakes(root)]
    for what, root in broken(outputs["racer.helgrind"]):
        if not mistakes(root):
            failures.append(f"the grammar takes {what}")

    pairs = list(pairs_of(outputs["racer.helgrind"], outputs["racer.norn"], [8, 8]))
    for lines in ([17, 22], [23, 26]):  # the block's, the global's
        pairs += pairs_of(outputs["heap.helgrind"], outputs["heap.norn"], lines)
    # All frames of a stack: libstdc++'s, too, down to where the thread began, which each tool has in words of its own.
    stacks = [[[bare(frame.findtext("fn")) for frame in stack] for stack in race_in(outputs[name], [17, 22])[0].findall("stack")]
              for name in ("heap.helgrind", "heap.norn")]
    for their, our in zip(*map(sorted, stacks)):
        pairs.append(("functions of a stack", their[:len(our)], our))
    for path in ("args/argv/exe", "tool", "protocoltool"):
        their, our = outputs["racer.helgrind"].findtext(path), outputs["racer.norn"].findtext(path)
        pairs.append((path, os.path.basename(their).replace(".plain", ""), os.path.basename(our)))
    failures += [f"{what}: helgrind has {their}, norn {our}" for what, their, our in pairs if their != our]
    for line in failures:
        print(line)
    print(f"{len(pairs)} things compared, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
