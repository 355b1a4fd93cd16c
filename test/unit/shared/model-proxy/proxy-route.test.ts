import { expect } from "chai";
import { proxyRoute, wireOf } from "#shared/model-proxy/proxy-route.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";

describe("proxyRoute()", () => {
	const taken: [method: string, url: string, kind: string, path: string, model?: string][] = [
		["POST", "/openai-chat/chat/completions", "call", "/chat/completions"],
		["POST", "/openai-responses/responses", "call", "/responses"],
		["POST", "/anthropic/v1/messages?beta=true", "call", "/v1/messages?beta=true"],
		["POST", "/anthropic/v1/messages/count_tokens", "count", "/v1/messages/count_tokens"],
		["POST", "/gemini/v1beta/models/g-1.5:generateContent", "call", "/v1beta/models/g-1.5:generateContent", "g-1.5"],
		[
			"POST",
			"/gemini/v1beta/models/g:streamGenerateContent?alt=sse&key=secret",
			"call",
			"/v1beta/models/g:streamGenerateContent?alt=sse",
			"g",
		],
		["POST", "/gemini/v1beta/models/g:countTokens", "count", "/v1beta/models/g:countTokens", "g"],
		["GET", "/openai-chat/models", "list", "/models"],
		["GET", "/anthropic/v1/models/claude-x", "list", "/v1/models/claude-x"],
	];
	for (const [method, url, kind, path, model] of taken) {
		it(`takes ${method} ${url}`, () => {
			expect(proxyRoute(method, url)).to.deep.equal({ wire: wireOf(url), kind, path, model });
		});
	}

	const refused: [method: string, url: string][] = [
		["POST", "/openai-chat/models"],
		["GET", "/openai-chat/chat/completions"],
		["PUT", "/anthropic/v1/messages"],
		["DELETE", "/openai-responses/responses"],
		["POST", "/openai-chat/embeddings"],
		["POST", "/openai-chat//chat/completions"],
		["POST", "/openai-chat/chat/completions/"],
		["POST", "/openai-chat/../openai-chat/chat/completions"],
		["POST", "/openai-chat/chat%2Fcompletions"],
		["POST", "/anthropic/v1/messages/batches"],
		["POST", "/gemini/v1beta/models/a/b:generateContent"],
		["POST", "/gemini/v1beta/models/g:embedContent"],
		["POST", "/other/chat/completions"],
		["POST", "/openai-chat"],
		["POST", ""],
	];
	for (const [method, url] of refused) {
		it(`takes no ${method} ${url || "without a path"}`, () => {
			expect(proxyRoute(method, url)).to.equal(undefined);
		});
	}
});

describe("wireOf()", () => {
	it("is the first segment of the path, where it names a wire", () => {
		for (const wire of modelWires) expect(wireOf(`/${wire}/anything`)).to.equal(wire);
		for (const url of ["/", "/anthropic", "/anthropics/x", "anthropic/x"]) expect(wireOf(url)).to.equal(undefined);
	});
});
