"""The tags of RTL: comments that end in `rule: KEY; KEY`, and what each names in a README.

A tag at the end of a line is about that line's statement, or all of the block that the line opens;
a tag in a comment of its own is about the statements below, up to the next blank line. A key is

- `7`: the entry with this number in the section that begins with `Cycle rules`;
- `States IDLE`: of a section, the first entry, row or paragraph that begins with a text, or has it;
- `Errors`: the first statement of a section;
- `timestamp_l1 10`: the same of another block's README."""

import os
import re

import lint
import tree

TAG = re.compile(r"//.*?\brule: (.+)$")
COMMENT = re.compile(r"\s*//")
# Of a heading, what a key must begin with.
RULES = "Cycle rules"


def keys(line):
    """The keys of a line's tag."""
    found = TAG.search(line)
    return [key.strip() for key in found.group(1).split(";")] if found else []


def plain(text):
    """A statement without the marks of Markdown."""
    text = re.sub(r"[`*\\]", "", text)
    text = re.sub(r"^\s*(- )?", "", text).replace("|", " ")
    return " ".join(text.split())


class Readme:
    """The statements of a README: entries of lists, rows of tables, paragraphs."""

    def __init__(self, block, rtl=lint.RTL):
        self.block = block
        # Section, line, text.
        self.statements = []
        section, in_code, is_open = None, False, False
        with open(os.path.join(tree.folder(rtl, block), "README.md"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if text.startswith("```"):
                in_code, is_open = not in_code, False
            elif in_code:
                pass
            elif text.startswith("#"):
                # Of a subsection the rules are those of the section.
                if not (text.startswith("###") and (section or "").startswith(RULES)):
                    section = text.lstrip("#").strip()
                is_open = False
            elif not text or re.fullmatch(r"[|: -]+", text):
                is_open = False
            else:
                begins = text[0] == "|" or text.startswith("- ") or re.match(r"\d+\. ", text)
                if is_open and not begins:
                    self.statements[-1][2] += " " + text
                elif section:
                    self.statements.append([section, number, text])
                is_open = text[0] != "|"

    def numbers(self):
        """The numbers of the rules."""
        found = [re.match(r"(\d+)\. ", text) for section, _, text in self.statements
                 if section.startswith(RULES)]
        return [int(number.group(1)) for number in found if number]

    def line(self, key):
        """The line of the statement that a key names; None where there is none."""
        if key.isdigit():
            for section, line, text in self.statements:
                if section.startswith(RULES) and text.startswith(key + ". "):
                    return line
            return None
        words = key.split()
        best, most = None, 0
        for section, _, _ in self.statements:
            common = os.path.commonprefix([words, section.split()])
            if len(common) > most:
                best, most = section, len(common)
        of_section = [(line, plain(text)) for section, line, text in self.statements
                      if section == best]
        rest = " ".join(words[most:])
        begin = [line for line, text in of_section if text.startswith(rest)]
        has = [line for line, text in of_section if rest in text]
        return next(iter(begin + has), None)


def rule(block, key, readmes, rtl=lint.RTL):
    """The block and the line of its README that a key in the RTL of `block` names; None where there
    is no such statement. `readmes` keeps those that were read."""
    other, _, rest = key.partition(" ")
    if rest and other in tree.places(rtl):
        block, key = other, rest
    if block not in tree.places(rtl):
        return None
    if block not in readmes:
        readmes[block] = Readme(block, rtl)
    line = readmes[block].line(key)
    return None if line is None else (block, line)


def indent(line):
    return len(line) - len(line.lstrip())


def level(line):
    """Lines of a lower indent enclose this one; the head of what it goes on with does as well."""
    goes_on = re.match(r"\s*(\)|#|\(|end\b|else\b)", line)
    return indent(line) + bool(goes_on)


def nearest(lines, number):
    """The keys of the nearest tag about a line, from 1: of its statement, or of what encloses it."""
    at = number - 1
    if found := keys(lines[at]):
        return found
    # The rest of its statement.
    for line in lines[at + 1:at + 6]:
        before = lines[at].split("//")[0].rstrip()
        if before.endswith((";", "begin", "(")) or not line.strip():
            break
        if indent(line) <= indent(lines[at]):
            break
        if found := keys(line):
            return found
        if ";" in line.split("//")[0]:
            break
    lowest, is_together = level(lines[at]), True
    for line in reversed(lines[:at]):
        if not line.strip():
            is_together = False
        elif COMMENT.match(line):
            if is_together and indent(line) <= lowest and keys(line):
                return keys(line)
        elif indent(line) < lowest:
            if found := keys(line):
                return found
            lowest, is_together = level(line), True
    return []


# Rules of which no single statement is, or that assume something of the inputs.
UNTAGGED = {
    # Ibex does; rule 23 is that of its FIFO.
    "command_processor": (2, 5, 8, 9, 23, 36, 37, 38, 39),
    "packetizer": (6,),
    "remote_write_queue": (16,),
}


def findings(rtl):
    """What is wrong with the tags: one that names nothing, a rule without one."""
    readmes, named = {}, set()
    blocks = tree.blocks(rtl)
    for block in [*blocks, *tree.families(rtl)]:
        for path in lint.own(rtl, block):
            with open(path, encoding="utf-8") as source:
                for number, line in enumerate(source, 1):
                    for key in keys(line.rstrip("\n")):
                        at = rule(block, key, readmes, rtl)
                        named.add(at)
                        if at is None:
                            yield f"{os.path.relpath(path, rtl)}:{number}: no rule `{key}`"
    for block in blocks:
        readme = readmes.setdefault(block, Readme(block, rtl))
        for number in readme.numbers():
            if (block, readme.line(str(number))) not in named \
                    and number not in UNTAGGED.get(block, ()):
                yield f"{tree.places(rtl)[block]}/README.md: no tag names rule {number}"
