import tomllib
from importlib import resources

import pytest

from citestream.targets import SHIPPED_PRESET, Preset, PresetError, load_preset
from citestream.targets.preset import PathRow, ToolTable

HEAD = 'scheme = "ledger"\n[sql]\n'


def test_shipped_preset_is_plain_toml_and_every_row_is_read(preset: Preset) -> None:
    text = (resources.files("citestream.targets") / SHIPPED_PRESET).read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    assert preset.scheme == tables.pop("scheme") == "silvia"
    assert preset.label_folder == "your-account/"
    read = {
        tool: {row.path + row.blank: row.kind for row in table.paths}
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


@pytest.mark.parametrize(
    ("row", "path", "tail"),
    [
        (PathRow("a/", "<path>", "analysis"), "a/b/c", "b/c"),
        (PathRow("a/", "<path>", "analysis"), "a/", None),
        (PathRow("a/", "<path>", "analysis"), "b/a/c", None),
        (PathRow("a", "", "analysis"), "a", ""),
        (PathRow("a", "", "analysis"), "a/", None),
        (PathRow("a/", "<ticker>", "market_data"), "a/", ""),
        (PathRow("a/", "<ticker>", "market_data"), "a", None),
    ],
)
def test_row_fits_a_path(row: PathRow, path: str, tail: str | None) -> None:
    assert row.tail(path) == tail


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
