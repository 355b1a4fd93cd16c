/** Makes the client library of a model's wire format, which is loaded when a session has a model. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { after } from "#shared/base/clock.ts";
import type { BuiltinWire, ModelSettings } from "./model-settings.ts";

/** @param fetch Makes the request, so that the caller can watch the response. */
export type ModelMaker = (settings: ModelSettings, fetch: typeof globalThis.fetch) => Promise<LanguageModelV4>;

const makers: Readonly<Record<BuiltinWire, ModelMaker>> = {
	async "openai-chat"({ model, url, token }, fetch) {
		const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
		return createOpenAICompatible({ name: "model", baseURL: url, apiKey: token, includeUsage: true, fetch })(model);
	},
	async anthropic({ model, url, token }, fetch) {
		const { createAnthropic } = await import("@ai-sdk/anthropic");
		return createAnthropic({ baseURL: `${url}/v1`, apiKey: token, fetch })(model);
	},
};

export const makeModel: ModelMaker = (settings, fetch) => makers[settings.wire](settings, fetch);

/** Loads what the first call will need, after the requests that are under way have been answered. */
export function warmUp(settings: ModelSettings): void {
	after(0, () => {
		// A library that cannot be loaded is reported by the first call.
		makeModel(settings, fetch).catch(() => {});
	});
}
