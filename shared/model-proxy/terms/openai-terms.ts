/** The terms of OpenAI's two formats in a session with a budget. */
import { any, isOff, isOne, isOneOf, isSwitch, isText, type PartTerm, type WireTerms } from "./wire-terms.ts";

/** The members of both formats. Other tiers have other prices. */
const common = {
	...any("model", "metadata", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_retention", "reasoning"),
	...any("safety_identifier", "stream_options", "temperature", "tool_choice", "top_logprobs", "top_p", "user"),
	...any("verbosity"),
	stream: isSwitch,
	service_tier: isOneOf("auto", "default"),
};
/** Azure requires this query. */
const query = /^$|^api-version=[\w.-]{1,40}$/;

export const chatTerms: WireTerms = {
	members: {
		...common,
		...any("messages", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "min_p"),
		...any("prediction", "presence_penalty", "reasoning_effort", "repetition_penalty", "response_format", "seed"),
		...any("stop", "top_k", "chat_template_kwargs", "enable_thinking", "thinking", "thinking_budget"),
		...any("max_tokens", "max_completion_tokens"),
		modalities: (value) => JSON.stringify(value) === '["text"]',
		n: isOne,
		store: isOff,
	},
	tool: (tool) => (isText(tool["type"], /^(?:function|custom)$/) ? tool : undefined),
	outputLimits: ({ max_tokens, max_completion_tokens }) => [max_tokens, max_completion_tokens],
	part,
	query,
};

export const responsesTerms: WireTerms = {
	members: {
		...common,
		...any("input", "instructions", "include", "max_tool_calls", "text", "truncation", "store", "client_metadata"),
		...any("previous_response_id", "conversation", "max_output_tokens"),
		// The usage of a background call is reported when nobody reads it any more.
		background: isOff,
	},
	tool: (tool) => (isText(tool["type"], /^(?:function|custom|local_shell|apply_patch)$/) ? tool : undefined),
	outputLimits: ({ max_output_tokens }) => [max_output_tokens],
	part: (value) => ("previous_response_id" in value || "conversation" in value ? "reference" : part(value)),
	query,
};

function part({ type }: Readonly<Record<string, unknown>>): PartTerm {
	if (type === "image_url" || type === "input_image") return "image";
	if (type === "file" || type === "input_file" || type === "item_reference") return "reference";
	// Sound has other prices.
	return type === "input_audio" || type === "audio" ? "refused" : "plain";
}
