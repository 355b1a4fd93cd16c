/** Answers the question which models there are: only the session's model, in the form of each wire format. Pure. */
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";
import type { ProxyRoute } from "../proxy-route.ts";

/** The agents need a time of creation but do not use it. */
const someTime = 0;

/** Returns the list, or the session's model when the path names a model, as any name means that model. */
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
