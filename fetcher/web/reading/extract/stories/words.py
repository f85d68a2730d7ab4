"""What pages write below stories and between their paragraphs, in the languages of Europe: data only."""

import re

FOREIGN_TAIL_HEADING = re.compile(
    r"""(?ix)
    # German
    (?:ähnliche|verwandte|weitere|mehr|aktuelle|neueste|beliebte|meist\ ?gelesene|passende|empfohlene)\b
        .{0,30}?(?:artikel|beitrag|beiträge|themen|meldungen|news|nachrichten|inhalte|links|videos|produkte|rezepte)
    | mehr\ zum\ thema | das\ könnte\ (?:sie|dich|euch|ihnen|dir)\ auch\ .{0,40}+ | auch\ interessant
    | (?:lesen\ sie|lies)\ (?:auch|mehr|weiter|dazu)\b.{0,60}+ | zum\ weiterlesen
    | schlag(?:wort|worte|wörter)(?:\ zu\b.{0,30}+)? | (?:am\ )?(?:häufig|meisten)\ gelesen | am\ beliebtesten
    | vorschau\ auf\ .{0,30}+ | weiterführende\ links? | dieses\ thema\ im\ programm
    | (?:\d+|keine|bisher\ keine|neueste|letzte)?\ ?kommentare?(?:\ ?\(?\d+\)?)? | kommentieren
    | .{0,20}?kommentar\ (?:schreiben|verfassen|hinterlassen|abgeben) | schreiben?\ (?:sie\ )?einen\ kommentar
    | eine\ antwort\ schreiben | \d+\ antworten | .{0,20}?\bteilen(?:\ (?:sie|mit)\b.{0,30}+)? | gefällt\ mir
    | bewerten | über\ (?:den\ autor|die\ autor(?:in|en)) | anzeige | meistgelesen | newsletter\b.{0,30}+
    | (?:unsere\ )?empfehlungen(?:\ .{0,30}+)? | top[\ -]themen.{0,20}+
    # French
    | (?:à\ )?lire\ (?:aussi|également)\b.{0,60}+ | dans\ la\ même\ rubrique | sur\ le\ même\ (?:sujet|thème)
    | (?:articles?|sujets?|contenus?)\ (?:similaires?|liés?|connexes?|associés?|recommandés?) | voir\ aussi
    | vous\ (?:aimerez|pourriez)\b.{0,40}+ | \d*+\ ?commentaires? | laisser\ un\ commentaire | vos\ réactions
    | partager(?:\ .{0,30}+)? | à\ propos\ de\ l.auteure? | mots[\ -]clés
    # Spanish
    | (?:artículos|noticias|notas|entradas|contenidos?|temas)\ relacionad[oa]s | etiquetas | sobre\ el\ autor
    | (?:también\ )?(?:te|le)\ puede\ interesar.{0,30}+ | le[ae]\ también\b.{0,60}+ | \d*+\ ?comentarios?
    | deja\ (?:un\ comentario|una\ respuesta) | compart(?:e|ir)(?:\ .{0,30}+)? | lo\ más\ (?:leído|visto)
    | más\ (?:noticias|leíd[oa]s|sobre\ .{0,40}+)
    # Italian, Portuguese
    | (?:articoli|notizie|contenuti)\ (?:correlati|simili) | leggi\ anche\b.{0,60}+ | \d*+\ ?commenti
    | potrebbe(?:ro)?\ interessarti.{0,30}+ | lascia\ un\ commento | condividi(?:\ .{0,30}+)?
    | (?:artigos|notícias|posts|conteúdos?)\ relacionad[oa]s | leia\ (?:também|mais)\b.{0,60}+ | veja\ também
    | \d*+\ ?comentários? | deixe\ um\ comentário | compartilh[ae](?:r|\ .{0,30}+)?
    # Dutch, Polish
    | gerelateerde\ (?:artikelen|berichten) | lees\ (?:ook|meer)\b.{0,60}+ | \d*+\ ?reacties?
    | geef\ een\ reactie
    | (?:podobne|powiązane|polecane)(?:\ .{0,20}+)? | dodaj\ komentarz | udostępnij | tagi | najpopularniejsze
    | (?:zobacz|czytaj|przeczytaj)\ (?:też|także|również|więcej)\b.{0,60}+ | najnowsze
    | komentarze?(?:\ ?\(?\d+\)?)?
    """
)
"""Headings of what follows a story without belonging to it; for English, see `TAIL_HEADING`."""

FURNITURE_LINE = re.compile(
    r"""(?ix)
    advertise?ments? | advertising | sponsored(?:\ (?:content|by\b.{0,40}+))? | loading\W*+
    | anzeige | werbung | table\ of\ contents\ ?:?
    | (?:story|article|content)\ continues\ (?:below|after)\b.{0,40}+
    | (?:continue|keep)\ reading\ below.{0,40}+ | this\ (?:advertisement|ad)\ has\ not\ loaded\b.{0,80}+
    | .{0,30}?\bvideo\ (?:has\ )?failed\ to\ load\b.{0,60}+
    | back\ to\ video | try\ refreshing\ your\ browser\b.{0,80}+ | most\ popular | invalid\ e-?mail.{0,20}+
    | (?:listen\ to\ this|audio\ version\ of\ this)\ (?:article|story)\b.{0,40}+
    | (?:add|set)\ .{0,40}?\ as\ (?:a|your)\ preferred\ source\b.{0,20}+
    | our\ standards\ ?:.{0,40}?\bprinciples\b.{0,10}+
    | (?:(?:estimated\ )?reading\ time|lesedauer|lesezeit)\ ?:\D{0,12}\d{1,3}\ ?min[a-z.]{0,6}+
    | \d{1,3}\ min(?:ute)?s?\.?\ (?:read|lesezeit|lesedauer)
    | (?:last\ )?(?:updated|published)\ \d{1,2}\ (?:minutes?|hours?|days?)\ ago
    | empfohlener\ redaktioneller\ inhalt | externe\ inhalte\ (?:anzeigen|erlauben|zulassen|aktivieren)
    | (?:read|see|learn|view|show|find\ out)\ (?:more|also|next|all)\b.{0,80}+ | also\ (?:read|see)\b.{0,80}+
    | share(?:\ (?:this|on|via|it)\b.{0,40}+)?!? | tweet | print | e-?mail | copy\ link
    | facebook | twitter | whatsapp | linkedin | pinterest | getty\ images | \u00a9.{0,80}+
    | (?:photo|image|picture|foto|bild|quelle|credit|titelbild|grafik|illustration)(?:s|graph)?\ ?
        (?:by|via|credits?|courtesy|:|\u00a9).{0,80}+
    | (?:filed\ under|posted\ in|tags?|tagged|topics?|categor(?:y|ies)|keywords?|themen|kategorien?)
        \ ?:.{0,100}+
    | filed\ under\b.{0,80}+ | comments\ are\ closed.{0,40}+ | (?:no\ comments|keine\ kommentare).{0,20}+
    | (?:leave|post|write|add)\ a\ (?:comment|reply).{0,20}+
    | (?:subscribe|sign\ up)\ (?:to|for|now|here)\b.{0,80}+
    | (?:follow|like)\b.{0,60}?\b(?:twitter|facebook|instagram|google\ news|telegram|linkedin)\b.{0,60}+
    | (?:medically\ )?(?:reviewed|fact[\ -]checked)\ by\b.{0,80}+
    | you\ (?:may|might)\ also\ (?:like|enjoy|(?:be|find)\ interest(?:ed|ing))(?:\ in)?\W*+
    | back\ to\ top | nach\ oben | zurück(?:\ zur?\b.{0,30}+)? | weiterlesen.{0,20}+
    | (?:lesen\ sie|lies)\ (?:auch|mehr|dazu)\b.{0,80}+ | mehr\ themen\ ?:? | inhaltsverzeichnis
    | (?:über\ den\ autor|zum\ weiterlesen|externer\ inhalt)\ ?:? | (?:bild|foto)\ via\b.{0,40}+
    | (?:am\ )?(?:häufig|meisten)\ gelesen | am\ beliebtesten
    | mehr\ (?:themen|artikel)\ (?:auf|von)\b.{0,30}+
    | dieses\ thema\ im\ programm\b.{0,110}+ | über\ dieses\ thema\ berichtete?\b.{0,110}+
    | (?:artikel|zum)\ anhören | drucken | (?:artikel\ )?teilen | player\ wird\ geladen\W*+
    | 00:00\ /\ \d\d:\d\d
    | (?:comments?|kommentare?|commentaires?|comentarios?)\ ?\(\d{1,5}\)
    | (?:nur|only)\ (?:angemeldete|registrierte|registered|logged-in)
        \ (?:(?:be)?nutzer|mitglieder|users|members)\b.{0,80}+
    | zum\ (?:shop|angebot|produkt) | weiterführende[rn]?\ links?\ ?:?
    | kommentare\ geschlossen.{0,20}+ | wird\ geladen\W*+ | cargando\W*+ | chargement\W*+
    | (?:mir[ae]|lea|lee|vea|v[eé]a\ más|te\ puede\ interesar|lea\ (?:también|además|más))\ ?:.{0,100}+
    | (?:à\ )?lire\ (?:aussi|également)\ ?:.{0,100}+ | leia\ (?:também|mais)\ ?:.{0,100}+
    | (?:leggi\ anche|lees\ ook|czytaj\ (?:też|także|również))\ ?:.{0,100}+
    """
)
"""Lines between paragraphs that tell nothing of the story: controls, credits, where it was filed."""

CREDIT_AT_END = re.compile(
    r"(?i)(?<!:)\ (?:\u00a9\ ?(?!\d)|\(?(?:fotos?|bild(?:er)?|photos?)\ ?:\ (?!\d))[^\u00a9:]{1,40}+$"
)
"""How a caption ends: who has made the picture. A year behind the sign is the end of a page."""

_NETWORKS = "(?:twitter|facebook|instagram|telegram|whatsapp|youtube|linkedin|tiktok|discord|newsletter)"

INVITATION = re.compile(
    rf"""(?ix)
    (?:please\ )?(?:follow|like|join|find)\ (?:us|me|the|our)\b.{{0,80}}?\b{_NETWORKS}\b
    | (?:subscribe|sign\ up)\ (?:to|for|now|here|today)\b
    | to\ (?:view|read)\ the\ full\ (?:story|article)\b | (?:already|not\ yet)\ a\ (?:subscriber|member)\b
    | if\ you(?:.re|\ are)?\ .{{0,60}}?
        \b(?:already\ a\ subscriber|supporting\ (?:us|our)|(?:make|consider)\ a\ donation)\b
    | get\ .{{0,60}}?\b(?:(?:in|to)\ your\ (?:inbox|phone)|newsletter)\b
    | (?:never|don.t)\ miss\ (?:out\b|an?\ (?:thing|post|story|update|beat)) | advertise\ with\b
    | get\ our\ .{{0,20}}?\bapp\b | support\ us\b | donate\ (?:now|here|today)\b | submit\ your\ letter\b
    | by\ (?:signing\ up|subscribing|clicking|submitting)\b.{{0,60}}?\byou\ (?:agree|consent|confirm|accept)
    | (?:you\ must|you\ need\ to|please)\ (?:be\ logged|log|sign)\ in\b
    | (?:as\ an\ amazon\ associate|we\ may\ (?:earn|receive)\ .{{0,20}}?commission)\b
    | (?:this|the)\ (?:article|post|story)\ is\ the\ copyrighted\b | all\ rights\ reserved
    | (?:copyright\ )?(?:\(c\)|\u00a9) | copyright\ (?:(?:19|20)\d\d|by)\b
    # German
    | (?:folgen?|abonnier(?:en|e|t)?|melden?|registrier(?:en|e)?)
        \ (?:sie|dich|uns|euch|jetzt|hier|den|unser(?:en)?)\b.{{0,80}}?\b(?:{_NETWORKS}|kanal|angebote)\b
    | (?:unterstützen?\ (?:sie\ )?(?:uns|unsere?)|jetzt\ (?:abonnieren|spenden|kostenlos\ testen))\b
    | dieser\ (?:artikel|beitrag|text)
        \ (?:stammt\ aus|(?:ist|wurde)\ (?:zuerst|erstmals|im\ original)|erschien)\b
    | mit\ (?:der|ihrer|deiner)\ (?:anmeldung|registrierung)\b(?!.{{0,200}}?(?:€|\beur|gebühr))
        .{{0,40}}?\b(?:willig|stimm|akzeptier|erklär)
    | ihre\ meinung\ ist\ uns\ wichtig
    | nur\ (?:angemeldete|registrierte)\ (?:benutzer|nutzer|mitglieder|leser)\b.{{0,40}}?\bkommentieren\b
    | an\ dieser\ stelle\ (?:findest|finden|befindet|steht|wird)\b.{{0,80}}?\binhalte?\b
    | (?:ich\ bin|wir\ sind)\ damit\ einverstanden,\ dass\ (?:mir|uns)\b.{{0,40}}?\binhalte?\b
    | personenbezogene\ daten\ können\ an\ dritt
    | um\ .{{0,60}}?\bkommentieren\b.{{0,20}}?\bmüssen\b | anzeige,
    # Spanish, French, Portuguese, Italian
    | (?:s[ií]g[au]e?nos|suscríb(?:ete|ase)|hazte\ (?:miembro|socio))\b
    | (?:abonnez-vous|inscrivez-vous|suivez-nous|soutenez-nous)\b
    | (?:siga-nos|inscreva-se|assine)\b | (?:seguici|iscriviti|abbonati)\b
    """
)
"""How paragraphs begin that invite to subscribe, to follow or to pay, or that are about rights and money."""

INVITATION_WITHIN = re.compile(
    r"""(?ix)
    .{0,60}?\b(?:contains?|uses?|includes?|using\ the|enthält|handelt\ es\ sich\ um)\ .{0,20}?
        \baffiliate[\ -]?links?\b
    | .{0,80}?\bnewsletter\b.{0,30}?
        \b(?:informiert\ (?:sie|dich|euch)
            |(?:hier|jetzt|kostenlos)\b.{0,20}?\b(?:abonnieren|anmelden|bestellen))\b
    | .{0,40}?\b(?:canal\ de\ (?:telegram|whatsapp)|boletín\ de\ noticias)\b
    """
)
"""The same with words before. It is slow, so one of the following is looked for first."""
IN_INVITATIONS = ("aff", "canal de ", "bolet", "newsletter")

POST_LINE = re.compile(
    r"""(?ix)
    (?:joined?|join\ date|registered|member\ since)\ ?:?\ (?=\D{0,10}\d).{0,25}+
    | (?:posts|messages|topics|threads|reaction\ score|reputation|karma|likes|points|solutions|awards
        |trophy\ points)\ ?:?\ \d[\d.,]{0,9}+[km]?+
    | (?:location|rank)\ ?:\ .{0,40}+
    | (?:re|aw|antw|sv)\ ?:\ .{1,100}+
    | reply(?:\ with\ quote)? | quote | (?:code:\ )?select\ all | top | report(?:\ post)? | share | like
    | permalink | copy\ (?:code|link|to\ clipboard) | click\ to\ expand\W*+ | view\ profile | send\ message
    | edit | delete | logged | multi-?quote | back\ to\ top | unread\ post | author | original\ poster | op
    | (?:(?:new|full|active|junior|senior|well-known|registered|forum|trusted|premium|valued)\ )?
        (?:member|user) | guest | moderator | administrator | admin | staff | newbie
    | \#\d{1,5} | \d{1,6}\ (?:posts?|messages?|likes?|points?|replies|views|votes?|upvotes?)
    | \(?\d{1,4}\ (?:children|replies|reply|comments?)\)?
    | (?:last\ )?edited\ ?:?\ (?:(?:by|on|at)\b.{0,80}+|(?=\D{0,10}\d).{0,40}+)
    | (?:status\ ?:?\ ?)?not\ open\ for\ further\ replies\.? | offline | click\ to\ shrink\W*+
    | view\ attachment\ \d{1,12} | forum\ (?:rules|jump) | posting\ permissions
    | you\ may\ not\ (?:post|edit)\b.{0,30}+
    | (?:bb\ ?code|smilies|\[img\]\ code|html\ code|trackbacks|pingbacks)\ (?:is|are)\ (?:on|off)
    | (?:(?:results|showing)\ )?\d{1,6}\ (?:to|-)\ \d{1,6}\ of\ \d{1,6}
    | (?:\d{1,6}\ (?:posts|replies|messages)\W{1,3})?page\ \d{1,5}\ of\ \d{1,5}
    | (?:you\ (?:must|need\ to|are\ not|have\ to|do\ not\ have)|please|to\ reply,?)\ .{0,30}?
        (?:log(?:ged)?\ in|sign(?:ed)?\ in|register|member|permission).{0,60}+
    | (?:log\ in|sign\ (?:in|up))\b.{0,60}+
    | this\ (?:topic|thread|discussion)\ (?:was\ automatically|has\ been|is\ now)\ (?:closed|locked|archived)
        .{0,60}+
    """
)
"""Lines around the posts of a thread: controls, and what is told about every author."""
