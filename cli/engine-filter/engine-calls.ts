/** The calls of an engine that the filter lets through, a row each. Everything else ends with 403. */
import { namedContainer } from "./container-names.ts";
import type { FilteredPlatform } from "./container-rules.ts";
import { type Json, listOf, objectOf, oneOf, refuse, type Rule, textThat } from "./json-rules.ts";
import { strictJson } from "./strict-json.ts";

/** A row: the method, the path after the version, and the parameters that may be given with the form of their values. */
type CallRule = readonly [method: string, path: RegExp, query?: Readonly<Record<string, RegExp>>];

/** The only version of the engine's interface whose members the rules know. */
export const version = "/v1.41";
const yes = /^(1|true)$/;
const count = /^\d{1,4}$/;
const filters = /^[\s\S]{1,2000}$/;
const creation = /^\/containers\/create$/;
const renaming = /^\/containers\/([\w-]+)\/rename$/;
const image = /^\/images\/([\w.:@/-]+)\/json$/;
/** Calls that are answered when something happens. */
const lasting = /^\/events$|\/wait$/;

const calls: readonly CallRule[] = [
	["GET", /^\/_ping$/],
	["GET", /^\/info$/],
	["GET", image],
	["GET", /^\/events$/, { filters }],
	["GET", /^\/containers\/json$/, { all: yes, filters }],
	["POST", creation, { name: /^[a-z0-9-]{1,100}$/ }],
	["GET", /^\/containers\/([\w-]+)\/json$/],
	["GET", /^\/containers\/([\w-]+)\/logs$/, { stdout: yes, stderr: yes, tail: count }],
	["POST", /^\/containers\/([\w-]+)\/start$/],
	["POST", /^\/containers\/([\w-]+)\/stop$/, { t: count }],
	["POST", /^\/containers\/([\w-]+)\/wait$/],
	["POST", renaming, { name: /^[a-z0-9-]{1,100}$/ }],
	["DELETE", /^\/containers\/([\w-]+)$/, { v: yes }],
];

/** A call that may be passed on. */
export interface PermittedCall {
	/** The path after the version, in which `container` is to be replaced by its id. */
	readonly path: string;
	/** The parameters with their question mark; empty without any. */
	readonly search: string;
	/** The name of the container that the call creates; undefined for every other call, which has no body. */
	readonly creates: string | undefined;
	/** The name of the container that the call is about, which has to be the platform's. */
	readonly container: string | undefined;
	/** Whether the answer may take as long as containers live. */
	readonly isLasting: boolean;
	/** The seconds that the engine waits by itself before it answers. */
	readonly waits: number;
}

/**
 * Returns the call as it may be passed on; undefined when it may not be.
 * @param target The request's path with its parameters. @throws {ForbiddenValue} for a parameter.
 */
export function permittedCall(method: string, target: string, platform: FilteredPlatform): PermittedCall | undefined {
	const asked = askedBy(target);
	const rule = asked && calls.find(([one, form]) => one === method && form.test(asked.path));
	if (!rule) return undefined;
	const { path } = asked;
	const [, form, forms = {}] = rule;
	const query = passedOn(asked.query, forms, platform.installation);
	const subject = form.exec(path)?.[1];
	if (form === image) return isOffered(subject, platform) ? callOf(path, query) : undefined;
	if (form === renaming) return renamingOf(path, query, subject);
	return ownCall({
		...callOf(path, query),
		creates: form === creation ? nameIn(query) : undefined,
		container: subject,
	});
}

function ownCall(call: PermittedCall): PermittedCall | undefined {
	return isOwnOrNone(call.container) && isOwnOrNone(call.creates) ? call : undefined;
}

function callOf(path: string, query: URLSearchParams): PermittedCall {
	const search = query.size === 0 ? "" : `?${query.toString()}`;
	const waits = Number(query.get("t"));
	return { path, search, creates: undefined, container: undefined, isLasting: lasting.test(path), waits };
}

/** An engine would invent a name that is not given. */
function nameIn(query: URLSearchParams): string {
	return query.get("name") ?? "";
}

/** The only change of a name: a container that waits gets that of a session's. */
function renamingOf(path: string, query: URLSearchParams, container = ""): PermittedCall | undefined {
	const [own, other] = [container, nameIn(query)].map((name) => namedContainer(name)?.kind);
	return own === "warm" && other === "session" ? { ...callOf(path, query), container } : undefined;
}

function isOffered(image: string | undefined, { images }: FilteredPlatform): boolean {
	return image !== undefined && images.includes(image);
}

/** Returns the target of a call as it is sent. @param id The id of its container, which names no other one later. */
export function targetOf({ path, search, container }: PermittedCall, id?: string): string {
	return `${version}${container === undefined || id === undefined ? path : path.replace(container, id)}${search}`;
}

function isOwnOrNone(name: string | undefined): boolean {
	return name === undefined || namedContainer(name) !== undefined;
}

/** Reads one form of a path only: the engine understands encoded ones, too. No row has a name with dots but those of images. */
function askedBy(target: string): { path: string; query: URLSearchParams } | undefined {
	const [, path, search = ""] = /^\/v1\.41((?:\/[\w.:@-]+)+)(?:\?(.*))?$/.exec(target) ?? [];
	return path === undefined ? undefined : { path, query: new URLSearchParams(search) };
}

function passedOn(query: URLSearchParams, forms: Readonly<Record<string, RegExp>>, installation: string) {
	// The platform does not have to know about containers of others.
	if ("filters" in forms && !query.has("filters")) refuse("the parameter filters");
	const passed = new URLSearchParams();
	for (const [name, value] of query) {
		const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
		if (form?.test(value) !== true || passed.has(name)) refuse(`the parameter ${name.slice(0, 40)}`);
		passed.set(name, name === "filters" ? ownFilters(value, installation) : value);
	}
	return passed;
}

/** Filters with which the engine tells of this installation only: all labels of a filter have to be there. */
function ownFilters(value: string, installation: string): string {
	const label = textThat((one) => /^atelier\.[a-z]+(=[\w.-]*)?$/.test(one));
	const sessionPrefix = textThat((one) => /^session-[0-9a-f-]{36}-g$/.test(one));
	const rule: Rule = objectOf(
		{ label: listOf(label, 4) },
		{
			name: listOf(sessionPrefix, 1),
			type: listOf(oneOf(["container"]), 1),
			status: listOf(oneOf(["created", "running", "paused", "restarting", "removing", "exited", "dead"]), 7),
		},
	);
	const passed = rule(jsonIn(value), "the parameter filters") as { label: Json[] };
	if (!passed.label.includes(`atelier.installation=${installation}`)) refuse("the parameter filters.label");
	return JSON.stringify(passed);
}

function jsonIn(value: string): Json {
	try {
		return strictJson(Buffer.from(value));
	} catch {
		return refuse("the parameter filters");
	}
}
