"""Orders in other languages than English: to ignore what was told, and to hide from the user.

Each language says it in few ways: a verb, what came before, and a word for what was told. Latin
letters are without their accents here, as `injection` reads them.
"""

from __future__ import annotations

IGNORE, HIDE, FREE = (
    "to ignore its instructions",
    "to keep something from the user",
    "to take a role",
)
_GAP = r"[^.!?\n]{0,25}?"  # a few words between

# What is wanted, the pattern, and the words it needs.
LANGUAGES: tuple[tuple[str, str, str], ...] = (
    # German, Dutch, Swedish
    (IGNORE, rf"\b(?:ignorier|missacht|vergiss|vergesst|vergessen sie|ubergeh"
    rf"|verwirf)\w*\b{_GAP}\b(?:(?:vorherig|"
    rf"bisherig|vorig|fruher|obig)\w* \w{{0,20}}(?:anweisung|regel|befehl|vorgabe|instruktion"
    rf"|richtlinie)|(?:deine|ihre|eure|alle)"
    r" (?:\w+ )?(?:anweisung|befehl|vorgabe|instruktion|richtlinie))\w*",
    "ignorier|missacht|vergiss|vergess|ubergeh|verwirf"),
    (HIDE, r"\b(?:sag|sage|sagt|verrate|erzahl|erzahle|melde|sagen sie)\b (?:dem|der|den) "
    r"(?:nutzer|nutzerin|benutzer|anwender|user)\w* (?:bitte )?(?:nie|niemals|nichts"
    r"|nicht)\b(?:,? (?:etwas )?(?:davon|dass"
    r"|von)|\W{0,3}\Z|\.)", "nutzer|anwender|dem user"),
    (IGNORE, rf"\b(?:negeer|vergeet|ignorera|glom|strunta i)\b{_GAP}\b(?:eerdere|vorige"
    rf"|voorgaande|bovenstaande|tidigare|"
    r"foregaende|je|jouw|uw|dina) (?:\w+ )?(?:instructies|regels|opdrachten|aanwijzingen"
    r"|instruktioner|regler)\b",
    "negeer|vergeet|ignorera|glom|strunta"),
    # French, Italian, Spanish, Portuguese
    (IGNORE, rf"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)"
    rf"|neglige[zr]?)\b{_GAP}\b(?:(?:instructions|consignes|directives|"
    r"regles) (?:precedentes|anterieures|ci-dessus)|(?:tes|vos) (?:\w+ )?(?:instructions"
    r"|consignes|directives|regles))\b",
    "ignor|oubli|neglig"),
    (HIDE, r"\b(?:ne (?:le |lui )?(?:dis|dites|dire|revele|revelez)|n'(?:informe|informez"
    r"|en parle|en parlez)) "
    r"(?:jamais|rien|pas)\b(?: \w+){0,2} (?:a |de )?l'utilisat(?:eur|rice)\b",
    "utilisat"),
    (IGNORE, rf"\b(?:ignor(?:a|are|ate|i|ino)|dimentica(?:re|te)?"
    rf"|trascura)\b{_GAP}\b(?:(?:istruzioni|regole|direttive)"
    r" (?:precedenti|anteriori|sopra)|(?:tue|vostre) (?:\w+ )?(?:istruzioni|regole|direttive))\b",
    "ignor|dimentic|trascur"),
    (HIDE, r"\bnon (?:dire|dirlo|rivelare|informare|dica) (?:mai |nulla |niente )?(?:al"
    r"|l)l?'?(?: )?utente\b",
    "utente"),
    (IGNORE, rf"\b(?:ignor(?:a|e|ad|en|ar|em)|olvid(?:a|e|ad|ar)|descarta|esquec(?:e|a|er)"
    rf"|desconsider(?:e|a|ar))\b{_GAP}"
    rf"\b(?:(?:instruccion|instruc|orden|regla|regra|directriz"
    rf"|diretriz)\w* (?:\w+ )?(?:anterior|previ|preced)\w*|"
    r"(?:tus|sus|suas|tuas) (?:\w+ )?(?:instruc\w+|reglas|regras|ordenes|ordens|directrices"
    r"|diretrizes))\b",
    "ignor|olvid|descart|esquec|desconsider"),
    (HIDE, r"\b(?:no|nunca|jamas|nao) (?:se |le |lhe )?(?:lo )?(?:digas|diga|cuentes|reveles"
    r"|revele|informes|conte)\b"
    r"(?: \w+){0,2} (?:al?|ao) usuari[oa]\b", "usuari"),
    (FREE, r"\b(?:ahora eres|agora voce e|maintenant tu es|desormais tu es|ora sei"
    r"|du bist (?:jetzt|nun|ab jetzt|ab sofort))"
    r" (?:un |uma? |une |ein |eine |einen )?\w+ (?:sin|sem|sans|senza|ohne) (?:restric|restri"
    r"|limit|regl|regr|regol|regeln"
    r"|einschrankung|beschrankung)\w*", "eres|voce e|tu es|ora sei|du bist"),
    # Polish, Czech, Russian, Ukrainian
    (IGNORE, rf"\b(?:z?ignoruj\w*|pomin|zapomnij o|zapomen na)\b{_GAP}\b(?:poprzedni"
    rf"|wczesniejsz|swoj|twoj|predchoz|sve)\w* "
    r"(?:\w+ )?(?:instrukc|polecen|regul|zasad|pokyn|pravidl)\w*", "ignoruj|pomin|zapomn|zapomen"),
    (IGNORE, r"(?:игнорируй|проигнорируй|забудь|ігноруй"
    r"|не следуй)\w*\b[^.!?\n]{0,25}?\b(?:предыдущ|прежн|прошл|своих|свои"
    r"|твои|попередн|все)\w* (?:\w+ )?(?:инструкц|указан|правил|команд|інструкц|вказів)\w*",
    "игнорируй|забудь|ігноруй|следуй"),
    (HIDE, r"(?:никогда )?не (?:говори|сообщай"
    r"|рассказывай)\w* (?:ничего )?(?:об этом )?(?:пользовател|юзер)\w*",
    "пользовател|юзер"),
    # Turkish, Arabic, Persian, Hindi
    (IGNORE, r"\b(?:onceki|yukaridaki|butun onceki|tum onceki) (?:\w+ )?(?:talimat|kural"
    r"|yonerge|komut)\w*[^.!?\n]{0,20}?"
    r"\b(?:yok say|gormezden gel|unut|dikkate alma)\w*", "onceki|yukaridaki"),
    (IGNORE, r"(?:تجاهل|انس|أهمل|نادیده بگیر|فراموش کن)[^.!?\n]{0,25}?(?:التعليمات|الأوامر"
    r"|القواعد|تعليمات|دستور)"
    r"|دستور[^.!?\n]{0,25}?نادیده", "تجاهل|انس|أهمل|دستور"),
    (IGNORE, r"(?:पिछले|पहले|पूर्व|सभी)[^.!?\n।]{0,25}?(?:निर्देश|आदेश|नियम)[^.!?\n।]{0,20}?"
    r"(?:अनदेखा|भूल|नज़रअंदाज|उपेक्षा)", "निर्देश|आदेश|नियम"),
    # Chinese, Japanese, Korean
    (IGNORE, r"(?:忽略|无视|無視|忘记|忘記|不要理会|不要遵守)[^。！？\n]{0,12}"
    r"(?:之前|以前|先前|上面|以上|前面|所有|你的|系统|系統)"
    r"[^。！？\n]{0,12}(?:指令|指示|规则|規則|提示|命令|说明|說明)", "忽略|无视|無視|忘|不要"),
    (IGNORE, r"(?:以前|これまで|前|上記|今まで|すべて|システム)[^。！？\n]{0,12}"
    r"(?:指示|命令|ルール|規則|プロンプト)[^。！？\n]{0,12}"
    r"(?:無視|忘れ|従わ)", "無視|忘れ|従わ"),
    (IGNORE, r"(?:이전|앞선|위의|지금까지|모든|시스템)[^.!?\n]{0,12}"
    r"(?:지시|명령|규칙|프롬프트|지침)[^.!?\n]{0,12}(?:무시|잊)",
    "무시|잊"),
    (HIDE, r"(?:不要|别|切勿|绝不)(?:告诉|告知|通知|告訴)(?:用户|用戶|使用者)"
    r"|(?:ユーザー|利用者)に(?:は)?(?:言わ|知らせ|伝え)な"
    r"|사용자에게[^.!?\n]{0,10}(?:말하지|알리지)", "用户|用戶|使用者|ユーザー|利用者|사용자"),
)  # fmt: skip
