"""The app's messages in Slack, in Japanese: one function for each message.

The messages of the engine and the agent are in `fetcher.wording.messages_ja`.
"""

from datetime import datetime

from slackapp.codes import RefusalCode

_HOLIDAYS = "https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html"
"""A page for examples, of the Cabinet Office: Japan's holidays, with tables. It has been there for many years."""
_FORMATS = ("https://ja.wikipedia.org/wiki/JSON", "https://ja.wikipedia.org/wiki/YAML")
"""Two pages to compare in examples."""

_REFUSALS = {
    RefusalCode.EMPTY: (
        "読み取りたいページのリンクと、知りたいことを一緒にお送りください。\n"
        f"例：`{_HOLIDAYS} 今年の祝日をCSVにして`"
    ),
    RefusalCode.NO_LINK: "リアクションを付けたメッセージに、読み取れるリンクがありません。",
    RefusalCode.MESSAGE_TOO_LONG: "メッセージが長すぎるため、お答えできません。短くしてからもう一度お送りください。",
    RefusalCode.TEAM_UNKNOWN: "このワークスペースを確認できなかったため、お答えできません。管理者にご相談ください。",
    RefusalCode.USER_UNKNOWN: "ユーザー情報を確認できなかったため、お答えできません。管理者にご相談ください。",
    RefusalCode.USER_DEACTIVATED: "無効化されたアカウントからのご質問にはお答えできません。管理者にご相談ください。",
    RefusalCode.CHANNEL_UNKNOWN: (
        "このチャンネルの情報を確認できませんでした。`/invite` でアプリをチャンネルに招待してから、もう一度お試しください。"
        "グループDMでは、アプリをグループに追加するとご利用いただけます。ほかの方とのDMではご利用いただけません。"
    ),
    RefusalCode.CHANNEL_ARCHIVED: "アーカイブされたチャンネルではお答えできません。別のチャンネルでお試しください。",
    RefusalCode.EXTERNAL_CHANNEL: (
        "社外と共有しているチャンネルではご利用いただけません。社内のチャンネルかダイレクトメッセージでお試しください。"
    ),
    RefusalCode.EXTERNAL_USER: (
        "社外の方からのご質問にはお答えできません。恐れ入りますが、社内の方にご依頼ください。"
    ),
    RefusalCode.TEAM_NOT_ALLOWED: "このワークスペースでは、ご利用が許可されていません。管理者にご相談ください。",
    RefusalCode.CHANNEL_NOT_ALLOWED: (
        "このチャンネルでは、ご利用が許可されていません。許可されたチャンネルでお試しいただくか、管理者にご相談ください。"
    ),
    RefusalCode.USER_NOT_ALLOWED: "ご利用が許可されていないアカウントです。管理者にご相談ください。",
    RefusalCode.DAILY_QUESTIONS: "本日の質問数の上限に達しました。明日以降にもう一度お試しください。",
    RefusalCode.DAILY_TOKENS: "本日の利用量の上限に達しました。明日以降にもう一度お試しください。",
    RefusalCode.STORE_UNAVAILABLE: (
        "ただいま一時的に受け付けられない状態です。数分後にもう一度お試しください。"
    ),
    RefusalCode.SLACK_UNAVAILABLE: (
        "Slackの情報を確認できなかったため、受け付けられませんでした。しばらくしてからもう一度お試しください。"
    ),
}

_TYPES = "この種類のファイルが許可されていません。「許可するファイルの種類」に追加するよう、管理者にご依頼ください。"
_CONNECT = (
    "社外と共有しているチャンネルでは、ファイルの共有が許可されていません。"
    "Slackコネクトの設定で許可するよう、管理者にご依頼ください。"
)
_SHARING = "ファイルを共有できる上限に達しているようです。ワークスペースの設定を確認するよう、管理者にご依頼ください。"
_UPLOAD_REMEDIES = {
    "blocked_file_type": _TYPES,
    "file_type_not_allowed": _TYPES,
    "slack_connect_blocked_file_type": _TYPES,
    "file_uploads_disabled": (
        "このワークスペースでは、ファイルのアップロードが無効になっています。"
        "設定でアップロードを許可するよう、管理者にご依頼ください。"
    ),
    "file_uploads_except_images_disabled": (
        "このワークスペースでは、画像以外のアップロードが無効になっています。"
        "設定で許可するよう、管理者にご依頼ください。"
    ),
    "file_upload_size_restricted": (
        "アップロードできるファイルの大きさが制限されています。上限を上げるよう管理者にご依頼いただくか、"
        "範囲を絞ってもう一度お試しください。"
    ),
    "storage_limit_reached": (
        "ワークスペースの保存容量が上限に達しています。"
        "不要なファイルを削除するか、プランを見直すよう、管理者にご依頼ください。"
    ),
    "posting_to_channel_denied": (
        "このチャンネルでは、アプリによるファイルの投稿が許可されていません。"
        "チャンネルの投稿権限を見直すよう、管理者にご依頼ください。"
    ),
    "slack_connect_clip_sharing_blocked": _CONNECT,
    "slack_connect_file_upload_sharing_blocked": _CONNECT,
    "file_share_limit_reached": _SHARING,
    "max_file_sharing_exceeded": _SHARING,
    "unable_to_share_files": _SHARING,
}
"""What an administrator must do, by Slack's code: trying again would not help."""


def refusal(code: RefusalCode, *, wait_seconds: int = 0) -> str:
    """Why a request is not answered, and what to do."""
    if code is RefusalCode.RATE_LIMITED:
        return f"短時間に続けて質問があったため、受け付けを一時止めています。{max(1, wait_seconds)}秒ほど待ってから、もう一度お試しください。"
    return _REFUSALS[code]


def help_text() -> str:
    """The answer to `/fetch` without a question, and to a call for help."""
    return (
        "Webページを読み取って、ご質問にお答えします。\n"
        f"• `/fetch {_HOLIDAYS} 要点を3つにまとめて`\n"
        f"• `/fetch {_HOLIDAYS} 今年の祝日をCSVにして`\n"
        "チャンネルでのメンションや、ダイレクトメッセージでもお使いいただけます。"
        "回答のスレッドに返信すると、続けて質問できます。"
    )


def accepted() -> str:
    """The placeholder, before anything is known."""
    return "確認しています…"


def command_root(user: str, question: str) -> str:
    """The first message of a command's thread."""
    return f"<@{user}> さんからのご質問：\n>{question}"


def opening(host: str) -> str:
    return f"ページを開いています：{host}"


def read(title: str) -> str:
    """A page that was read, in the progress."""
    return f"読み取りました：{title}"


def not_read(host: str) -> str:
    return f"読み取れませんでした：{host}"


def thinking() -> str:
    return "考えています…"


def writing() -> str:
    return "回答をまとめています…"


def stopped() -> str:
    return "回答を中止しました。"


def nothing_to_stop() -> str:
    """A message asks to stop, and nothing is being answered in its thread."""
    return "中止できる回答はありませんでした。作成中の回答は、質問に :x: のリアクションを付けるか、そのスレッドに「止めて」と返信すると中止できます。"


def only_the_asker_stops() -> str:
    """To a user who wants to stop the answer to another user's question."""
    return "この回答を中止できるのは、質問された方だけです。"


def first_text_counts() -> str:
    """To the asker who edits a question that is being answered."""
    return "編集前のご質問にお答えしているところです。編集後の内容でお聞きになりたい場合は、新しいメッセージでお送りください。"


def failed() -> str:
    """An unexpected failure."""
    return "申し訳ありません。処理中に問題が発生しました。しばらくしてからもう一度お試しください。"


def gave_up() -> str:
    """When a request failed again and again."""
    return "申し訳ありません。何度か試しましたが、回答を完了できませんでした。時間をおくか、質問を変えて、もう一度お試しください。"


def replaced_below() -> str:
    """In a message that Slack does not let the app replace or delete."""
    return "この回答は、下の新しいメッセージに投稿しました。"


def remark(sentence: str) -> str:
    """A sentence below an answer about what was left undone."""
    return f"※ {sentence}"


def steps_title(count: int) -> str:
    """Of the collapsed list of pages that were opened for an answer."""
    return f"読み取りの手順（{count}件）"


def sources_heading() -> str:
    return "出典"


def source_without_title() -> str:
    return "（無題のページ）"


def more_sources(count: int) -> str:
    return f"ほか{count}件"


def continued(number: int, total: int) -> str:
    """Above the later parts of a long answer."""
    return f"（続き {number}/{total}）"


def long_answer() -> str:
    """Replaces an answer in notifications if its first line is too long."""
    return "長い回答です。Slackで開いてご覧ください。"


def upload_failed(file_name: str, code: str = "") -> str:
    """Why a file is missing, and what to do; `code` is Slack's."""
    remedy = _UPLOAD_REMEDIES.get(code, "お手数ですが、もう一度お試しください。")
    return f"ファイルの投稿に失敗しました（{file_name}）。{remedy}"


def upload_not_permitted(file_name: str) -> str:
    return (
        f"ファイルの投稿に失敗しました（{file_name}）。アプリにファイルを投稿する権限がないようです。"
        "アプリの権限（`files:write`）を確認し、必要であれば再インストールするよう、管理者にご依頼ください。"
    )


def upload_late(file_name: str) -> str:
    """A file that Slack has accepted and does not show yet."""
    return (
        f"ファイル（{file_name}）をSlackに送りました。Slackでの処理が終わり次第、このスレッドに表示されます。"
        "しばらく待っても表示されない場合は、お手数ですがもう一度お試しください。"
    )


def not_in_channel() -> str:
    """Above an answer that only the asker sees (S15)."""
    return "このチャンネルにアプリが参加していないため、あなただけに表示しています。`/invite` で招待すると、チャンネルの皆さんにも表示されます。"


def files_need_membership() -> str:
    return "ファイルを受け取るには、アプリをチャンネルに招待してから、もう一度お試しください。"


def feedback_thanks() -> str:
    return "フィードバックをありがとうございます。"


def feedback_good() -> str:
    return "役に立った"


def feedback_bad() -> str:
    return "役に立たなかった"


def reason_title() -> str:
    """Of the modal after "not useful"; Slack accepts 24 characters."""
    return "ご意見をお聞かせください"


def reason_label() -> str:
    return "役に立たなかった理由"


def reason_example() -> str:
    return "例：価格が古い、表の列が足りない"


def reason_submit() -> str:
    """The button that sends a modal."""
    return "送信"


def reason_close() -> str:
    return "閉じる"


def attached_files(names: str) -> str:
    """Tells the model which files came with a message."""
    return f"（添付ファイル：{names}）"


def slack_message(moment: datetime) -> str:
    """The title of a message of Slack that is read like a page."""
    return f"Slackのメッセージ（{moment.month}月{moment.day}日 {moment:%H:%M}）"


def shortcut_question() -> str:
    """The question of the shortcut."""
    return "このメッセージのリンクを読んで、要点をまとめてください。"


def unknown_author() -> str:
    return "不明なユーザー"


def prompts_title() -> str:
    """Above the suggested prompts of the Messages tab."""
    return "たとえば、このように聞けます"


def suggested_prompts() -> tuple[tuple[str, str], ...]:
    """The suggested prompts: a title, and the question that it sends."""
    return (
        ("要点をまとめる", f"{_HOLIDAYS} の要点を3つにまとめてください。"),
        ("表をCSVにする", f"{_HOLIDAYS} の今年の祝日の表をCSVファイルにしてください。"),
        ("2つのページを比べる", f"{_FORMATS[0]} と {_FORMATS[1]} の違いを表にしてください。"),
    )


def next_prompts_title() -> str:
    """Above the prompts that fit the last answer."""
    return "続けて、このように聞けます"


def next_prompt(kind: str, url: str) -> tuple[str, str]:
    """A prompt that fits an answer (`Offer`): a title, and the question that it sends."""
    return {
        "excel": ("Excelにする", f"{url} の表をExcelファイルにしてください。"),
        "shorter": ("短くまとめる", f"{url} の要点を3行に短くまとめてください。"),
        "english": ("英語で", f"{url} の要点を英語で教えてください。"),
        "japanese": ("日本語で", f"{url} の要点を日本語で教えてください。"),
    }[kind]


def app_home(reaction: str = "") -> str:
    """How to ask; `reaction` is the name of the emoji that reads links."""
    read = f"• リアクション：リンクのあるメッセージに :{reaction}: を付けてください。\n" if reaction else ""
    return (
        "*Webページの読み取りをお手伝いします*\n"
        "リンクと知りたいことを送ると、ページを読み取って出典付きでお答えします。表はExcelやCSVのファイルでお渡しします。\n\n"
        "• チャンネル：このアプリをメンションして、リンクと質問をお送りください。\n"
        "• グループDM：このアプリを追加して、メンションしてください。\n"
        "• ダイレクトメッセージ：リンクと質問をそのままお送りください。\n"
        f"• コマンド：`/fetch {_HOLIDAYS} 今年の祝日をCSVにして`\n"
        "• メッセージのショートカット：「このリンクを読む」\n"
        f"{read}"
        "• 続けて質問したいときは、回答のスレッドに返信してください。\n"
        "• 中止したいときは、質問に :x: のリアクションを付けるか、スレッドに「止めて」と返信してください。"
    )


def read_link() -> str:
    """The button of the Home tab, and the title of its modal; Slack accepts 24 characters."""
    return "リンクを読む"


def modal_url() -> str:
    return "ページのリンク"


def modal_url_invalid() -> str:
    """In the modal, under the link."""
    return "「https://」で始まる、2,000文字以内のリンクを入力してください。"


def modal_question() -> str:
    return "知りたいこと"


def modal_question_example() -> str:
    return "例：要点を3つにまとめて"


def modal_place() -> str:
    return "回答は、このアプリとのダイレクトメッセージにお届けします。"


def home_allowed(questions: int | None, tokens: int | None) -> str:
    """Whether the user may ask, and what is left of today's budget; None means no limit."""
    rests = [
        *([] if questions is None else [f"あと{questions:,}件"]),
        *([] if tokens is None else [f"あと{tokens:,}トークン"]),
    ]
    left = f"本日の残り：{'、'.join(rests)}" if rests else "本日の利用に上限はありません。"
    return f"*ご利用状況*\n:white_check_mark: このアプリに質問できます。\n{left}"


def home_refused(reason: str, contact: str) -> str:
    """Why the user may not ask, and whom to ask; `contact` is the id of a user or a channel."""
    mention = f"<#{contact}>" if contact.startswith(("C", "G")) else f"<@{contact}>"
    whom = mention if contact else "ワークスペースの管理者"
    return f"*ご利用状況*\n:no_entry: {reason}\nお問い合わせ先：{whom}"


def home_places(channels: tuple[str, ...]) -> str:
    """The channels in which the app may be used."""
    return f"チャンネルでは、次の場所でご利用いただけます：{' '.join(f'<#{each}>' for each in channels)}"


def home_threads() -> str:
    return "*最近のスレッド*"


def home_thread(link: str, channel: str, at: int) -> str:
    """A thread in which the user has asked; Slack writes the time in the user's own way."""
    place = "ダイレクトメッセージ" if channel.startswith("D") else f"<#{channel}>"
    return f"• <!date^{at}^{{date_short_pretty}} {{time}}^{link}|スレッドを開く>（{place}）"


def home_admin_heading() -> str:
    return "管理者の方へ"


def home_usage_heading() -> str:
    return "*この7日間の利用*（回答した質問の数）"


def home_usage(channel: str, questions: int, tokens: int) -> str:
    """The usage of a channel; an empty one stands for all direct messages."""
    place = f"<#{channel}>" if channel else "ダイレクトメッセージ"
    return f"• {place}：{questions:,}件（{tokens:,}トークン）"


def home_none() -> str:
    return "• なし"


def home_policy_heading(mode: str) -> str:
    """Above the list of who may ask, which is changed with a command."""
    command = "python -m slackapp whitelist add channel C0123ABCD"
    if mode == "open":
        return f"*利用できる範囲*：全員が質問できます。社外と共有しているチャンネルは、次の一覧にあるものだけです。\n変更：`{command}`（質問できる人を限る場合は `ACCESS_MODE=whitelist`）"
    return f"*利用できる範囲*：次の一覧にある場合だけ質問できます。\n変更：`{command}`"


def home_listed(entity: str, entity_id: str, label: str, in_environment: bool) -> str:
    """An entry of the whitelist; one in the environment is changed there, and not with the command."""
    shown = {"channel": f"<#{entity_id}>", "user": f"<@{entity_id}>"}.get(entity, f"`{entity_id}`")
    kind = {"channel": "チャンネル", "user": "ユーザー"}.get(entity, "ワークスペース")
    notes = "、".join(filter(None, [label, "環境変数で設定" if in_environment else ""]))
    return f"• {kind}：{shown}{f'（{notes}）' if notes else ''}"


def home_health(*, is_ready: bool, store: str, store_answers: bool, model: str, has_browser: bool) -> str:
    """Whether the app works."""
    lines = (
        f"*アプリの状態*：{'正常です。' if is_ready else '問題があります。'}",
        f"• 保存先：{store}（{'応答あり' if store_answers else '応答なし'}）",
        f"• AIモデル：{'なし（オフラインリーダー）' if model == 'offline' else model}",
        f"• ブラウザ：{'あり' if has_browser else 'なし'}",
    )
    return "\n".join(lines)


def home_last_error(event: str, at: int) -> str:
    """The last error in the app's log, by its name there."""
    when = f"（<!date^{at}^{{date_short_pretty}} {{time}}|{at}>）" if at else ""
    return f"• 最後のエラー：{f'`{event}`' if event else 'なし'}{when}"
