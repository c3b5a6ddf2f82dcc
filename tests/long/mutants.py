#!/usr/bin/env python3
"""Breaks the rule of one path of an access at a time, and demands that the tests of the paths notice.

usage: mutants.py WORK_DIR [NUMBER...]

Each mutant is one replacement in core/ (the text must be there exactly once). It is made in a copy of the sources in
WORK_DIR, core_test is built there, and the tests of the paths must fail. The first run, without a mutant, must pass. The
status is 0 if no mutant lives.
"""
import filecmp
import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
TESTS = "PathsTest.*:RowsTest.*:ReadersTest.*:AtomicStep*.*:DetectorTest.*"
SECONDS = 600  # a mutant that hangs is noticed, too

MUTANTS = [
    ("path 1 takes what no clock orders for ordered", "core/shadow/relation.h",
     "thread_.decides->get_near(ShadowWord::slot_of(then_)) >= ShadowWord::clock_of(then_);",
     "thread_.decides->get_near(ShadowWord::slot_of(then_)) + 1 >= ShadowWord::clock_of(then_);"),
    ("path 1 takes other locks for the same", "core/shadow/relation.h",
     "return locks == 0 ? Covered::kNo : Covered::kUnknown;  // nothing",
     "return Covered::kYes;  // nothing"),
    ("paths 1 and 2 take locks without a number for the same", "core/shadow/relation.h",
     "return locks != SegmentLocks::kOfItsTime ||",
     "return locks == SegmentLocks::kOfItsTime ||"),
    ("path 2 takes any lock for one that excludes", "core/shadow/relation.h",
     "return full_ && thread_.words_exclude && has_same_locks(thread_, then_, locks_) ?",
     "return full_ && thread_.words_exclude ?"),
    ("path 2 takes full order for strong", "core/shadow/relation.h",
     "bool is_ordered() const { return lockless_ ? full_ : strong_; }",
     "bool is_ordered() const { return lockless_ ? full_ : full_ || strong_; }"),
    ("a read in place does not look at the writes in the list", "core/shadow/granules.cc",
     "    if (!excluded) return false;\n",
     "    (void)excluded;\n"),
    ("a read in place takes away what it does not cover", "core/shadow/granules.cc",
     "if (related.covered == Covered::kYes) left[at] = word.without(mask);",
     "left[at] = word.without(mask);"),
    ("a read in place says that it has another's locks", "core/shadow/granules.cc",
     "GranuleLayout::locks_in(to, thread.words_locks);",
     "GranuleLayout::locks_in(to, locks_at(second, to));"),
    ("a strided access loses what it does not cover", "core/shadow/step.h",
     "        new_cells = two_;\n        new_third = mine;",
     "        new_cells = alone_;"),
    ("a row of the thread's own takes another's words", "core/shadow/step.h",
     "      if (clocks > past_) return false;  // another's",
     "      if (clocks > past_ && clocks < 4) return false;  // another's"),
    ("a row of the thread's own writes over what was freed", "core/shadow/step.h",
     "return !word.is_free() && covers(Kind, word.kind());",
     "return covers(Kind, word.kind());"),
    ("granules of a row are taken for alike that are not", "core/shadow/step.h",
     "words[0] == other.words[0] && words[1] == other.words[1] && words[2] == other.words[2] &&",
     "words[0] == other.words[0] && words[1] == other.words[1] &&"),
    ("a birth takes some bytes for all", "core/shadow/step.h",
     "if constexpr (Kind == AccessKind::kBirth) return word.has_all(ShadowWord::kAllBytes);",
     "if constexpr (Kind == AccessKind::kBirth) return true;"),
    ("a thread's own older word goes when a third comes", "core/shadow/step.h",
     "          oldest_left = third_left;\n",
     "          oldest_left = 0;\n"),
    ("a read of the table does not look at the write beside it", "core/shadow/read_step.h",
     "relate(FixedKind<AccessKind::kRead>{}, other, KnownOrder(thread, lockless, other)).agrees();",
     "relate(FixedKind<AccessKind::kRead>{}, other, KnownOrder(thread, lockless, other)).how != Relation::kSame;"),
    ("the slow path covers what is protected worse", "core/shadow/relation.h",
     "if (context_.locksets->weaker_or_same(thread_.lockset, then)) return Covered::kYes;",
     "if (context_.locksets->weaker_or_same(then, thread_.lockset)) return Covered::kYes;"),
    ("with a short history a read takes away one that more excluded", "core/shadow/relation.h",
     "return fewer && was != thread.lockset ? Covered::kNo : Covered::kYes;",
     "return Covered::kYes;"),
    ("a short list drops one that a short history keeps", "core/shadow/granules.cc",
     "if (superseded <= options_.superseded_cap ||",
     "if (superseded < options_.superseded_cap ||"),
    ("a word that nothing supersedes goes for want of room", "core/shadow/step.h",
     "word.slot() == thread_.slot) &&\n           ordered_before(thread_.clocks.full, thread_, word.slot(), word.clock());",
     "word.slot() == thread_.slot);"),
    ("atomics forget the reads before them", "core/shadow/atomic_step.h",
     "if (related.covered == Covered::kNo) return stay_if(!word.is_free());",
     "if (related.covered == Covered::kNo && write) return stay_if(!word.is_free());"),
]


def copy_if_changed(source, target):
    """What is the same keeps its time; what is not gets a new one, so that it is built again."""
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    return target


def copy_sources(tree):
    """The rooms that core_test needs, as they are now."""
    os.makedirs(tree, exist_ok=True)
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "base", "core", "include",
                 "integration"):
        source, target = os.path.join(ROOT, name), os.path.join(tree, name)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True, copy_function=copy_if_changed)
        else:
            copy_if_changed(source, target)


def build(tree):
    done = subprocess.run(["cmake", "--build", os.path.join(tree, "build"), "--target", "core_test"],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout[-2000:]


def passes(tree):
    try:
        return subprocess.run([os.path.join(tree, "build/bin/core_test"), f"--gtest_filter={TESTS}", "--gtest_brief=1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS,
                              check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def is_noticed(tree, file, old, new):
    """Whether the tests fail with the mutant; the sources are as before afterwards."""
    path = os.path.join(tree, file)
    with open(path, encoding="utf-8") as source:
        original = source.read()
    if original.count(old) != 1:
        sys.exit(f"mutants: {file} has {original.count(old)} times, and not once: {old}")
    with open(path, "w", encoding="utf-8") as source:
        source.write(original.replace(old, new))
    try:
        built, output = build(tree)
        if not built:
            sys.exit(f"mutants: does not compile: {new}\n{output}")
        return not passes(tree)
    finally:
        with open(path, "w", encoding="utf-8") as source:
            source.write(original)


def main():
    tree = os.path.join(os.path.abspath(sys.argv[1]), "tree")
    wanted = {int(number) for number in sys.argv[2:]} or set(range(1, len(MUTANTS) + 1))
    copy_sources(tree)
    subprocess.run(["cmake", "--preset", "default", "-S", tree, "-B", os.path.join(tree, "build"), "-DNORN_ONLY=base;core"],
                   cwd=tree, stdout=subprocess.DEVNULL, check=True)
    built, output = build(tree)
    if not built or not passes(tree):
        sys.exit(f"mutants: the tests fail without any\n{output}")
    alive = 0
    for number, (words, file, old, new) in enumerate(MUTANTS, 1):
        if number not in wanted:
            continue
        noticed = is_noticed(tree, file, old, new)
        alive += not noticed
        print(f"{'noticed' if noticed else 'LIVES  '} {number}: {words}", flush=True)
    print(f"{alive} of {len(wanted)} mutants live")
    return 1 if alive else 0


sys.exit(main())
