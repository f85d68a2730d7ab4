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
            linked TEXT,
            feedback TEXT,
            given_at REAL,
            urls TEXT,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895770.666988','a38bdd8a59f14f32a35c0d1b556db0bc','done',1,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,1794982352);
INSERT INTO "dedupe" VALUES('T0LOCAL:C0GENERAL:1794895771.565385','86ee12e9867445d684518bf92c2174f6','working',1,'{"kind": "follow_up", "key": "T0LOCAL:C0GENERAL:1794895771.565385", "team": "T0LOCAL", "channel": "C0GENERAL", "user": "U0TANAKA", "user_team": "T0LOCAL", "shared": false, "ts": "1794895771.565385", "thread_ts": "1794895770.666988", "text": "送料も教えて", "too_long": false, "files": [], "bot_user": "U0READER", "response_url": "", "author": "", "marked": false, "echo": false}','{"root": "", "replies": ["1794895771.592809"], "stream_since": "", "uploads": []}',1.79489583156968688965e+09,0,NULL,NULL,NULL,NULL,1794982352);
INSERT INTO "dedupe" VALUES('known:T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,'["https://shop.example/price", "https://shop.example/about"]',1797487772);
INSERT INTO "dedupe" VALUES('reply:T0LOCAL:C0GENERAL:1794895771.461121',NULL,NULL,NULL,NULL,NULL,NULL,0,'T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,1797487772);
INSERT INTO "dedupe" VALUES('reply:T0LOCAL:C0GENERAL:1794895771.592809',NULL,NULL,NULL,NULL,NULL,NULL,0,'T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,1797487772);
INSERT INTO "dedupe" VALUES('thread:T0LOCAL:C0GENERAL:1794895770.666988',NULL,NULL,NULL,NULL,NULL,NULL,0,'T0LOCAL:C0GENERAL:1794895771.565385',NULL,NULL,NULL,1797487772);
CREATE TABLE existence_check_cache (
            subject TEXT PRIMARY KEY,
            value TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "existence_check_cache" VALUES('channel:T0LOCAL:C0GENERAL','{"refusal": null, "external": false, "unseen": false, "name": ""}',1794896072);
INSERT INTO "existence_check_cache" VALUES('name:T0LOCAL:U0READER','ウェブリーダー',1794896072);
INSERT INTO "existence_check_cache" VALUES('name:T0LOCAL:U0TANAKA','田中 花子',1794896072);
INSERT INTO "existence_check_cache" VALUES('team:T0LOCAL','{"refusal": null, "external": false, "unseen": false, "name": ""}',1794896072);
INSERT INTO "existence_check_cache" VALUES('user:T0LOCAL:U0TANAKA','{"refusal": null, "external": false, "unseen": false, "name": "田中 花子"}',1794896072);
CREATE TABLE rate_limit (
            meter TEXT PRIMARY KEY,
            empty_at INTEGER,
            used INTEGER,
            expires_at INTEGER NOT NULL
        ) WITHOUT ROWID
        ;
INSERT INTO "rate_limit" VALUES('rate:T0LOCAL:U0TANAKA',1794895771586526,NULL,1794899432);
CREATE TABLE whitelist (
            entity_type TEXT NOT NULL,
            entity_id TEXT NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (entity_type, entity_id)
        ) WITHOUT ROWID
        ;
CREATE INDEX working ON dedupe (lease_until) WHERE state = 'working';
CREATE INDEX dedupe_expiry ON dedupe (expires_at);
CREATE INDEX rate_limit_expiry ON rate_limit (expires_at);
CREATE INDEX existence_check_cache_expiry ON existence_check_cache (expires_at);
COMMIT;