"""Where DynamoDB Local is looked for; that it works, the stores' tests show."""

import pytest

from tests.fakes import dynamodb


def test_the_variable_comes_first(tmp_path):
    jar = tmp_path / "DynamoDBLocal.jar"
    jar.touch()
    assert dynamodb.jar({"FETCHER_TEST_DYNAMODB_JAR": str(jar)}) == jar


def test_a_variable_that_names_nothing_is_told(tmp_path):
    with pytest.raises(dynamodb.NotInstalled, match="names no file"):
        dynamodb.jar({"FETCHER_TEST_DYNAMODB_JAR": str(tmp_path / "gone.jar")})


def test_without_the_variable_the_newest_unpacked_one_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(dynamodb, "UNPACKED", tmp_path)
    with pytest.raises(dynamodb.NotInstalled, match="not installed"):
        dynamodb.jar({})
    for version in ("dynamodb_local_2026-01-01", "dynamodb_local_2026-05-28"):
        jar = tmp_path / "package" / "lib" / version / "DynamoDBLocal.jar"
        jar.parent.mkdir(parents=True)
        jar.touch()
    assert dynamodb.jar({}) == jar
