/** Makes requests from a contract's route by spoiling a valid one; the same seed gives the same requests. */
import type { ActionRoute } from "#services/gateway/routes/action-route.ts";
import type { Rule } from "#shared/base/schema/schema.ts";
import {
	brokenTexts,
	extras,
	hostileFraming,
	hostileHeaders,
	hostileHosts,
	hostileMethods,
	hostilePaths,
	hostileQueries,
	hostileTypes,
	hostileValues,
} from "./hostile-texts.ts";

/** The route and the valid values of a request. */
export interface Aim {
	readonly route: ActionRoute;
	/** The id of an existing session. */
	readonly sessionId: string;
	readonly host: string;
	readonly authorization?: string;
}

export interface HostileRequest {
	readonly kind: Kind;
	readonly bytes: Buffer;
}

/** Random numbers from 0 to 1 that a seed determines (mulberry32). */
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

const bodyKinds = ["missing", "extra", "invalid UTF-8", "broken JSON"] as const;
const urlKinds = ["repeated name", "encoded slash", "overlong path", "query trick"] as const;
const headKinds = ["header", "host and origin", "content type", "method", "framing"] as const;

export const kinds = [...keysOf(hostileValues), ...bodyKinds, ...urlKinds, ...headKinds];
export type Kind = (typeof kinds)[number];

/** The most characters of a text in the URL, so that the encoded head is not too long for Node. */
const maxUrlText = 4_000;

/** Yields requests of all kinds in rotation. */
export function* hostileRequests(aim: Aim, count: number, random: Random): Generator<HostileRequest> {
	for (let i = 0; i < count; i++) {
		const kind = kinds[i % kinds.length] ?? "missing";
		yield { kind, bytes: spoilt(aim, kind, random) };
	}
}

function spoilt(aim: Aim, kind: Kind, random: Random): Buffer {
	if (isAmong(urlKinds, kind)) return urlRequest(aim, kind, random);
	return isAmong(headKinds, kind) ? headRequest(aim, kind, random) : valueRequest(aim, kind, random);
}

/** The parameters that a kind of value is meant for, if there are such. */
const favourites: Partial<Record<Kind, readonly string[]>> = {
	"git URL": ["source", "repo", "branch"],
	shell: ["resource_config", "credential_names", "content"],
	path: ["template_name", "file", "base"],
};

function valueRequest(aim: Aim, kind: ValueKind, random: Random): Buffer {
	const names = namesElsewhere(aim.route);
	const aims = names.filter((known) => favourites[kind]?.includes(known) === true);
	const name = pick(aims.length > 0 ? aims : names.length > 0 ? names : ["anything"], random);
	if (aim.route.method !== "GET") return request(aim, pathOf(aim), "", bodyFor(aim, kind, name, random));
	return request(aim, pathOf(aim), `${name}=${encodeURIComponent(textFor(kind, random).slice(0, maxUrlText))}`);
}

/** Makes a valid body with one spoiled member. */
function bodyFor(aim: Aim, kind: ValueKind, name: string, random: Random): Buffer {
	if (kind === "broken JSON") return Buffer.from(pick(brokenTexts, random));
	const members = validMembers(aim);
	if (kind === "missing") members.delete(name);
	else if (kind === "invalid UTF-8") members.set(name, '"\u0001"');
	else if (kind !== "extra") members.set(name, textFor(kind, random));
	const more = kind === "extra" ? extras : '"__proto__":{"name":"a"}';
	const body = jsonOf(members, kind === "extra" || (kind === "prototype" && random() < 0.3) ? more : "");
	return kind === "invalid UTF-8" ? spoiled(body) : body;
}

/** Returns the required members as JSON texts by name. */
function validMembers(aim: Aim): Map<string, string> {
	const names = namesElsewhere(aim.route);
	const needed = Object.entries(aim.route.action.params).filter(
		([field, rule]) => names.includes(field) && isNeeded(rule),
	);
	return new Map(needed.map(([field, rule]) => [field, JSON.stringify(sample(rule, aim))]));
}

function jsonOf(members: ReadonlyMap<string, string>, more = ""): Buffer {
	const texts = [...members].map(([field, text]) => `${JSON.stringify(field)}:${text}`);
	return Buffer.from(`{${[...texts, ...(more === "" ? [] : [more])].join(",")}}`);
}

/** Replaces each control character 1 by a byte that no UTF-8 text contains. */
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

interface Head {
	method: string;
	host: string;
	/** The media type of the body; empty: none is sent. */
	type: string;
	readonly more: string[];
}

/** The ways to spoil a head. */
const headSpoilers: Record<Exclude<HeadKind, "framing">, (head: Head, random: Random) => void> = {
	header: ({ more }, random) => void more.push(pick(hostileHeaders, random)),
	"host and origin"(head, random) {
		const [host, origin] = pick(hostileHosts, random);
		if (origin === "") head.host = host;
		else head.more.push(`Origin: ${origin}`);
	},
	"content type"(head, random) {
		const [type, coding] = pick(hostileTypes, random);
		head.type = type;
		if (coding !== "") head.more.push(`Content-Encoding: ${coding}`);
	},
	method(head, random) {
		head.method = pick(hostileMethods, random);
	},
};

/** Makes a valid request except for its first line, one header, or the description of its body. */
function headRequest(aim: Aim, kind: HeadKind, random: Random): Buffer {
	if (kind === "framing") return framed(aim, pick(hostileFraming, random));
	const head: Head = { method: aim.route.method, host: aim.host, type: "application/json", more: [] };
	headSpoilers[kind](head, random);
	const body = aim.route.method === "GET" && kind !== "content type" ? undefined : jsonOf(validMembers(aim));
	const about = body ? [`Content-Length: ${body.length}`] : [];
	if (body && head.type !== "") about.push(`Content-Type: ${head.type}`);
	return written(aim, `${head.method} ${pathOf(aim)}`, [`Host: ${head.host}`, ...head.more, ...about], body);
}

function framed(aim: Aim, framing: string): Buffer {
	const lines = [`Host: ${aim.host}`, "Content-Type: application/json", framing];
	return written(aim, `${aim.route.method} ${pathOf(aim)}`, lines, Buffer.from("{}"));
}

function written(
	{ authorization }: Aim,
	line: string,
	lines: readonly string[],
	body: Buffer = Buffer.alloc(0),
): Buffer {
	const all = [
		`${line} HTTP/1.1`,
		...lines,
		...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
	];
	return Buffer.concat([Buffer.from(`${all.join("\r\n")}\r\n\r\n`), body]);
}

/** Returns the parameters that are not in the path. */
function namesElsewhere({ action, path }: ActionRoute): string[] {
	return Object.keys(action.params).filter((name) => !path.split("/").includes(`:${name}`));
}

function pathOf({ route, sessionId }: Aim, part?: string): string {
	const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => part ?? (name === "session_id" ? sessionId : "a"));
	return path.startsWith("//") ? path.slice(1) : `/api/v1/svc${path}`;
}

function request(aim: Aim, path: string, query: string, body?: Buffer): Buffer {
	const about = body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : [];
	const line = `${aim.route.method} ${path}${query === "" ? "" : `?${query}`}`;
	return written(aim, line, [`Host: ${aim.host}`, ...about], body);
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

/** Makes a value that the rule accepts; every text is a name. */
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
type HeadKind = (typeof headKinds)[number];
type ValueKind = Exclude<Kind, UrlKind | HeadKind>;

function isAmong<T extends string>(known: readonly T[], kind: string): kind is T {
	return known.some((name) => name === kind);
}

function pick<T>(from: readonly T[], random: Random): T {
	const picked = from[Math.floor(random() * from.length)];
	if (picked === undefined) throw new RangeError("Nothing to pick from");
	return picked;
}

function keysOf<T extends object>(value: T): (keyof T)[] {
	return Object.keys(value) as (keyof T)[];
}
