from importlib import resources

from citestream.targets import SHIPPED_PRESET, load_preset, shipped_preset


def test_it_is_the_file_that_is_shipped() -> None:
    text = (resources.files("citestream.targets") / SHIPPED_PRESET).read_text(encoding="utf-8")
    assert shipped_preset() == load_preset(text)
    assert shipped_preset().digest == load_preset(text).digest
    assert shipped_preset() is shipped_preset()
