/** The session's model is called, billed and listed, whichever model a caller of the proxy names. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import { type ModelWire, modelWires } from "#shared/wire/models/model-wire.ts";
import { jsonOf } from "../../../support/model-server/model-request.ts";
import { askModel, userMessage } from "../../../support/model-server/simple-caller.ts";
import { ProxiedModel } from "../../../support/agents/open-proxy.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../../support/machine/loopback-server.ts";

const hello = (): { text: string } => ({ text: "hello" });
const asked = userMessage("hi");
const callPaths = {
	"openai-chat": "/chat/completions",
	"openai-responses": "/responses",
	anthropic: "/v1/messages",
} as const;

describe("model proxy: the session's model", () => {
	for (const isLimited of [false, true]) {
		it(`is called for any named model, ${isLimited ? "with" : "without"} a budget, which is logged once`, async () => {
			const paid: string[] = [];
			await using model = await ProxiedModel.open(hello, {
				isLimited: () => isLimited,
				admit: async (call) => void paid.push(call.model),
			});
			const names = ["gpt-4o", "gpt-4o", model.server.model];
			for (const wire of modelWires) {
				for (const isStreaming of [true, false]) {
					for (const name of names) {
						const { text } = await askModel({ ...model.access, model: name }, wire, { ...asked, isStreaming });
						expect(text, `${wire} ${name}`).to.equal("hello");
					}
				}
			}
			const all = Array.from({ length: 24 }, () => "scripted-1");
			expect(model.server.billed.calls.map((call) => call.model)).to.deep.equal(all);
			expect(paid).to.deep.equal(all);
			expect(model.metered.map((call) => call.model)).to.deep.equal(all);
			expect(model.counts).to.deep.equal(model.server.billed.total);
			expect(model.logged).to.deep.equal(['Calls of "gpt-4o" are calls of the session\'s model "scripted-1"']);
		});
	}

	it("also counts tokens", async () => {
		await using provider = await Recorder.listen();
		await using model = await ProxiedModel.open(hello, provider.options);
		const { endpoints } = model.access;
		await post(model, `${endpoints.anthropic}/v1/messages/count_tokens`, '{"model":"other","messages":[]}');
		await post(model, `${endpoints.gemini}/v1beta/models/models:countTokens?alt=json`, '{"contents":[]}');
		expect(provider.heard).to.deep.equal([
			{ path: "/v1/messages/count_tokens", text: '{"model":"scripted-1","messages":[]}' },
			{ path: "/v1beta/models/scripted-1:countTokens?alt=json", text: '{"contents":[]}' },
		]);
	});

	it("is the only listed model, and the answer to each look-up", async () => {
		await using model = await ProxiedModel.open(hello);
		const lists: Record<ModelWire, string> = {
			"openai-chat": "/models",
			"openai-responses": "/models",
			anthropic: "/v1/models",
			gemini: "/v1beta/models",
		};
		for (const wire of modelWires) {
			const url = `${model.access.endpoints[wire]}${lists[wire]}`;
			const headers = { authorization: `Bearer ${model.access.key}` };
			const list = jsonOf(await (await fetch(`${url}?limit=10`, { headers })).json());
			const named = [list["data"] ?? list["models"]].flat().map((one) => jsonOf(one)["id"] ?? jsonOf(one)["name"]);
			const own = wire === "gemini" ? "models/scripted-1" : "scripted-1";
			expect(named, wire).to.deep.equal([own]);
			const one = jsonOf(await (await fetch(`${url}/gpt-4o`, { headers })).json());
			expect(one["id"] ?? one["name"], wire).to.equal(own);
		}
	});

	it("gets the caller's bytes unchanged if it is the named model", async () => {
		await using provider = await Recorder.listen();
		await using model = await ProxiedModel.open(hello, provider.options);
		const tools = '[{"name":"task","input_schema":{"properties":{"model":{"const":"\\u006d"}}}}]';
		const written = `{ "tools":${tools},"model" : "scripted-1", "messages":[],"odd":1.0 }`;
		await post(model, `${model.access.endpoints.anthropic}/v1/messages`, written);
		expect(provider.heard).to.deep.equal([{ path: "/v1/messages", text: written }]);
	});

	it("is called when two models are named, of which the provider may read the other one", async () => {
		await using provider = await Recorder.listen();
		await using model = await ProxiedModel.open(hello, provider.options);
		for (const first of ['"model"', '"mod\\u0065l"', '"\\u006dodel"']) {
			const body = `{${first}:"other","messages":[],"model":"scripted-1"}`;
			await post(model, `${model.access.endpoints.anthropic}/v1/messages`, body);
		}
		const sent = provider.heard.map(({ text }) => text);
		expect(sent).to.deep.equal(Array(3).fill('{"model":"scripted-1","messages":[]}'));
	});

	it("has no fallback models, and a call without a model is refused", async () => {
		await using model = await ProxiedModel.open(hello);
		const url = `${model.access.endpoints["openai-chat"]}/chat/completions`;
		for (const further of ["models", "fallbacks"]) {
			const answer = await post(model, url, JSON.stringify({ model: "scripted-1", [further]: ["other"] }));
			expect(answer.status).to.equal(400);
			expect(jsonOf(jsonOf(await answer.json())["error"])["message"]).to.equal(
				`A call is of the session's model alone, without "${further}"`,
			);
		}
		for (const body of ["{}", '{"model":""}', '{"model":["scripted-1"]}']) {
			expect((await post(model, url, body)).status, body).to.equal(400);
		}
		expect(model.server.requests).to.deep.equal([]);
	});

	it("cannot be named by another spelling, because some providers ignore the case", async () => {
		await using model = await ProxiedModel.open(hello);
		for (const wire of ["openai-chat", "openai-responses", "anthropic"] as const) {
			for (const other of ["Model", "MODEL", "Models", "Fallbac\u212As"]) {
				const body = JSON.stringify({ model: "scripted-1", messages: [], [other]: "other" });
				const answer = await post(model, `${model.access.endpoints[wire]}${callPaths[wire]}`, body);
				expect(answer.status, `${wire} ${other}`).to.equal(400);
				expect(await answer.text(), `${wire} ${other}`).to.include(`without \\"${other}\\"`);
			}
		}
		expect(model.server.requests).to.deep.equal([]);
	});

	it("cannot call another model as a tool of the provider", async () => {
		await using provider = await Recorder.listen();
		await using model = await ProxiedModel.open(hello, provider.options);
		const url = `${model.access.endpoints.anthropic}${callPaths.anthropic}`;
		const ask = (tools: unknown) => post(model, url, JSON.stringify({ model: "scripted-1", messages: [], tools }));
		const advisor = { type: "advisor_20260301", name: "advisor", model: "claude-opus-4-6" };
		for (const tools of [[{ name: "own", input_schema: {} }, advisor], advisor]) {
			const answer = await ask(tools);
			expect(answer.status).to.equal(400);
			expect(await answer.text()).to.include("A call is of the session's model alone, without a tool");
		}
		expect(provider.heard).to.deep.equal([]);
		const own = { name: "own", input_schema: { properties: { model: { type: "string" } } } };
		expect((await ask([own])).status).to.equal(200);
	});

	it("is logged for at most 20 names, each cut short", async () => {
		await using model = await ProxiedModel.open(hello);
		for (let n = 0; n < 30; n++) {
			const name = `${n}\n${"x".repeat(10_000)}`;
			expect((await askModel({ ...model.access, model: name }, "openai-chat", asked)).status).to.equal(200);
		}
		const said = model.logged;
		expect(said).to.have.lengthOf(20);
		expect(said[0]).to.match(/^Calls of "0\\nx{98}" are calls/);
	});
});

function post(model: ProxiedModel, url: string, body: string): Promise<Response> {
	return fetch(url, { method: "POST", headers: { authorization: `Bearer ${model.access.key}` }, body });
}

/** A provider that stores the received bytes. */
class Recorder implements AsyncDisposable {
	readonly heard: { path: string; text: string }[] = [];
	readonly #server = createServer((request, response) => {
		void text(request).then((body) => {
			this.heard.push({ path: request.url ?? "", text: body });
			response.writeHead(200, { "content-type": "application/json" }).end("{}");
		});
	});

	static async listen(): Promise<Recorder> {
		const recorder = new Recorder();
		await listenOnLoopback(recorder.#server);
		return recorder;
	}

	get options(): Pick<ModelCallsDependencies, "access"> {
		const url = loopbackUrl(this.#server);
		const own = { provider: "recorder", location: "cloud", model: "scripted-1", key: "" } as const;
		return { access: { ...own, endpoints: { anthropic: url, gemini: url }, context_window: 1_000 } };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}
}
