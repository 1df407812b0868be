"""Ports the package autobahntestsuite 25.10.1 from Python 2 to Python 3.

    port.py ORIGINAL TARGET

The idea: the test cases hold bytes in the strings of Python 2. They stay strings here, with one
character for each byte (Latin-1), and become bytes where a case hands them to the protocol below
it (`Wire`). Received data stays bytes; where a case compares both, both are bytes. So
the 517 cases stay as they are. The rest is done by lib2to3, and by the substitutions below: each of
them has to match as often as it says, or the port stops.
"""

import re
import shutil
import sys
from pathlib import Path

try:
    from lib2to3.refactor import RefactoringTool, get_fixers_from_package

    fixers = get_fixers_from_package("lib2to3.fixes")
except ImportError:
    from fissix.refactor import RefactoringTool, get_fixers_from_package

    fixers = get_fixers_from_package("fissix.fixes")

# Next to the cases and their data.
MODULES = ["_version.py", "caseset.py", "fuzzing.py", "report.py"]

OCTETS = '''\
"""Bytes that are strings of Latin-1 in the cases (see port.py)."""

import binascii

from autobahn.websocket.utf8validator import Utf8Validator as BytesValidator


def octets(value):
    return value.encode("latin-1") if isinstance(value, str) else value


def comparable(value):
    if isinstance(value, str):
        return value.encode("latin-1", "backslashreplace")
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (list, tuple)):
        return tuple(comparable(part) for part in value)
    return value


def b2a_hex(value):
    return binascii.b2a_hex(octets(value)).decode("ascii")


def readable(value):
    """A description with a payload of UTF-8 in it."""
    try:
        return value.encode("latin-1").decode("utf8") if isinstance(value, str) else value
    except UnicodeError:
        return value


def for_json(value):
    if not isinstance(value, (bytes, bytearray)):
        return str(value)
    try:
        return bytes(value).decode("utf8")
    except UnicodeDecodeError:
        return "0x" + b2a_hex(bytes(value))


class Utf8Validator:
    def __init__(self):
        self.validator = BytesValidator()

    def reset(self):
        self.validator.reset()

    def validate(self, value):
        return self.validator.validate(octets(value))


class Wire:
    """Precedes the protocol's class: converts the strings of the cases to bytes."""

    debug = False

    def sendFrame(self, opcode, payload=b"", fin=True, rsv=0, mask=None, payload_len=None,
                  chopsize=None, sync=False):
        payload = octets(payload)
        super().sendFrame(opcode, payload=payload, fin=fin, rsv=rsv, mask=octets(mask),
                          payload_len=payload_len if payload else None, chopsize=chopsize,
                          sync=sync)

    def sendMessage(self, payload, isBinary=False, fragmentSize=None, sync=False,
                    doNotCompress=False):
        super().sendMessage(octets(payload), isBinary=isBinary, fragmentSize=fragmentSize,
                            sync=sync, doNotCompress=doNotCompress)

    def sendPing(self, payload=None):
        super().sendPing(octets(payload))

    def sendPong(self, payload=None):
        super().sendPong(octets(payload))

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        super().sendCloseFrame(code=code, reasonUtf8=octets(reasonUtf8), isReply=isReply)

    def sendMessageFrameData(self, payload, sync=False):
        return super().sendMessageFrameData(octets(payload), sync=sync)

    def sendMessageFrame(self, payload, sync=False):
        super().sendMessageFrame(octets(payload), sync=sync)

    def failConnection(self):
        self._fail_connection()
'''

# For each file: the pattern, its replacement, and the number of occurrences (None: at least one).
SUBSTITUTIONS = {
    # Only the style sheets of the reports are needed.
    "report.py": [
        (r"import jinja2\n", "", 1),
        (r"(?s)from zope\.interface import implementer\nfrom (\.?)interfaces import.*$", "", 1),
    ],
    "caseset.py": [(r"'\\\.'", r"'\\\\.'", None)],
    "fuzzing.py": [
        (r"import os, json, binascii, time, textwrap, pkg_resources",
         "import os, json, time, textwrap, pkg_resources\n"
         "from . import octets\nfrom . import octets as binascii", 1),
        (r"class FuzzingProtocol:", "class FuzzingProtocol(octets.Wire):", 1),
        # The logs take both kinds of bytes.
        (r"def asciiLogData\(data, maxlen = 64, replace = False\):\n",
         "def asciiLogData(data, maxlen = 64, replace = False):\n"
         "   data = octets.octets(data)\n", 1),
        (r"dd = data\[:maxlen\] \+ ellipses", "dd = data[:maxlen] + ellipses.encode('ascii')", 1),
        (r"p = ''\.join\(payload\)", "p = b''.join(payload)", 1),
        (r"mmask = binascii\.b2a_hex\(t\[6\]\)", "mmask = t[6]", 1),
        (r"log\.msg\(\"Pong received: \" \+ payload\)",
         "log.msg(\"Pong received: %r\" % payload)", 1),
        (r"spec\.get\(\"payload\", \"\"\)", "spec.get(\"payload\", \"\").encode(\"UTF-8\")", 1),
        # The reports are written as UTF-8.
        (r"open\(os\.path\.join\(outdir, report_filename\), 'w'\)",
         "open(os.path.join(outdir, report_filename), 'w', encoding = 'utf-8')", 4),
        (r"json\.dumps\((res|case), sort_keys = True, indent = 3, separators = \(',', ': '\)\)",
         r"json.dumps(\1, sort_keys = True, indent = 3, separators = (',', ': '), "
         r"default = octets.for_json)", 2),
        (r"\(\('         <tr class=\"stats_row\"><td>%s</td><td class=\"left\">%s</td>"
         r"<td class=\"left\">%s</td></tr>\\n' % \(c\[0\], case\[c\[0\]\], c\[1\]\)\)"
         r"\.encode\(\"utf-8\"\)\)",
         "('         <tr class=\"stats_row\"><td>%s</td><td class=\"left\">%s</td>"
         "<td class=\"left\">%s</td></tr>\\\\n'"
         " % (c[0], octets.for_json(case[c[0]]), c[1]))", 1),
        (r"ll\.encode\('utf8'\)", "ll", 1),
        (r"CCase\.(DESCRIPTION|EXPECTATION)\)", r"octets.readable(CCase.\1))", 2),
        (r"\"description\": self\.Case\.DESCRIPTION",
         "\"description\": octets.readable(self.Case.DESCRIPTION)", 1),
        (r"'description': self\.factory\.CaseSet\.caseClassToPrettyDescription\(self\.Case\)",
         "'description': octets.readable("
         "self.factory.CaseSet.caseClassToPrettyDescription(self.Case))", 1),
        # The changes of autobahn's interface; servers listen on loopback only.
        (r"WebSocket(Server|Client)Factory\.__init__"
         r"\(self, debug = debug, debugCodePaths = debug\)",
         r"WebSocket\1Factory.__init__(self)", 2),
        (r"listenWS\(factory, sslContext\)",
         "listenWS(factory, sslContext, interface = '127.0.0.1')", 1),
    ],
    "case/case.py": [
        (r"import pickle\n", "from autobahntestsuite.octets import comparable\n", 1),
        (r"return pickle\.dumps\(obj1\) == pickle\.dumps\(obj2\)",
         "return comparable(obj1) == comparable(obj2)", 1),
    ],
    "case/case6_x_x.py": [
        (r"from autobahn\.websocket\.utf8validator import Utf8Validator",
         "from autobahntestsuite.octets import Utf8Validator", 1),
        (r"\.tostring\(\)", ".tobytes()", None),
    ],
    "case/case10_1_1.py": [
        (r"len\(self\.payload\) / self\.p\.autoFragmentSize",
         "len(self.payload) // self.p.autoFragmentSize", 1),
    ],
    "case/case9_9_1.py": [
        (r"from zope\.interface import implements", "from zope.interface import implementer", 1),
        (r"class FrameProducer:\n\s+implements\(interfaces\.IPushProducer\)\n",
         "@implementer(interfaces.IPushProducer)\nclass FrameProducer:\n", 1),
    ],
    "case/case12_x_x.py": [
        (r"import copy, os, pkg_resources, hashlib, binascii",
         "import copy, os, pkg_resources, hashlib\n"
         "from autobahntestsuite import octets as binascii", 1),
        (r"binascii\.hexlify", "binascii.b2a_hex", None),
        (r"(?<=[(., ])acceptNoContextTakeover\b", "accept_no_context_takeover", None),
        (r"(?<=[(., ])acceptMaxWindowBits\b", "accept_max_window_bits", None),
        (r"(?<=[(., ])requestNoContextTakeover\b", "request_no_context_takeover", None),
        (r"(?<=[(., ])requestMaxWindowBits\b", "request_max_window_bits", None),
    ],
}


def ported(source, name, translator):
    """The text of a module in Python 3."""
    # Bytes of a literal in Python 2 become characters of Latin-1, one each.
    text = re.sub(r"(?m)^#.*coding[:=].*$", "#", source.read_bytes().decode("latin-1"))
    text = text.replace("\r\n", "\n").expandtabs(8).rstrip("\n") + "\n"
    # Imports of a file in the same folder are relative.
    text = str(translator.refactor_string(text, str(source)))
    if name.startswith("case/"):
        text = text.replace("import binascii\n", "from autobahntestsuite import octets as binascii\n")
    text = re.sub(r"\(object, Case, ?\)", "(Case,)", text)
    for pattern, replacement, expected in SUBSTITUTIONS.get(name, []):
        text, count = re.subn(pattern, replacement, text)
        if count == 0 or expected not in (None, count):
            sys.exit(f"{name}: {count} matches of {pattern!r}, not {expected or 'some'}")
    compile(text, name, "exec")
    return text


def main():
    original, target = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(target, ignore_errors=True)
    (target / "case").mkdir(parents=True)
    translator = RefactoringTool(fixers, {}, None)
    cases = [f"case/{file.name}" for file in sorted((original / "case").glob("*.py"))]
    for name in MODULES + cases:
        text = ported(original / name, name, translator)
        (target / name).write_text(text, encoding="utf-8")
    missing = set(SUBSTITUTIONS) - set(MODULES + cases)
    if missing:
        sys.exit(f"not found: {sorted(missing)}")
    shutil.copytree(original / "testdata", target / "testdata")
    (target / "octets.py").write_text(OCTETS, encoding="utf-8")
    (target / "__init__.py").write_text("from ._version import __version__\nversion = __version__\n")


main()
