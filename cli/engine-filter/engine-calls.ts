/** The calls of an engine that the filter lets through, a row each. Everything else ends with 403. */
import { isPlatformsName } from "./container-rules.ts";

/** A row: the method, the path after the version, and the parameters that may be given with the form of their values. */
type CallRule = readonly [method: string, path: RegExp, query?: Readonly<Record<string, RegExp>>];

const yes = /^(1|true)$/;
const count = /^\d{1,4}$/;
const filters = /^[\s\S]{1,2000}$/;
const containerName = /^[a-z0-9-]{1,100}$/;
const creation = /^\/containers\/create$/;

const calls: readonly CallRule[] = [
	["GET", /^\/_ping$/],
	["GET", /^\/info$/],
	["GET", /^\/images\/[\w.:@/-]+\/json$/],
	["GET", /^\/events$/, { filters, since: /^\d{1,10}(\.\d{1,9})?$/ }],
	["GET", /^\/containers\/json$/, { all: yes, filters }],
	["POST", creation, { name: containerName }],
	["GET", /^\/containers\/([\w-]+)\/json$/],
	["GET", /^\/containers\/([\w-]+)\/logs$/, { stdout: yes, stderr: yes, tail: count }],
	["POST", /^\/containers\/([\w-]+)\/start$/],
	["POST", /^\/containers\/([\w-]+)\/stop$/, { t: count }],
	["POST", /^\/containers\/([\w-]+)\/wait$/],
	["DELETE", /^\/containers\/([\w-]+)$/, { v: yes }],
];

/** A call that may be passed on. */
export interface PermittedCall {
	/** The path and the parameters as they are sent. */
	readonly target: string;
	/** The name of the container that the call creates; undefined for every other call, which has no body. */
	readonly creates: string | undefined;
	/** The name of the container that the call is about; undefined for a creation and for calls about none. */
	readonly about: string | undefined;
}

/**
 * Returns the call as it may be passed on; undefined when it may not be.
 * @param target The request's path with its parameters. @param installation The platform's name in labels.
 */
export function permittedCall(method: string, target: string, installation: string): PermittedCall | undefined {
	const asked = askedBy(target);
	const rule = asked && ruleOf(method, asked.path);
	if (!rule) return undefined;
	const { version, path, query } = asked;
	const [, form, forms = {}] = rule;
	const container = form === creation ? (query.get("name") ?? "") : form.exec(path)?.[1];
	if (!hasOnly(query, forms, installation) || !isNoOthers(container)) return undefined;
	const passed = `/${version}${path}?${query.toString()}`;
	return form === creation
		? { target: passed, creates: container, about: undefined }
		: { target: passed, creates: undefined, about: container };
}

/** Whether a call that names a container names one of the platform's. */
function isNoOthers(container: string | undefined): boolean {
	return container === undefined || isPlatformsName(container);
}

function ruleOf(method: string, path: string): CallRule | undefined {
	return calls.find(([one, form]) => one === method && form.test(path));
}

/** Reads one form of a path only: the engine understands encoded ones, too. */
function askedBy(target: string): { version: string; path: string; query: URLSearchParams } | undefined {
	const [, version, path, search = ""] = /^\/(v1\.\d{1,3})((?:\/[\w.:@-]+)+)(?:\?(.*))?$/.exec(target) ?? [];
	if (version === undefined || path === undefined) return undefined;
	return { version, path, query: new URLSearchParams(search) };
}

function hasOnly(query: URLSearchParams, forms: Readonly<Record<string, RegExp>>, installation: string): boolean {
	// The platform does not have to know about containers of others.
	if ("filters" in forms && !asksForOwn(query.get("filters") ?? "", installation)) return false;
	return [...query].every(([name, value]) => {
		const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
		return form?.test(value) === true && query.getAll(name).length === 1;
	});
}

/** Whether the engine will tell of containers of this installation only. All labels of a filter have to be there. */
function asksForOwn(filter: string, installation: string): boolean {
	try {
		const { label } = JSON.parse(filter) as { label?: unknown };
		return Array.isArray(label) && label.includes(`atelier.installation=${installation}`);
	} catch {
		return false;
	}
}
