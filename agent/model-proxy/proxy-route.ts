/** Which requests the proxy takes, and what of the provider they mean. Pure. */
import { type ModelWire, modelWires } from "#shared/models/model-wire.ts";

export interface ProxyRoute {
	wire: ModelWire;
	/** `call`: the model answers, which costs; `count`: tokens are counted, `list`: models are listed, which does not. */
	kind: "call" | "count" | "list";
	/** What follows the endpoint's URL, query included, without a key. */
	path: string;
	/** As the caller names it, where that is in the path. */
	model: string | undefined;
}

const modelName = "[\\w.-]+";
/** Paths by wire; a model in the path is the first group. Nothing else reaches the provider. */
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
 * Undefined: not one of them.
 * @param url As it stands in the request: path and query. Encoded or doubled slashes and dots match nothing.
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

/** Of a request that may be for none. */
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
