PRAGMA application_id = 1466262098;
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE dedupe (
            dedupe_key TEXT PRIMARY KEY,
            owner TEXT,
            state TEXT,
            attempt INTEGER,
            incoming TEXT,
            delivery TEXT,
            lease_until REAL,
            stopped INTEGER NOT NULL DEFAULT 0,
            stopped_by TEXT,
            linked TEXT,
            feedback TEXT,
            press TEXT,
            reason TEXT,
            given_at REAL,
            urls TEXT,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895770.666988','first','done',1,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895771.565385','second','working',1,'{"kind": "follow_up", "key": "T0LOCAL:C0GENERAL:1794895771.565385", "team": "T0LOCAL", "channel": "C0GENERAL", "user": "U0TANAKA", "user_team": "T0LOCAL", "enterprise": "", "shared": false, "ts": "1794895771.565385", "thread_ts": "1794895770.666988", "text": "送料も教えて", "too_long": false, "files": [], "file_records": [], "links": [], "forwarded": [], "bot_user": "U0READER", "response_url": "", "author": "", "marked": false, "joins": false, "echo": false}','{"root": "", "replies": ["1794895771.592809"], "stream_since": "", "uploads": ["F0TABLE"], "contents": ["9f86d0"], "abandoned": [], "uncertain": [], "wanted": [], "runs": 1, "charged": true, "language": "ja", "revision": 3}',4102444860.0,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895780.000100',NULL,'stopped',NULL,NULL,NULL,NULL,0,'<U0SATO>',NULL,NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895780.000200',NULL,'stopped',NULL,NULL,NULL,NULL,0,'<>',NULL,NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('asked:T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('edited:T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'mark',NULL,NULL,NULL,NULL,NULL,4102531200);
INSERT INTO "dedupe" VALUES('feedback:T0LOCAL:C0GENERAL:1794895770.666988:U0TANAKA',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,'bad','1794895790.1','価格が古い',4102444800.0,NULL,4105036800);
INSERT INTO "dedupe" VALUES('known:T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,'["https://shop.example/送料", "https://shop.example/price"]',4105036800);
INSERT INTO "dedupe" VALUES('reply:T0LOCAL:C0GENERAL:1794895771.592809',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,NULL,NULL,4105036800);
INSERT INTO "dedupe" VALUES('thread:T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,'T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,NULL,NULL,4105036800);
CREATE TABLE existence_check_cache (
            subject TEXT PRIMARY KEY,
            value TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "existence_check_cache" VALUES('name:T0LOCAL:U0TANAKA','田中',4102531200);
CREATE TABLE rate_limit (
            meter TEXT PRIMARY KEY,
            empty_at INTEGER,
            used INTEGER,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "rate_limit" VALUES('questions:2100-01-01:T0LOCAL',NULL,3,4102531200);
INSERT INTO "rate_limit" VALUES('rate:T0LOCAL:U0TANAKA',4102444812000000,NULL,4102448400);
INSERT INTO "rate_limit" VALUES('usage:2100-01-01:T0LOCAL:C0GENERAL_questions',NULL,3,4102531200);
INSERT INTO "rate_limit" VALUES('usage:2100-01-01:T0LOCAL:C0GENERAL_tokens',NULL,4200,4102531200);
CREATE TABLE whitelist (
            entity_type TEXT NOT NULL,
            entity_id TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (entity_type, entity_id)
        ) WITHOUT ROWID
        ;
INSERT INTO "whitelist" VALUES('team','T0LOCAL','本社');
CREATE INDEX working ON dedupe (lease_until) WHERE state = 'working';
CREATE INDEX dedupe_expiry ON dedupe (expires_at);
CREATE INDEX rate_limit_expiry ON rate_limit (expires_at);
CREATE INDEX existence_check_cache_expiry ON existence_check_cache (expires_at);
COMMIT;
