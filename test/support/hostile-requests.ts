/** Requests made from a contract's route by spoiling a valid one, the same ones for the same seed. */
import type { ActionRoute } from "#services/gateway/action-route.ts";
import type { Rule } from "#shared/bus/schema.ts";

/** What one route is asked with. */
export interface Aim {
	readonly route: ActionRoute;
	/** Of a session that exists. */
	readonly sessionId: string;
	readonly host: string;
	readonly authorization?: string;
}

export interface HostileRequest {
	readonly kind: Kind;
	readonly bytes: Buffer;
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export type Random = () => number;

export function seeded(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

function nested(depth: number): string {
	return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

/** JSON texts to stand where a parameter's value belongs. */
const hostileValues = {
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

const bodyKinds = ["missing", "extra", "invalid UTF-8", "broken JSON"] as const;
const urlKinds = ["repeated name", "encoded slash", "overlong path", "query trick"] as const;

export const kinds = [...keysOf(hostileValues), ...bodyKinds, ...urlKinds];
export type Kind = (typeof kinds)[number];

const hostilePaths = [
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
const hostileQueries = [
	"__proto__[x]=1",
	"limit[$ne]=1",
	"limit[]=5",
	"%ff=%ff",
	"&&&==&",
	"limit=%00",
	"cursor=..%2f",
];
/** Encoded it still fits what Node reads of a head; overlong paths do not. */
const maxUrlText = 4_000;
const brokenTexts = ["", "{", "[]", '"a"', "null", "{'a':1}", "\ufeff{}", '{"a":01}', "{} {}", '{"a":NaN}'];
const extras = '"role":"admin","owner_id":"bob","tenant_id":"other","$set":{"a":1},"id":"x","toString":"x"';

/** One request of every kind in turn. */
export function* hostileRequests(aim: Aim, count: number, random: Random): Generator<HostileRequest> {
	for (let i = 0; i < count; i++) {
		const kind = kinds[i % kinds.length] ?? "missing";
		yield { kind, bytes: isUrlKind(kind) ? urlRequest(aim, kind, random) : valueRequest(aim, kind, random) };
	}
}

function valueRequest(aim: Aim, kind: Exclude<Kind, UrlKind>, random: Random): Buffer {
	const names = namesElsewhere(aim.route);
	const name = pick(names.length === 0 ? ["anything"] : names, random);
	if (aim.route.method !== "GET") return request(aim, pathOf(aim), "", bodyFor(aim, kind, name, random));
	return request(aim, pathOf(aim), `${name}=${encodeURIComponent(textFor(kind, random).slice(0, maxUrlText))}`);
}

/** A valid body of which one member is spoiled. */
function bodyFor(aim: Aim, kind: Exclude<Kind, UrlKind>, name: string, random: Random): Buffer {
	if (kind === "broken JSON") return Buffer.from(pick(brokenTexts, random));
	const names = namesElsewhere(aim.route);
	const needed = Object.entries(aim.route.action.params).filter(
		([field, rule]) => names.includes(field) && isNeeded(rule),
	);
	const members = new Map(needed.map(([field, rule]) => [field, JSON.stringify(sample(rule, aim))]));
	if (kind === "missing") members.delete(name);
	else if (kind === "invalid UTF-8") members.set(name, '"\u0001"');
	else if (kind !== "extra") members.set(name, textFor(kind, random));
	const texts = [...members].map(([field, text]) => `${JSON.stringify(field)}:${text}`);
	if (kind === "extra") texts.push(extras);
	if (kind === "prototype" && random() < 0.3) texts.push('"__proto__":{"name":"a"}');
	const body = Buffer.from(`{${texts.join(",")}}`);
	return kind === "invalid UTF-8" ? spoiled(body) : body;
}

/** No UTF-8 text can hold the byte that takes the place of each control character 1. */
function spoiled(body: Buffer): Buffer {
	return Buffer.from(body.map((byte) => (byte === 1 ? 0xff : byte)));
}

function urlRequest(aim: Aim, kind: UrlKind, random: Random): Buffer {
	const names = [...namesElsewhere(aim.route), "a"];
	const name = pick(names, random);
	const body = aim.route.method === "GET" ? undefined : Buffer.from("{}");
	const path = pathOf(aim);
	if (kind === "repeated name") return request(aim, path, `${name}=1&${name}=2`, body);
	if (kind === "query trick") return request(aim, path, pick(hostileQueries, random), body);
	const part =
		kind === "overlong path" ? "a".repeat(pick([1_001, 5_000, 15_000, 20_000], random)) : pick(hostilePaths, random);
	return request(aim, aim.route.path.includes(":") ? pathOf(aim, part) : `${path}/${part}`, "", body);
}

/** The parameters that are not in the path. */
function namesElsewhere({ action, path }: ActionRoute): string[] {
	return Object.keys(action.params).filter((name) => !path.split("/").includes(`:${name}`));
}

function pathOf({ route, sessionId }: Aim, part?: string): string {
	const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => part ?? (name === "session_id" ? sessionId : "a"));
	return path.startsWith("//") ? path.slice(1) : `/api/v1/svc${path}`;
}

function request({ route, host, authorization }: Aim, path: string, query: string, body?: Buffer): Buffer {
	const lines = [`${route.method} ${path}${query === "" ? "" : `?${query}`} HTTP/1.1`, `Host: ${host}`];
	if (authorization !== undefined) lines.push(`Authorization: ${authorization}`);
	if (body) lines.push("Content-Type: application/json", `Content-Length: ${body.length}`);
	return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

function textFor(kind: Kind, random: Random): string {
	const text = kind in hostileValues ? pick(hostileValues[kind as keyof typeof hostileValues], random) : '"a"';
	return text.length > 100_000 && random() < 0.7 ? text.slice(0, 1_000) : text;
}

const emptyValues = new Map<string, unknown>([
	["boolean", true],
	["array", []],
	["record", {}],
]);

/** A value the rule takes; a name wherever a text is wanted. */
function sample(rule: Rule, aim: Aim): unknown {
	if (rule.type === "object") {
		return Object.fromEntries(Object.entries(rule.props).map(([name, field]) => [name, sample(field, aim)]));
	}
	if (rule.type === "number") return rule.min ?? 1;
	if (rule.type === "enum") return rule.values[0];
	if (rule.type === "uuid") return aim.sessionId;
	return emptyValues.get(rule.type) ?? "a";
}

function isNeeded(rule: Rule): boolean {
	return rule.optional !== true && !("default" in rule);
}

type UrlKind = (typeof urlKinds)[number];

function isUrlKind(kind: Kind): kind is UrlKind {
	return urlKinds.some((known) => known === kind);
}

function pick<T>(from: readonly T[], random: Random): T {
	const picked = from[Math.floor(random() * from.length)];
	if (picked === undefined) throw new RangeError("Nothing to pick from");
	return picked;
}

function keysOf<T extends object>(value: T): (keyof T)[] {
	return Object.keys(value) as (keyof T)[];
}
