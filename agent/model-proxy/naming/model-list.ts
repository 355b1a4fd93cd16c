/** What callers are told when they ask which models there are: the session's, in the form of each wire. Pure. */
import type { ModelAccess, ModelWire } from "#shared/models/model-wire.ts";
import type { ProxyRoute } from "../proxy-route.ts";

/** Of which the agents of a session want nothing but that it is a time. */
const someTime = 0;

/** The list; where the path names a model, the session's, as any name means that one. */
export function modelList({ wire, path }: Pick<ProxyRoute, "wire" | "path">, access: ModelAccess): object {
	const one = entries[wire](access);
	if (/\/models\//.test(path)) return one;
	if (wire === "gemini") return { models: [one] };
	if (wire === "anthropic") return { data: [one], has_more: false, first_id: access.model, last_id: access.model };
	return { object: "list", data: [one] };
}

const entries: Record<ModelWire, (access: ModelAccess) => object> = {
	"openai-chat": openaiEntry,
	"openai-responses": openaiEntry,
	anthropic: ({ model }) => ({
		type: "model",
		id: model,
		display_name: model,
		created_at: new Date(someTime).toISOString(),
	}),
	gemini: ({ model, context_window }) => ({
		name: `models/${model}`,
		displayName: model,
		inputTokenLimit: context_window,
		supportedGenerationMethods: ["generateContent", "countTokens"],
	}),
};

function openaiEntry({ model, provider }: ModelAccess): object {
	return { id: model, object: "model", created: someTime, owned_by: provider };
}
