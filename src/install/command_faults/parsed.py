# Reads the scripts that are its arguments without running them, and prints a row for each finding:
# its kind, the number of the script, the line and a text.
import ast
import importlib.util
import json
import os
import shutil
import site
import sys

FIELDS = {
    "additionalContext", "continue", "decision", "hookSpecificOutput", "permissionDecision", "updatedInput",
}
STARTS = ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen")
# Functions of modules whose arguments may be what is printed; a script's own functions may print as well.
PRINTERS = {"json.dump", "json.dumps", "sys.stdout.write"}
HOME = site.getusersitepackages()
PLACES = sys.path + os.environ.get("PYTHONPATH", "").split(os.pathsep) + [HOME]
# What such files link to is known to a run alone.
LINKED = os.path.isdir(HOME) and any(name.endswith(".pth") for name in os.listdir(HOME))


def say(kind, number, line, text):
    print(kind, number, line, " ".join(str(text).split()), sep="\t")


def literal(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Dict):
        return {str(literal(key)): literal(value) for key, value in zip(node.keys, node.values)}
    return [literal(one) for one in node.elts] if isinstance(node, ast.List) else "$value"


def words(node):
    parts = (it.value for it in ast.walk(node) if isinstance(it, ast.Constant))
    return " ".join(part for part in parts if isinstance(part, str))


def called(node):
    inner = node.func
    return ast.unparse(inner) if isinstance(inner, (ast.Attribute, ast.Name)) else ""


def call(number, node, on_error, elsewhere, is_borne):
    name, first = called(node), (node.args or [None])[0]
    to = {ast.unparse(it.value) for it in node.keywords if it.arg == "file"}
    to.update(ast.unparse(it) for it in node.args[1:2] if name == "json.dump")
    is_printing = isinstance(node.func, ast.Name) or name in PRINTERS
    if "sys.stderr" in to:
        on_error.update(id(it) for it in ast.walk(node))
    elif to - {"sys.stdout"} or not is_printing:
        elsewhere.update(id(it) for it in ast.walk(node))
    if name in STARTS and not is_borne and isinstance(first, ast.List) and first.elts:
        program = literal(first.elts[0])
        if isinstance(program, str) and program[:1] not in "$./~" and not shutil.which(program):
            say("program", number, node.lineno, program)
    if name in ("sys.exit", "exit", "SystemExit") and isinstance(
        first, (ast.JoinedStr, ast.BinOp, ast.Constant)
    ):
        text = words(first)
        if text:
            say("exit", number, node.lineno, text)
    if name == "print" and isinstance(first, ast.Dict):
        say("dict", number, node.lineno, json.dumps(literal(first)))


def answers(number, node, on_error, elsewhere, is_top=True):
    for inner in ast.iter_child_nodes(node):
        is_dict = isinstance(inner, ast.Dict)
        answers(number, inner, on_error, elsewhere, is_top and not is_dict)
        if not is_dict or not is_top or id(inner) in elsewhere:
            continue
        said = literal(inner) if None not in inner.keys else {}
        is_whole = isinstance(said.get("hookSpecificOutput", {}), dict)
        is_inner = "hookEventName" in said or "behavior" in said
        if FIELDS & said.keys() and is_whole and not is_inner:
            kind = "answer-on-error" if id(inner) in on_error else "answer"
            say(kind, number, inner.lineno, json.dumps(said, default=str))


def modules(number, name, tree):
    sys.path[:] = [os.path.dirname(os.path.realpath(name))] + PLACES
    for node in tree.body:
        if isinstance(node, ast.Import):
            found = [it.name for it in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [node.module]
        else:
            continue
        for top in (it.split(".")[0] for it in found):
            if importlib.util.find_spec(top) is None:
                say("module", number, node.lineno, top)


def read(number, name):
    with open(name, "rb") as file:
        text = file.read()
    try:
        tree = ast.parse(text, name)
    except SyntaxError as error:
        return say("syntax", number, error.lineno or 1, error.msg)
    on_error, elsewhere, nodes = set(), set(), list(ast.walk(tree))
    # A failure may be caught where it is not seen.
    is_borne = any(isinstance(node, ast.Try) for node in nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            call(number, node, on_error, elsewhere, is_borne)
        if isinstance(node, ast.Raise) and not is_borne and isinstance(node.exc, ast.Call):
            if called(node.exc) != "SystemExit" and words(node.exc):
                say("exit", number, node.lineno, words(node.exc))
    # An answer that is filled later is known to a run alone.
    if b'["hookSpecificOutput"]' not in text and b"['hookSpecificOutput']" not in text:
        answers(number, tree, on_error, elsewhere)
    if not LINKED and b"sys.path" not in text and b"# /// script" not in text:
        modules(number, name, tree)


for number, name in enumerate(sys.argv[1:]):
    try:
        read(number, name)
    except Exception:
        pass
