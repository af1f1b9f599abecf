import tomllib
from importlib import resources

import pytest

from citestream.targets import (
    SHIPPED_PRESET,
    DeclaredField,
    DeclaredKind,
    Preset,
    PresetError,
    load_preset,
)
from citestream.targets.links import LinkTemplate
from citestream.targets.preset import DeclaredRow, PathRow, ToolTable

HEAD = 'scheme = "ledger"\n[sql]\n'
KIND = 'scheme = "desk"\n[kind.mail]\n'
MAIL = f'{KIND}messageId = "string"\nurl = "url?"\n[read_mail]\n'


def test_shipped_preset_is_plain_toml_and_every_row_is_read(preset: Preset) -> None:
    text = (resources.files("citestream.targets") / SHIPPED_PRESET).read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    assert preset.scheme == tables.pop("scheme") == "silvia"
    assert tables.pop("link") == {
        kind: "".join(f"<{piece}>" if at % 2 else piece for at, piece in enumerate(link.pieces))
        for kind, link in preset.links.items()
    }
    assert preset.label_folder == "your-account/"
    read = {
        tool: {row.path + row.blank: row.kind for row in table.paths if isinstance(row, PathRow)}
        | ({"<url>": table.address_kind} if table.address_kind else {})
        for tool, table in preset.tools.items()
    }
    assert read == tables


def test_product_brings_its_own() -> None:
    text = f'{HEAD}"a/<path>" = "portfolio" # first\n\n"a/b" = "analysis"\n["x.y"]\n"<url>" = "web"'
    expected = Preset(
        "ledger",
        {
            "sql": ToolTable(
                None, (PathRow("a/", "<path>", "portfolio"), PathRow("a/b", "", "analysis"))
            ),
            "x.y": ToolTable("web"),
        },
        None,
    )
    assert load_preset(text) == load_preset(text.replace("\n", "\r\n")) == expected


def test_product_declares_its_own_kinds_and_links() -> None:
    text = (
        'scheme = "desk"\nlink.mail = "https://mail.example.org/<messageId>"\n'
        'link.account = "/money/<accountId>"\n[kind.mail]\nmessageId = "string"\n'
        'thread = "string?" # a comment\n[kind.note]\n[kind.file]\npath = "string"\nurl = "url"\n'
        '[read]\n"mail/<messageId>" = "mail"\n"note" = "note"\n"files/<path>" = "file"\n'
        '"<url>" = "file"\n"index" = "analysis"'
    )
    mail = DeclaredKind(
        "mail", (DeclaredField("messageId", "string"), DeclaredField("thread", "string", True))
    )
    note = DeclaredKind("note", ())
    file = DeclaredKind("file", (DeclaredField("path", "string"), DeclaredField("url", "url")))
    assert load_preset(text) == Preset(
        "desk",
        {
            "read": ToolTable(
                "file",
                (
                    DeclaredRow(("mail", "<messageId>"), mail),
                    DeclaredRow(("note",), note),
                    DeclaredRow(("files", "<path>"), file),
                    PathRow("index", "", "analysis"),
                ),
            )
        },
        None,
        {"mail": mail, "note": note, "file": file},
        {
            "mail": LinkTemplate(("https://mail.example.org/", "messageId", "")),
            "account": LinkTemplate(("/money/", "accountId", "")),
        },
    )


def test_digest_tells_what_targets_depend_on() -> None:
    bare = load_preset('scheme = "desk"\n[t]\n"a" = "analysis"')
    noted = load_preset('# a\nscheme = "desk"\n\n[t] # b\n"a"="analysis"\r\n')
    linked = load_preset('scheme = "desk"\nlink.analysis = "/a"\n[t]\n"a" = "analysis"')
    other = load_preset('scheme = "desk"\n[t]\n"a" = "portfolio"')
    assert bare.digest == noted.digest == linked.digest != other.digest


def test_byte_order_mark_is_skipped() -> None:
    assert load_preset('\ufeffscheme = "desk"').scheme == "desk"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("# nothing\n", 2),
        ("\n[sql]", 2),
        ('scheme = "https"', 1),
        ('scheme = "Ledger"', 1),
        ('scheme = "led ger"', 1),
        ("scheme = 17", 1),
        ('schema = "ledger"', 1),
        ('scheme = "ledger"\nscheme = "ledger"', 2),
        (f"{HEAD}[sql]", 3),
        (f"{HEAD}[[other]]", 3),
        (f"{HEAD}[a.b]", 3),
        (f"{HEAD}[open", 3),
        (f'{HEAD}\n"<url>" = "account"', 4),
        (f'{HEAD}"<url>" = "website"', 3),
        (f'{HEAD}"a/<label>" = "accounts"', 3),
        (f'{HEAD}"a/<ticker>" = "analysis"', 3),
        (f'{HEAD}"a/<path>" = "web"', 3),
        (f'{HEAD}"a" = "market_data"', 3),
        (f'{HEAD}"a/<name>" = "analysis"', 3),
        (f'{HEAD}"a/<path>/b" = "analysis"', 3),
        (f'{HEAD}"<path>" = "analysis"', 3),
        (f'{HEAD}"/a" = "analysis"', 3),
        (f'{HEAD}"" = "analysis"', 3),
        (f'{HEAD}"a b" = "analysis"', 3),
        (f'{HEAD}a.b = "analysis"', 3),
        (f"{HEAD}a = {{}}", 3),
        (f'{HEAD}"a" = "analysis"\n"a" = "analysis"', 4),
        (f'{HEAD}"a/<label>" = "account"\n[other]\n"b/<label>" = "account"', 5),
        (f'{HEAD}"a" = """\nanalysis"""', 3),
        (f'{HEAD}"a" = \n"analysis"', 3),
        (f"{HEAD}a = {'[' * 100_000}", 3),
        (f"{HEAD}a = {'1' * 10_000}", 3),
        (f'{HEAD}"a" = "analysis"\r"b" = "analysis"', 3),
        ("[kind.mail]", 1),
        (f"{HEAD}[kind.mail]", 3),
        ('scheme = "desk"\n[kind.account]', 2),
        ('scheme = "desk"\n[kind.Mail]', 2),
        ('scheme = "desk"\n[kind."mail box"]', 2),
        ('scheme = "desk"\n[kind.mail.box]', 2),
        ('scheme = "desk"\n[[kind.mail]]', 2),
        (f"{KIND}[kind.mail]", 3),
        (f'{KIND}scheme = "desk"', 3),
        (f'{KIND}kind = "string"', 3),
        (f'{KIND}"message id" = "string"', 3),
        (f'{KIND}messageId = "text"', 3),
        (f'{KIND}messageId = "string ?"', 3),
        (f"{KIND}messageId = 7", 3),
        (f'{KIND}message.id = "string"', 3),
        (f'{KIND}a = "string"\na = "url"', 4),
        (f'{MAIL}"mail/<id>" = "mail"', 6),
        (f'{MAIL}"mail/m-<messageId>" = "mail"', 6),
        (f'{MAIL}"mail/<messageId>/<messageId>" = "mail"', 6),
        (f'{MAIL}"mail/<url>" = "mail"', 6),
        (f'{MAIL}"/mail" = "mail"', 6),
        (f'{MAIL}"" = "mail"', 6),
        (f'{MAIL}"mail box" = "mail"', 6),
        (f'{MAIL}"mail" = "mial"', 6),
        (f'{MAIL}"mail" = "mail"\n"mail" = "mail"', 7),
        (f'{KIND}path = "string"\n[t]\n"<path>/a" = "mail"', 5),
        (f'{KIND}a = "string"\n[t]\n"<url>" = "mail"', 5),
        ('scheme = "desk"\nlink.account = "accounts/<accountId>"', 2),
        ('scheme = "desk"\nlink.account = "//example.org/<accountId>"', 2),
        ('scheme = "desk"\nlink.account = "javascript:<accountId>"', 2),
        ('scheme = "desk"\nlink.account = "https://<accountId>.example.org/"', 2),
        ('scheme = "desk"\nlink.account = "https://example.org/<>"', 2),
        ('scheme = "desk"\nlink.account = "/a b"', 2),
        ('scheme = "desk"\nlink.account = 7', 2),
        ('scheme = "desk"\nlink = "/a"', 2),
        ('scheme = "desk"\nlink.account = "/a"\nlink.account = "/b"', 3),
        ('scheme = "desk"\nlink.account = "/<provider>"\n[t]', 2),
        ('scheme = "desk"\nlink.portfolio = "/<kind>"\n[t]', 2),
        ('scheme = "desk"\nlink.mail = "/<id>"\n[kind.mail]\nmessageId = "string"', 2),
        ('scheme = "desk"\nlink.mial = "/a"\n[kind.mail]', 2),
    ],
)
def test_bad_file_is_refused_with_the_line_that_is_wrong(text: str, line: int) -> None:
    with pytest.raises(PresetError) as caught:
        load_preset(text)
    assert caught.value.line == line
    assert str(caught.value) == f"line {line}: {caught.value.problem}"


def test_labels_of_several_tools_share_their_folder() -> None:
    text = f'{HEAD}"a/<label>" = "account"\n[other]\n"a/<label>" = "account"'
    assert load_preset(text).label_folder == "a/"
