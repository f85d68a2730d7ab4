"""The app's messages in Slack, in Japanese and English: one function for each message.

The messages of the engine and the agent are in `fetcher/wording/messages.py`.
"""

from datetime import datetime

from fetcher.wording.language import chosen
from slackapp.codes import RefusalCode

_HOLIDAYS, _CALENDAR = (
    "https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html",
    "https://www.gov.uk/bank-holidays",
)

"""Pages for examples: holidays in tables, of the Cabinet Office and of the British government, there for many years."""

_FORMATS = ("https://ja.wikipedia.org/wiki/JSON", "https://ja.wikipedia.org/wiki/YAML")
_FORMATS_IN_ENGLISH = ("https://en.wikipedia.org/wiki/JSON", "https://en.wikipedia.org/wiki/YAML")
"""Two pages to compare in examples."""

_REFUSALS = {
    RefusalCode.EMPTY: (
        "読み取りたいページのリンクと、知りたいことを一緒にお送りください。\n"
        f"例：`{_HOLIDAYS} 今年の祝日をCSVにして`",
        "Please send the link of a page together with what you want to know.\n"
        f"Example: `{_CALENDAR} make a CSV of this year's holidays`",
    ),
    RefusalCode.NO_LINK: (
        "リアクションを付けたメッセージに、読み取れるリンクがありません。",
        "The message with the reaction has no link that can be read.",
    ),
    RefusalCode.MESSAGE_TOO_LONG: (
        "メッセージが長すぎるため、お答えできません。短くしてからもう一度お送りください。",
        "The message is too long to be answered. Please shorten it and send it again.",
    ),
    RefusalCode.TEAM_UNKNOWN: (
        "このワークスペースを確認できなかったため、お答えできません。管理者にご相談ください。",
        "This workspace could not be verified, so the question cannot be answered. Please ask your administrator.",
    ),
    RefusalCode.USER_UNKNOWN: (
        "ユーザー情報を確認できなかったため、お答えできません。管理者にご相談ください。",
        "Your account could not be verified, so the question cannot be answered. Please ask your administrator.",
    ),
    RefusalCode.USER_DEACTIVATED: (
        "無効化されたアカウントからのご質問にはお答えできません。管理者にご相談ください。",
        "Questions from deactivated accounts cannot be answered. Please ask your administrator.",
    ),
    RefusalCode.CHANNEL_UNKNOWN: (
        "このチャンネルの情報を確認できませんでした。`/invite` でアプリをチャンネルに招待してから、もう一度お試しください。"
        "グループDMでは、アプリをグループに追加するとご利用いただけます。ほかの方とのDMではご利用いただけません。",
        "This channel could not be checked. Please invite the app to the channel with `/invite` and try again. "
        "In a group DM, please add the app to the group. In other people's DMs it cannot be used.",
    ),
    RefusalCode.CHANNEL_ARCHIVED: (
        "アーカイブされたチャンネルではお答えできません。別のチャンネルでお試しください。",
        "Questions in archived channels cannot be answered. Please try another channel.",
    ),
    RefusalCode.EXTERNAL_CHANNEL: (
        "社外と共有しているチャンネルではご利用いただけません。社内のチャンネルかダイレクトメッセージでお試しください。",
        "The app cannot be used in channels that are shared with other organizations. "
        "Please try a channel of your own organization, or a direct message.",
    ),
    RefusalCode.EXTERNAL_USER: (
        "社外の方からのご質問にはお答えできません。恐れ入りますが、社内の方にご依頼ください。",
        "Questions from people outside the organization cannot be answered. Please ask a member to ask for you.",
    ),
    RefusalCode.TEAM_NOT_ALLOWED: (
        "このワークスペースでは、ご利用が許可されていません。管理者にご相談ください。",
        "The app may not be used in this workspace. Please ask your administrator.",
    ),
    RefusalCode.CHANNEL_NOT_ALLOWED: (
        "このチャンネルでは、ご利用が許可されていません。許可されたチャンネルでお試しいただくか、管理者にご相談ください。",
        "The app may not be used in this channel. Please try an allowed channel, or ask your administrator.",
    ),
    RefusalCode.USER_NOT_ALLOWED: (
        "ご利用が許可されていないアカウントです。管理者にご相談ください。",
        "Your account may not use the app. Please ask your administrator.",
    ),
    RefusalCode.DAILY_QUESTIONS: (
        "本日の質問数の上限に達しました。明日以降にもう一度お試しください。",
        "Today's question limit has been reached. Please try again tomorrow.",
    ),
    RefusalCode.DAILY_TOKENS: (
        "本日の利用量の上限に達しました。明日以降にもう一度お試しください。",
        "Today's usage limit has been reached. Please try again tomorrow.",
    ),
    RefusalCode.STORE_UNAVAILABLE: (
        "ただいま一時的に受け付けられない状態です。数分後にもう一度お試しください。",
        "Questions cannot be accepted at the moment. Please try again in a few minutes.",
    ),
    RefusalCode.SLACK_UNAVAILABLE: (
        "Slackの情報を確認できなかったため、受け付けられませんでした。しばらくしてからもう一度お試しください。",
        "Slack did not confirm the details of your request, so it could not be accepted. Please try again later.",
    ),
}

_TYPES = (
    "この種類のファイルが許可されていません。「許可するファイルの種類」に追加するよう、管理者にご依頼ください。",
    "This kind of file is not allowed. Please ask your administrator to add it to the allowed file types.",
)

_CONNECT = (
    "社外と共有しているチャンネルでは、ファイルの共有が許可されていません。"
    "Slackコネクトの設定で許可するよう、管理者にご依頼ください。",
    "Sharing files is not allowed in channels that are shared with other organizations. "
    "Please ask your administrator to allow it in the settings of Slack Connect.",
)

_SHARING = (
    "ファイルを共有できる上限に達しているようです。ワークスペースの設定を確認するよう、管理者にご依頼ください。",
    "A limit on shared files seems to be reached. Please ask your administrator to check the settings.",
)

_UPLOAD_REMEDIES = {
    "blocked_file_type": _TYPES,
    "file_type_not_allowed": _TYPES,
    "slack_connect_blocked_file_type": _TYPES,
    "file_uploads_disabled": (
        "このワークスペースでは、ファイルのアップロードが無効になっています。"
        "設定でアップロードを許可するよう、管理者にご依頼ください。",
        "Uploads are switched off in this workspace. Please ask your administrator to allow them.",
    ),
    "file_uploads_except_images_disabled": (
        "このワークスペースでは、画像以外のアップロードが無効になっています。"
        "設定で許可するよう、管理者にご依頼ください。",
        "Only images may be uploaded in this workspace. Please ask your administrator to allow other files.",
    ),
    "file_upload_size_restricted": (
        "アップロードできるファイルの大きさが制限されています。上限を上げるよう管理者にご依頼いただくか、"
        "範囲を絞ってもう一度お試しください。",
        "The size of uploads is limited. Please ask your administrator to raise the limit, or ask for less and try again.",
    ),
    "storage_limit_reached": (
        "ワークスペースの保存容量が上限に達しています。"
        "不要なファイルを削除するか、プランを見直すよう、管理者にご依頼ください。",
        "The workspace has no storage left. Please ask your administrator to delete files or to change the plan.",
    ),
    "posting_to_channel_denied": (
        "このチャンネルでは、アプリによるファイルの投稿が許可されていません。"
        "チャンネルの投稿権限を見直すよう、管理者にご依頼ください。",
        "Apps may not post files in this channel. Please ask your administrator to check who may post in it.",
    ),
    "slack_connect_clip_sharing_blocked": _CONNECT,
    "slack_connect_file_upload_sharing_blocked": _CONNECT,
    "file_share_limit_reached": _SHARING,
    "max_file_sharing_exceeded": _SHARING,
    "unable_to_share_files": _SHARING,
}

"""What an administrator must do, by Slack's code: trying again would not help."""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def refusal(code: RefusalCode, *, wait_seconds: int = 0) -> str:
    """Why a request is not answered, and what to do."""
    if code is not RefusalCode.RATE_LIMITED:
        return chosen(*_REFUSALS[code])
    seconds = max(1, wait_seconds)
    return chosen(
        f"短時間に続けて質問があったため、受け付けを一時止めています。{seconds}秒ほど待ってから、もう一度お試しください。",
        "Several questions came in a short time, so new ones are paused. "
        f"Please wait about {_counted(seconds, 'second')} and try again.",
    )


def help_text() -> str:
    """The answer to `/fetch` without a question, and to a call for help."""
    return chosen(
        "Webページを読み取って、ご質問にお答えします。\n"
        f"• `/fetch {_HOLIDAYS} 要点を3つにまとめて`\n"
        f"• `/fetch {_HOLIDAYS} 今年の祝日をCSVにして`\n"
        "チャンネルでのメンションや、ダイレクトメッセージでもお使いいただけます。"
        "回答のスレッドに返信すると、続けて質問できます。",
        "This app reads web pages and answers your questions.\n"
        f"• `/fetch {_CALENDAR} summarize in three points`\n"
        f"• `/fetch {_CALENDAR} make a CSV of this year's holidays`\n"
        "You can also mention the app in a channel, or send it a direct message. "
        "Reply in the thread of an answer to ask more.",
    )


def accepted() -> str:
    """The placeholder, before anything is known."""
    return chosen("確認しています…", "Looking into it…")


def command_root(user: str, question: str) -> str:
    """The first message of a command's thread."""
    return chosen(f"<@{user}> さんからのご質問：\n>{question}", f"<@{user}> asked:\n>{question}")


def opening(host: str) -> str:
    return chosen(f"ページを開いています：{host}", f"Opening: {host}")


def read(title: str) -> str:
    """A page that was read, in the progress."""
    return chosen(f"読み取りました：{title}", f"Read: {title}")


def not_read(host: str) -> str:
    return chosen(f"読み取れませんでした：{host}", f"Could not read: {host}")


def thinking() -> str:
    return chosen("考えています…", "Thinking…")


def writing() -> str:
    return chosen("回答をまとめています…", "Writing the answer…")


def stopped() -> str:
    return chosen("回答を中止しました。", "The answer was stopped.")


def nothing_to_stop() -> str:
    """A message asks to stop, and nothing is being answered in its thread."""
    return chosen(
        "中止できる回答はありませんでした。作成中の回答は、質問に :x: のリアクションを付けるか、そのスレッドに「止めて」と返信すると中止できます。",
        "There was no answer to stop. To stop one that is being written, add the reaction :x: to your question, "
        'or reply "stop" in its thread.',
    )


def only_the_asker_stops() -> str:
    """To a user who wants to stop the answer to another user's question."""
    return chosen(
        "この回答を中止できるのは、質問された方だけです。", "Only the person who asked can stop this answer."
    )


def first_text_counts() -> str:
    """To the asker who edits a question that is being answered."""
    return chosen(
        "編集前のご質問にお答えしているところです。編集後の内容でお聞きになりたい場合は、新しいメッセージでお送りください。",
        "The question is being answered as it was before your edit. "
        "To ask the edited question, please send it as a new message.",
    )


def failed() -> str:
    """An unexpected failure."""
    return chosen(
        "申し訳ありません。処理中に問題が発生しました。しばらくしてからもう一度お試しください。",
        "Sorry, something went wrong. Please try again later.",
    )


def gave_up() -> str:
    """When a request failed again and again."""
    return chosen(
        "申し訳ありません。何度か試しましたが、回答を完了できませんでした。時間をおくか、質問を変えて、もう一度お試しください。",
        "Sorry, the answer could not be completed after several tries. "
        "Please wait a while, or change the question, and try again.",
    )


def replaced_below() -> str:
    """In a message that Slack does not let the app replace or delete."""
    return chosen(
        "この回答は、下の新しいメッセージに投稿しました。", "This answer was posted in a new message below."
    )


def remark(sentence: str) -> str:
    """A sentence below an answer about what was left undone."""
    return chosen(f"※ {sentence}", f"Note: {sentence}")


def steps_title(count: int) -> str:
    """Of the collapsed list of pages that were opened for an answer."""
    return chosen(f"読み取りの手順（{count}件）", f"Steps taken ({count})")


def sources_heading() -> str:
    return chosen("出典", "Sources")


def source_without_title() -> str:
    return chosen("（無題のページ）", "(untitled page)")


def more_sources(count: int) -> str:
    return chosen(f"ほか{count}件", f"and {count} more")


def continued(number: int, total: int) -> str:
    """Above the later parts of a long answer."""
    return chosen(f"（続き {number}/{total}）", f"(continued {number}/{total})")


def long_answer() -> str:
    """Replaces an answer in notifications if its first line is too long."""
    return chosen(
        "長い回答です。Slackで開いてご覧ください。", "This is a long answer. Please open it in Slack."
    )


def upload_failed(file_name: str, code: str = "") -> str:
    """Why a file is missing, and what to do; `code` is Slack's."""
    remedy = chosen(
        *_UPLOAD_REMEDIES.get(code, ("お手数ですが、もう一度お試しください。", "Please try again."))
    )
    return chosen(
        f"ファイルの投稿に失敗しました（{file_name}）。{remedy}",
        f"The file could not be posted ({file_name}). {remedy}",
    )


def upload_not_permitted(file_name: str) -> str:
    return chosen(
        f"ファイルの投稿に失敗しました（{file_name}）。アプリにファイルを投稿する権限がないようです。"
        "アプリの権限（`files:write`）を確認し、必要であれば再インストールするよう、管理者にご依頼ください。",
        f"The file could not be posted ({file_name}). The app seems to have no permission to post files. "
        "Please ask your administrator to check the app's permissions (`files:write`), and to reinstall it if needed.",
    )


def upload_late(file_name: str) -> str:
    """A file that Slack has accepted and does not show yet."""
    return chosen(
        f"ファイル（{file_name}）をSlackに送りました。Slackでの処理が終わり次第、このスレッドに表示されます。"
        "しばらく待っても表示されない場合は、お手数ですがもう一度お試しください。",
        f"The file ({file_name}) was sent to Slack. It will appear in this thread when Slack has processed it. "
        "If it does not appear after a while, please try again.",
    )


def not_in_channel() -> str:
    """Above an answer that only the asker sees (S15)."""
    return chosen(
        "このチャンネルにアプリが参加していないため、あなただけに表示しています。`/invite` で招待すると、チャンネルの皆さんにも表示されます。",
        "The app is not in this channel, so only you can see this. "
        "Invite it with `/invite`, and everyone in the channel will.",
    )


def files_need_membership() -> str:
    return chosen(
        "ファイルを受け取るには、アプリをチャンネルに招待してから、もう一度お試しください。",
        "To receive files, please invite the app to the channel and try again.",
    )


def feedback_thanks() -> str:
    return chosen("フィードバックをありがとうございます。", "Thank you for your feedback.")


def feedback_good() -> str:
    return chosen("役に立った", "Helpful")


def feedback_bad() -> str:
    return chosen("役に立たなかった", "Not helpful")


def reason_title() -> str:
    """Of the modal after "not useful"; Slack accepts 24 characters."""
    return chosen("ご意見をお聞かせください", "Tell us what was wrong")


def reason_label() -> str:
    return chosen("役に立たなかった理由", "Why it was not helpful")


def reason_example() -> str:
    return chosen("例：価格が古い、表の列が足りない", "Example: the price is old, a column is missing")


def reason_submit() -> str:
    """The button that sends a modal."""
    return chosen("送信", "Send")


def reason_close() -> str:
    return chosen("閉じる", "Close")


def attached_files(names: str) -> str:
    """Tells the model which files came with a message."""
    return chosen(f"（添付ファイル：{names}）", f"(attached files: {names})")


def slack_message(moment: datetime) -> str:
    """The title of a message of Slack that is read like a page."""
    return chosen(
        f"Slackのメッセージ（{moment.month}月{moment.day}日 {moment:%H:%M}）",
        f"Slack message ({moment:%b} {moment.day}, {moment:%H:%M})",
    )


def shortcut_question() -> str:
    """The question of the shortcut."""
    return chosen(
        "このメッセージのリンクを読んで、要点をまとめてください。",
        "Please read the link in this message and summarize its main points.",
    )


def unknown_author() -> str:
    return chosen("不明なユーザー", "Unknown user")


def prompts_title() -> str:
    """Above the suggested prompts of the Messages tab."""
    return chosen("たとえば、このように聞けます", "You can ask, for example")


def suggested_prompts() -> tuple[tuple[str, str], ...]:
    """The suggested prompts: a title, and the question that it sends."""
    return chosen(
        (
            ("要点をまとめる", f"{_HOLIDAYS} の要点を3つにまとめてください。"),
            ("表をCSVにする", f"{_HOLIDAYS} の今年の祝日の表をCSVファイルにしてください。"),
            ("2つのページを比べる", f"{_FORMATS[0]} と {_FORMATS[1]} の違いを表にしてください。"),
        ),
        (
            ("Summarize a page", f"{_CALENDAR} Please summarize this page in three points."),
            ("Make a CSV of a table", f"{_CALENDAR} Please make a CSV file of this year's holidays."),
            (
                "Compare two pages",
                f"{_FORMATS_IN_ENGLISH[0]} {_FORMATS_IN_ENGLISH[1]} Please make a table of the differences between the two.",
            ),
        ),
    )


def next_prompts_title() -> str:
    """Above the prompts that fit the last answer."""
    return chosen("続けて、このように聞けます", "You could ask next")


def next_prompt(kind: str, url: str) -> tuple[str, str]:
    """A prompt that fits an answer (`Offer`): a title, and the question that it sends."""
    return chosen(
        {
            "excel": ("Excelにする", f"{url} の表をExcelファイルにしてください。"),
            "shorter": ("短くまとめる", f"{url} の要点を3行に短くまとめてください。"),
            "english": ("英語で", f"{url} の要点を英語で教えてください。"),
            "japanese": ("日本語で", f"{url} の要点を日本語で教えてください。"),
        }[kind],
        {
            "excel": ("Make an Excel file", f"{url} Please make an Excel file of the table."),
            "shorter": ("Make it shorter", f"{url} Please summarize this page in three short lines."),
            "english": ("In English", f"{url} Please tell me the main points in English."),
            "japanese": ("In Japanese", f"{url} Please tell me the main points in Japanese."),
        }[kind],
    )


def app_home(reaction: str = "") -> str:
    """How to ask; `reaction` is the name of the emoji that reads links."""
    reads = chosen(
        f"• リアクション：リンクのあるメッセージに :{reaction}: を付けてください。\n",
        f"• Reaction: add :{reaction}: to a message with a link.\n",
    )
    reads = reads if reaction else ""
    return chosen(
        "*Webページの読み取りをお手伝いします*\n"
        "リンクと知りたいことを送ると、ページを読み取って出典付きでお答えします。表はExcelやCSVのファイルでお渡しします。\n\n"
        "• チャンネル：このアプリをメンションして、リンクと質問をお送りください。\n"
        "• グループDM：このアプリを追加して、メンションしてください。\n"
        "• ダイレクトメッセージ：リンクと質問をそのままお送りください。\n"
        f"• コマンド：`/fetch {_HOLIDAYS} 今年の祝日をCSVにして`\n"
        "• メッセージのショートカット：「このリンクを読む」\n"
        f"{reads}"
        "• 続けて質問したいときは、回答のスレッドに返信してください。\n"
        "• 中止したいときは、質問に :x: のリアクションを付けるか、スレッドに「止めて」と返信してください。",
        "*This app reads web pages for you*\n"
        "Send a link and what you want to know. The app reads the page and answers with its sources. "
        "Tables come as Excel or CSV files.\n\n"
        "• Channel: mention this app with a link and a question.\n"
        "• Group DM: add this app and mention it.\n"
        "• Direct message: just send a link and a question.\n"
        f"• Command: `/fetch {_CALENDAR} make a CSV of this year's holidays`\n"
        "• Message shortcut: in the menu of a message with a link, choose the shortcut of this app.\n"
        f"{reads}"
        "• To ask more, reply in the thread of the answer.\n"
        '• To stop an answer, add the :x: reaction to your question, or reply "stop" in its thread.',
    )


def read_link() -> str:
    """The button of the Home tab, and the title of its modal; Slack accepts 24 characters."""
    return chosen("リンクを読む", "Read a link")


def modal_url() -> str:
    return chosen("ページのリンク", "Link of the page")


def modal_url_invalid() -> str:
    """In the modal, under the link."""
    return chosen(
        "「https://」で始まる、2,000文字以内のリンクを入力してください。",
        'Please enter a link that begins with "https://" and has at most 2,000 characters.',
    )


def modal_question() -> str:
    return chosen("知りたいこと", "What you want to know")


def modal_question_example() -> str:
    return chosen("例：要点を3つにまとめて", "Example: summarize in three points")


def modal_place() -> str:
    return chosen(
        "回答は、このアプリとのダイレクトメッセージにお届けします。",
        "The answer comes in your direct messages with this app.",
    )


def home_allowed(questions: int | None, tokens: int | None) -> str:
    """Whether the user may ask, and what is left of today's budget; None means no limit."""
    rests = [
        *([] if questions is None else [chosen(f"あと{questions:,}件", _counted(questions, "question"))]),
        *([] if tokens is None else [chosen(f"あと{tokens:,}トークン", _counted(tokens, "token"))]),
    ]
    if rests:
        left = chosen(f"本日の残り：{'、'.join(rests)}", f"Left today: {', '.join(rests)}")
    else:
        left = chosen("本日の利用に上限はありません。", "There is no limit on today's usage.")
    return chosen(
        f"*ご利用状況*\n:white_check_mark: このアプリに質問できます。\n{left}",
        f"*Your usage*\n:white_check_mark: You can ask this app.\n{left}",
    )


def home_refused(reason: str, contact: str) -> str:
    """Why the user may not ask, and whom to ask; `contact` is the id of a user or a channel."""
    mention = f"<#{contact}>" if contact.startswith(("C", "G")) else f"<@{contact}>"
    whom = mention if contact else chosen("ワークスペースの管理者", "an administrator of the workspace")
    return chosen(
        f"*ご利用状況*\n:no_entry: {reason}\nお問い合わせ先：{whom}",
        f"*Your usage*\n:no_entry: {reason}\nWhom to ask: {whom}",
    )


def home_places(channels: tuple[str, ...]) -> str:
    """The channels in which the app may be used."""
    return chosen(
        f"チャンネルでは、次の場所でご利用いただけます：{' '.join(f'<#{each}>' for each in channels)}",
        f"The app can be used in these channels: {' '.join(f'<#{each}>' for each in channels)}",
    )


def home_threads() -> str:
    return chosen("*最近のスレッド*", "*Recent threads*")


def home_thread(link: str, channel: str, at: int) -> str:
    """A thread in which the user has asked; Slack writes the time in the user's own way."""
    is_direct, date = channel.startswith("D"), f"<!date^{at}^{{date_short_pretty}} {{time}}^{link}|"
    return chosen(
        f"• {date}スレッドを開く>（{'ダイレクトメッセージ' if is_direct else f'<#{channel}>'}）",
        f"• {date}Open the thread> ({'direct message' if is_direct else f'<#{channel}>'})",
    )


def home_admin_heading() -> str:
    return chosen("管理者の方へ", "For administrators")


def home_usage_heading() -> str:
    return chosen(
        "*この7日間の利用*（回答した質問の数）", "*Usage in the last 7 days* (questions that were answered)"
    )


def home_usage(channel: str, questions: int, tokens: int) -> str:
    """The usage of a channel; an empty one stands for all direct messages."""
    place = f"<#{channel}>" if channel else chosen("ダイレクトメッセージ", "Direct messages")
    return chosen(
        f"• {place}：{questions:,}件（{tokens:,}トークン）",
        f"• {place}: {_counted(questions, 'question')} ({_counted(tokens, 'token')})",
    )


def home_none() -> str:
    return chosen("• なし", "• None")


def home_policy_heading(mode: str) -> str:
    """Above the list of who may ask, which is changed with a command."""
    command = "`python -m slackapp whitelist add channel C0123ABCD`"
    if mode == "open":
        return chosen(
            "*利用できる範囲*：全員が質問できます。社外と共有しているチャンネルは、次の一覧にあるものだけです。\n"
            f"変更：{command}（質問できる人を限る場合は `ACCESS_MODE=whitelist`）",
            "*Who may ask*: everyone. Of channels that are shared with other organizations, only those on this list.\n"
            f"To change it: {command} (to limit who may ask: `ACCESS_MODE=whitelist`)",
        )
    return chosen(
        f"*利用できる範囲*：次の一覧にある場合だけ質問できます。\n変更：{command}",
        f"*Who may ask*: only those on this list.\nTo change it: {command}",
    )


def home_listed(entity: str, entity_id: str, label: str, in_environment: bool) -> str:
    """An entry of the whitelist; one in the environment is changed there, and not with the command."""
    shown = {"channel": f"<#{entity_id}>", "user": f"<@{entity_id}>"}.get(entity, f"`{entity_id}`")
    kinds = {"channel": ("チャンネル", "Channel"), "user": ("ユーザー", "User")}
    kind = chosen(*kinds.get(entity, ("ワークスペース", "Workspace")))
    notes = [
        note
        for note in (label, chosen("環境変数で設定", "set in the environment") if in_environment else "")
        if note
    ]
    shown_notes = chosen(f"（{'、'.join(notes)}）", f" ({', '.join(notes)})") if notes else ""
    return chosen(f"• {kind}：{shown}{shown_notes}", f"• {kind}: {shown}{shown_notes}")


def home_health(*, is_ready: bool, store: str, store_answers: bool, model: str, has_browser: bool) -> str:
    """Whether the app works."""
    return chosen(
        f"*アプリの状態*：{'正常です。' if is_ready else '問題があります。'}\n"
        f"• 保存先：{store}（{'応答あり' if store_answers else '応答なし'}）\n"
        f"• AIモデル：{'なし（オフラインリーダー）' if model == 'offline' else model}\n"
        f"• ブラウザ：{'あり' if has_browser else 'なし'}",
        f"*App status*: {'working normally.' if is_ready else 'there is a problem.'}\n"
        f"• Store: {store} ({'responding' if store_answers else 'not responding'})\n"
        f"• AI model: {'none (offline reader)' if model == 'offline' else model}\n"
        f"• Browser: {'yes' if has_browser else 'none'}",
    )


def home_last_error(event: str, at: int) -> str:
    """The last error in the app's log, by its name there."""
    date = f"<!date^{at}^{{date_short_pretty}} {{time}}|{at}>"
    return chosen(
        f"• 最後のエラー：{f'`{event}`' if event else 'なし'}{f'（{date}）' if at else ''}",
        f"• Last error: {f'`{event}`' if event else 'none'}{f' ({date})' if at else ''}",
    )
