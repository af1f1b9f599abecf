"""The tests mirror the package: ``app/citestream/<room>/x.py`` has ``tests/<room>/test_x.py``."""

from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "app" / "citestream"

WITHOUT_A_TEST = {
    "api/schemas/base.py": "settings of shapes, held by the shapes that have them",
    "api/schemas/context.py": "shapes, held against every row in test_context.py",
    "api/schemas/sources.py": "shapes, held against every row in test_sources.py",
    "api/schemas/targets.py": "shapes, held against every row in test_targets.py",
    "api/schemas/events.py": "shapes, held against what is sent in test_answers.py",
    "api/schemas/health.py": "a shape, held against the answer in test_health.py",
    "api/schemas/problems.py": "shapes, held against each refusal in transport/test_problems.py",
    "api/schemas/prompts.py": "shapes, held against the answers in test_prompts.py",
    "api/schemas/markers.py": "shapes, held against every row in test_markers.py",
    "_version.py": "one string, compared with the built package",
    "stores/migrations/env.py": "run by alembic alone; stores/test_migrate.py runs it",
    "stores/migrations/versions/0001_turns_and_sessions.py": "the same",
    "stores/port.py": "values and a protocol: each store runs the contract suite",
}
"""Modules in which nothing happens, and why that is so."""


def modules() -> list[str]:
    files = sorted(PACKAGE.glob("**/*.py"))
    return [f.relative_to(PACKAGE).as_posix() for f in files if f.name != "__init__.py"]


def mirrored(module: str) -> Path:
    return TESTS / Path(module).parent / f"test_{Path(module).name}"


def test_each_module_has_its_test() -> None:
    owed = [module for module in modules() if module not in WITHOUT_A_TEST]
    assert "turns/turn.py" in owed
    missing = [module for module in owed if not mirrored(module).is_file()]
    assert not missing, f"without a test of their own: {', '.join(missing)}"


def test_the_exceptions_are_still_there() -> None:
    assert WITHOUT_A_TEST.keys() <= set(modules())
