# Reads the scripts that are its arguments, or follow there behind a `=`, without running them. Prints a row for
# each finding: its kind, the number of the script, the line and a text.
import ast
import builtins
import json
import os
import sys

FIELDS = {
    "additionalContext", "continue", "decision", "hookSpecificOutput", "permissionDecision", "updatedInput",
}
STARTS = ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen")
# Functions of modules whose arguments may be what is printed; a script's own functions may print as well.
PRINTERS = {"json.dump", "json.dumps", "sys.stdout.write"}
OWN = getattr(sys, "stdlib_module_names", sys.builtin_module_names)


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


def call(number, node, on_error, elsewhere, is_borne, dicts):
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
        if isinstance(program, str) and program[:1] not in "$./~":
            from shutil import which

            say("program" if which(program) is None else "around", number, node.lineno, program)
    if name in ("sys.exit", "exit", "SystemExit") and isinstance(
        first, (ast.JoinedStr, ast.BinOp, ast.Constant)
    ):
        text = words(first)
        if text:
            say("exit", number, node.lineno, text)
    if isinstance(first, ast.Name):
        first = dicts.get(first.id)
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


def is_two(node):
    return isinstance(node, ast.Call) and called(node) in ("sys.exit", "exit") and ast.unparse(node).endswith("(2)")


def swallowed(number, node):
    for handler in node.handlers:
        is_all = handler.type is None or ast.unparse(handler.type) == "BaseException"
        leaves = any(isinstance(it, ast.Raise) or is_two(it) for it in ast.walk(handler))
        if is_all and not leaves and any(is_two(it) for part in node.body for it in ast.walk(part)):
            say("swallowed", number, handler.lineno, "")


# The names that mean a `dict` and nothing else.
def dicts_of(nodes):
    values = {it.arg: [None] for it in nodes if isinstance(it, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for name in (it.id for it in node.targets if isinstance(it, ast.Name)):
                values.setdefault(name, []).append(node.value)
    return {name: of[0] for name, of in values.items() if all(isinstance(it, ast.Dict) for it in of)}


def is_of_stdin(node):
    return isinstance(node, ast.Call) and called(node) in ("json.load", "json.loads") and "sys.stdin" in ast.unparse(node)


# The value that a node reads a key of, the key, and whether it has to be there.
def read_of(node):
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant):
        return node.value, node.slice.value, True
    is_get = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
    if is_get and node.args and isinstance(node.args[0], ast.Constant):
        return node.func.value, node.args[0].value, False
    return None, None, False


# The names that are given one value alone, which `is_it` says yes to.
def named(nodes, is_it):
    values = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for name in (it.id for it in node.targets if isinstance(it, ast.Name)):
                values.setdefault(name, []).append(node.value)
    return {name for name, of in values.items() if len(of) == 1 and is_it(of[0])}


# The fields that are read of the call: those that have to be there, those that are read alone, and all; and those
# of its input.
def fields(number, nodes, is_borne):
    calls = named(nodes, is_of_stdin)
    asked = {it.left.value for it in nodes if isinstance(it, ast.Compare) and isinstance(it.left, ast.Constant)}
    others = {id(it) for node in nodes if isinstance(node, (ast.BoolOp, ast.IfExp)) for it in ast.walk(node)}
    is_call = lambda of: is_of_stdin(of) or isinstance(of, ast.Name) and of.id in calls
    top = [node for node in nodes if is_call(read_of(node)[0])]
    is_needed = lambda node: read_of(node)[2] and not is_borne and read_of(node)[1] not in asked
    lists = [filter(is_needed, top), (it for it in top if id(it) not in others), top]
    listed = [",".join(f"{read_of(it)[1]}@{it.lineno}" for it in of) for of in lists]
    if top:
        say("field", number, 0, ";".join(listed))

    def is_input(node):
        while isinstance(node, ast.BoolOp):
            node = node.values[0]
        return isinstance(node, ast.AST) and read_of(node)[1] == "tool_input" and is_call(read_of(node)[0])

    inputs = named(nodes, is_input)
    is_of_input = lambda of: is_input(of) or isinstance(of, ast.Name) and of.id in inputs
    inner = [(node.lineno, read_of(node)[1]) for node in nodes if is_of_input(read_of(node)[0])]
    if inner:
        say("input", number, inner[0][0], ", ".join(dict.fromkeys(str(key) for _, key in inner)))


# Where modules are looked for; none where files link to more, which is known to a run alone.
def places():
    if "site" not in sys.modules:
        import site

        site.main()
        home = site.getusersitepackages()
        is_linked = os.path.isdir(home) and any(name.endswith(".pth") for name in os.listdir(home))
        more = os.environ.get("PYTHONPATH", "").split(os.pathsep) + [home]
        site.places = None if is_linked else sys.path + more
    return sys.modules["site"].places


def is_absent(name, top):
    say("around", 0, 0, top)
    from importlib.machinery import PathFinder

    known = places()
    return known is not None and PathFinder.find_spec(top, [os.path.dirname(os.path.realpath(name))] + known) is None


def modules(number, name, tree):
    for node in tree.body:
        if isinstance(node, ast.Import):
            found = [it.name for it in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [node.module]
        else:
            continue
        for top in (it.split(".")[0] for it in found):
            if top == os.path.basename(name).removesuffix(".py"):
                say("itself", number, node.lineno, top)
            elif top not in OWN and is_absent(name, top):
                say("module", number, node.lineno, top)


# The modules that are used and never imported.
def unbound(number, nodes):
    known = {"datetime", "fnmatch", "json", "os", "pathlib", "re", "shlex", "shutil", "subprocess", "sys", "time"}
    bound = {it.id for it in nodes if isinstance(it, ast.Name) and not isinstance(it.ctx, ast.Load)}
    bound.update(it.arg for it in nodes if isinstance(it, ast.arg))
    for node in nodes:
        if isinstance(node, ast.alias):
            bound.add("*" if node.name == "*" else (node.asname or node.name).split(".")[0])
    used = (it.value for it in nodes if isinstance(it, ast.Attribute) and isinstance(it.value, ast.Name))
    first = next((it for it in used if it.id in known - bound and "*" not in bound), None)
    if first is not None:
        return say("unbound", number, first.lineno, first.id)
    bound.update(getattr(it, "name", None) or getattr(it, "rest", None) for it in nodes)
    bound.update(dir(builtins), ("__file__",))
    loaded = [it for it in nodes if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Load)]
    if "*" not in bound and not any(it.id in ("exec", "globals", "NameError") for it in loaded):
        for node in [it for it in loaded if it.id not in bound and not it.id.startswith("__")][:1]:
            say("unset", number, node.lineno, node.id)


def read(number, name):
    if name.startswith("="):
        name, text = "-c", name[1:].encode()
    else:
        with open(name, "rb") as file:
            text = file.read()
    try:
        tree = ast.parse(text, name)
    except SyntaxError as error:
        return say("syntax", number, error.lineno or 1, error.msg)
    on_error, elsewhere, nodes = set(), set(), list(ast.walk(tree))
    # A failure may be caught where it is not seen.
    systems = ("shutil.which", "sys.platform", "platform.system", "os.name")
    is_borne = any(isinstance(node, ast.Try) or isinstance(node, ast.Attribute) and ast.unparse(node) in systems for node in nodes)
    dicts = dicts_of(nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            call(number, node, on_error, elsewhere, is_borne, dicts)
        if isinstance(node, ast.Try):
            swallowed(number, node)
        if isinstance(node, ast.Raise) and not is_borne and isinstance(node.exc, ast.Call):
            if called(node.exc) != "SystemExit" and words(node.exc):
                say("exit", number, node.lineno, words(node.exc))
    defined = {node.name: node.lineno for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "main" in defined and not any(isinstance(node, ast.Name) and node.id == "main" for node in nodes):
        say("uncalled", number, defined["main"], "main")
    fields(number, nodes, is_borne)
    unbound(number, nodes)
    # An answer that is filled later is known to a run alone.
    if b'["hookSpecificOutput"]' not in text and b"['hookSpecificOutput']" not in text:
        answers(number, tree, on_error, elsewhere)
    if b"sys.path" not in text and b"# /// script" not in text:
        modules(number, name, tree)


for number, name in enumerate(sys.argv[1:]):
    try:
        read(number, name)
    except Exception:
        pass
