/** Recognises the requests that the proxy accepts. Pure. */
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";

/** A request in the terms of its provider. */
export interface ProxyRoute {
	wire: ModelWire;
	/** `call`: the model answers, which costs. `count`: tokens are counted; `list`: models are listed; both are free. */
	kind: "call" | "count" | "list";
	/** The path after the endpoint's URL, with its query, without a key. */
	path: string;
	/** The model that the caller names in the path; undefined when the path names none. */
	model: string | undefined;
}

const modelName = "[\\w.-]+";
/** The only paths that reach the provider, by wire format; the first group is a model in the path. */
const paths: Record<ModelWire, Record<ProxyRoute["kind"], RegExp>> = {
	"openai-chat": { call: /^\/chat\/completions$/, count: none(), list: /^\/models(?:\/[\w.:-]+)?$/ },
	"openai-responses": { call: /^\/responses$/, count: none(), list: /^\/models(?:\/[\w.:-]+)?$/ },
	anthropic: {
		call: /^\/v1\/messages$/,
		count: /^\/v1\/messages\/count_tokens$/,
		list: /^\/v1\/models(?:\/[\w.-]+)?$/,
	},
	gemini: {
		call: new RegExp(`^/v1beta/models/(${modelName}):(?:generateContent|streamGenerateContent)$`),
		count: new RegExp(`^/v1beta/models/(${modelName}):countTokens$`),
		list: new RegExp(`^/v1beta/models(?:/${modelName})?$`),
	},
};

/**
 * Returns undefined for a request that is not accepted.
 * @param url The path and query of the request. Encoded or doubled slashes and dots match nothing.
 */
export function proxyRoute(method: string, url: string): ProxyRoute | undefined {
	const [path = "", query = ""] = url.split("?", 2);
	const wire = modelWires.find((name) => path.startsWith(`/${name}/`));
	if (!wire) return undefined;
	const own = path.slice(wire.length + 1);
	const kinds = method === "GET" ? (["list"] as const) : (["call", "count"] as const);
	const kind = (method === "GET" || method === "POST") && kinds.find((one) => paths[wire][one].test(own));
	if (!kind) return undefined;
	const params = withoutKey(query);
	return { wire, kind, path: params === "" ? own : `${own}?${params}`, model: paths[wire][kind].exec(own)?.[1] };
}

/** Returns the wire format of a request, which may not be an accepted one. */
export function wireOf(url: string): ModelWire | undefined {
	return modelWires.find((name) => url.startsWith(`/${name}/`));
}

function withoutKey(query: string): string {
	const params = new URLSearchParams(query);
	params.delete("key");
	return params.toString();
}

function none(): RegExp {
	return /(?!)/;
}
