"""Pages as Japanese sites have them: a price list, questions and answers, a news article."""

PRICES = "http://shop.example/price"
FAQ = "http://shop.example/faq"
NEWS = "http://news.example/library"

PAGES = {
    PRICES: """<!doctype html><html lang=ja><head><title>料金プラン | サンプル商店</title></head><body>
<nav><a href=/>ホーム</a> <a href=/faq>よくある質問</a></nav><main>
<h1>料金プラン</h1>
<p>サンプル商店のオンライン会計は、事業の大きさに合わせて三つのプランからお選びいただけます。
表示価格はすべて税込です。<a href=/contact>お問い合わせ</a>もお気軽にどうぞ。</p>
<img src=/hero.png alt="店頭の写真">
<h2>料金表</h2>
<table><tr><th>プラン</th><th>月額料金</th><th>備考</th></tr>
<tr><td>ライト</td><td>1,980円</td><td>個人向け, 1名まで</td></tr>
<tr><td>スタンダード</td><td>4,980円</td><td>"人気"のプラン</td></tr>
<tr><td>プロ</td><td>お見積り</td><td>=1+1</td></tr></table>
<h2>オプション</h2>
<p>各プランには、次のオプションを追加できます。</p>
<table><tr><th>名称</th><th>単価</th></tr><tr><td>容量追加<br>(10GB)</td><td>-500円</td></tr>
<tr><td>電話サポート</td><td>-</td></tr></table>
<h2>お支払い方法</h2>
<p>クレジットカード、銀行振込、口座振替がご利用いただけます。銀行振込の手数料はお客様のご負担となります。</p>
<h2>解約について</h2>
<p>解約はいつでもお手続きいただけます。月の途中で解約された場合も、その月の料金は日割りになりません。</p>
</main></body></html>""",
    FAQ: """<!doctype html><html lang=ja><head><title>よくある質問</title></head><body><main>
<h1>よくある質問</h1>
<h2>ご注文</h2>
<h3>注文をキャンセルできますか？</h3>
<p>発送前であれば、マイページの「注文履歴」から取り消しいただけます。発送後のキャンセルは承っておりません。</p>
<h3>領収書は発行できますか？</h3>
<p>はい。マイページから<a href=/receipt>領収書</a>をダウンロードできます。宛名は一度だけ変更できます。</p>
<h2>配送と返品</h2>
<h3>送料はいくらですか？</h3>
<p>全国一律550円です。5,000円以上のお買い上げで無料になります。沖縄県と離島は1,100円を申し受けます。</p>
<h3>返品したいときは？</h3>
<p>商品到着後8日以内にご連絡ください。お客様都合による返品の送料は、お客様のご負担でお願いいたします。</p>
<h3>APIはありますか？</h3>
<p>次のように呼び出します。</p><pre><code>GET /v1/orders
# comment</code></pre>
</main></body></html>""",
    NEWS: """<!doctype html><html lang=ja><head><title>市立図書館が新装開館 - サンプル新聞</title>
</head><body><article><h1>市立図書館が新装開館</h1><p>2025年4月1日(火) 10:00　編集部</p>
<p>市立図書館が1日、約2年の改修を終えて開館した。蔵書は35万冊で、電源のある席は120席に増えた。
館長は「誰でも使える場所にしたい」と話している。</p>
<p>改修費は約12億円。耐震補強のほか、2階に親子で使える読み聞かせの部屋を設けた。</p>
<h2>開館時間</h2><ul><li>平日は9時から20時まで</li><li>土日と祝日は9時から18時まで</li></ul>
<h2>交通アクセス</h2><p>市営バス「図書館前」停留所から徒歩2分。駐車場は80台分を用意し、2時間まで無料とする。</p>
</article></body></html>""",
}
