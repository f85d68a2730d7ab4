"""The words that name columns: data only, for `plain_headers.py`."""

import re

_ENDS = """
    料金 価格 金額 値段 単価 定価 費用 代金 税込 税抜 運賃 賃料 家賃 時間 時刻 日時 日付 日程 期間 期限
    年月日 人数 数量 個数 件数 回数 本数 台数 戸数 世帯数 員数 点数 定員 面積 距離 容量 重量 サイズ
    寸法 割合 比率 得点 順位 単位 内容 備考 説明 詳細 名称 氏名 品名 商品名 区分 種別 種類 分類 番号
    人口 売上 売上高 予算 実績 気温 降水量 初期値 既定値 可否
    """
_ALONE = """
    年 月 日 時 分 数 値 率 型 例 計 幅 発 着 円 曜日 年月 年度 重さ 長さ 高さ 意味 解説 名前 商品 項目
    対象 場所 会場 行き先 所在地 住所 電話 連絡先 担当 担当者 出来事 できごと 事項 結果 状態 状況 在庫
    評価 対応 方法 手順 効果 機能 回答 答え 出典 合計
    """
_ENGLISH = """
    name names value values price prices cost costs fee fees amount date dates time times hours day days month
    year description details notes note remarks total qty quantity rate number count score size weight length
    height width capacity location place address phone tel type category status result results meaning default
    definition unit units example examples action effect comment comments percent percentage population sales
    revenue item items product content contents event events room rooms plan model version usage purpose
    """


def _any_of(words: str) -> str:
    return "|".join(words.split())


_COUNTED_BY = r"(?: (?:per|of|in|for|by) [a-z ]{1,20})?"
COLUMN_NAME = re.compile(
    rf"(?is)(?:[^0-9]{{0,8}}(?:{_any_of(_ENDS)})|{_any_of(_ALONE)}"
    rf"|(?:[a-z]{{1,12}} ){{0,2}}(?:{_any_of(_ENGLISH)}){_COUNTED_BY})(?>\s*[(\[].{{0,12}}[)\]])?+"
)
"""A short text that ends in such a word, or is one; what stands behind it in brackets is passed over."""
