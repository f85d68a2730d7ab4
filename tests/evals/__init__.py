"""Questions with known answers, asked of search, of the reader without a model and of the exports.

The pages stand in `pages/`, the questions in `questions/`: one file for each page, a line for each question,
and behind it the words that must all stand in one passage. Read `corpus.py` first.
"""
