"""Secrets in files, as systemd and container engines give them."""

import pytest

from fetcher.settings import ConfigurationError
from fetcher.startup import secret_files


def test_a_file_sets_the_variable_of_its_name(tmp_path):
    """A variable that is set itself wins; other files, and directories, are none of ours."""
    for name, text in {
        "SLACK_BOT_TOKEN": "xoxb-1\n",
        "ANTHROPIC_API_KEY": "of the file",
        "notes.txt": "x",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "SLACK_APP_TOKEN").mkdir()
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path), "ANTHROPIC_API_KEY": "its own"}
    secret_files.load(environ)
    assert environ == {
        "CREDENTIALS_DIRECTORY": str(tmp_path),
        "ANTHROPIC_API_KEY": "its own",
        "SLACK_BOT_TOKEN": "xoxb-1",
    }


@pytest.mark.parametrize("directory", ["", " ", "/nowhere/secrets"])
def test_without_the_directory_nothing_is_read(directory):
    """An image names the place at which an engine may mount secrets."""
    environ = {"CREDENTIALS_DIRECTORY": directory}
    secret_files.load(environ)
    assert environ == {"CREDENTIALS_DIRECTORY": directory}


@pytest.mark.parametrize("content", [None, "鍵".encode("shift_jis")])
def test_what_cannot_be_read_is_named_without_being_shown(tmp_path, content):
    directory = tmp_path / "file"
    if content is None:
        directory.touch()
    else:
        directory.mkdir()
        (directory / "SLACK_BOT_TOKEN").write_bytes(content)
    with pytest.raises(ConfigurationError, match="CREDENTIALS_DIRECTORY cannot be read") as raised:
        secret_files.load({"CREDENTIALS_DIRECTORY": str(directory)})
    assert "x8c" not in str(raised.value)
