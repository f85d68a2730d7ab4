"""The house keeps its rules: who imports whom, where Japanese stands, what starting costs."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = sorted(path for package in ("fetcher", "slackapp") for path in (ROOT / package).rglob("*.py"))
CATALOGUES = (
    "fetcher/wording/messages.py",
    "fetcher/wording/fixed_ja.py",
    "slackapp/wording.py",
    "fetcher/agent/model/prompts.py",
    "fetcher/a2a/card.py",
)
WORD_LISTS = (
    "fetcher/agent/japanese_words.py",
    "fetcher/agent/offline/intent_words.py",
    "fetcher/web/search/question_words.py",
    "fetcher/web/search/thesaurus.py",
    "fetcher/web/reading/documents/wordlists.py",
    "fetcher/web/reading/extract/japanese.py",
    "fetcher/web/reading/tables/wordlists.py",
    "slackapp/thread/question_words.py",
)
"""Words to recognise in what people and pages write: data, which users do not see."""
JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]{2,}")


def _name(path):
    return path.relative_to(ROOT).as_posix()


def test_imports_keep_their_contracts():
    """In a process of its own: the linter reconfigures all logging."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_japanese_stands_in_the_catalogues_only():
    elsewhere = [
        f"{_name(path)}: {node.value}"
        for path in SOURCES
        if _name(path) not in (*CATALOGUES, *WORD_LISTS)
        and not _name(path).startswith("slackapp/playground/")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and JAPANESE.search(node.value)
    ]
    assert elsewhere == []


def test_a_folder_says_what_it_is_for():
    folders = {path.parent for path in SOURCES}
    starts = {_name(folder): (folder / "__init__.py").read_text("utf-8")[:3] for folder in folders}
    assert {name for name, start in starts.items() if start != '"""'} == set()


def _modules_after(statement):
    code = f"{statement}; import sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_the_engine_starts_without_what_it_does_not_need():
    """Slack waits three seconds for its acknowledgement; an SDK that takes as long has no place here."""
    loaded = _modules_after("import fetcher.web.tool")
    assert loaded.isdisjoint({"anthropic", "boto3", "bs4", "pydantic_settings", "slack_bolt"})


def test_no_parser_of_pages_is_loaded_where_others_are_served():
    """Pages are parsed in reader processes, and nowhere else."""
    imports = "from fetcher.settings import Settings; from fetcher.web.pipeline import Pipeline"
    parsers = {
        "selectolax",
        "fetcher.web.reading.decode",
        "fetcher.web.reading.extract",
        "fetcher.web.reading.tree",
        "fetcher.web.reading.readers",
    }
    assert _modules_after(f"{imports}; Pipeline(Settings())").isdisjoint(parsers)


def test_acknowledging_knows_nothing_of_reader_processes():
    """They start with the first download."""
    loaded = _modules_after("import slackapp.app, slackapp.lambda_handler, slackapp.run.wiring")
    assert not {name for name in loaded if name.startswith("fetcher.web")}


def test_a_sandbox_that_is_kept_ready_has_loaded_everything_before_its_first_request():
    """Also if its secret cannot be read yet: the first request tries again."""
    code = "import os; os.environ['AWS_LAMBDA_INITIALIZATION_TYPE'] = 'provisioned-concurrency'"
    secret = "os.environ['SECRET_PARAMETERS'] = '/a/SLACK_SIGNING_SECRET'"
    nowhere = "os.environ['AWS_ENDPOINT_URL_SSM'] = 'http://127.0.0.1:1'"
    keys = "os.environ['AWS_ACCESS_KEY_ID'] = os.environ['AWS_SECRET_ACCESS_KEY'] = 'k'"
    loaded = _modules_after(f"{code}; {secret}; {nowhere}; {keys}; import slackapp.lambda_handler")
    assert "boto3" in loaded
    assert "boto3" not in _modules_after("import slackapp.lambda_handler")
    assert loaded.isdisjoint({"fetcher.agent", "anthropic", "fetcher.web"})


def test_acknowledging_loads_no_http_client_of_ours():
    """Uploads and response URLs need it, long after Slack has its acknowledgement."""
    loaded = _modules_after(
        "import slackapp.app, slackapp.lambda_handler, slackapp.run.wiring, slackapp.slack.poster"
    )
    assert "httpx2" not in loaded


def test_the_agent_starts_without_the_models_sdk():
    """It takes longer to import than Slack waits; only the first call of a model needs it."""
    assert _modules_after("import fetcher.agent").isdisjoint({"anthropic", "boto3", "botocore"})


def test_locks_say_what_is_installed_and_not_from_where():
    """Every company has a registry of its own; the hashes hold wherever the packages come from."""
    locks = [*ROOT.glob("requirements/*.lock"), *ROOT.glob("deploy/*/*-lock.json")]
    assert len(locks) > 5
    assert [_name(path) for path in locks if "://" in path.read_text("utf-8")] == []
