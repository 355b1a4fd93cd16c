/**
 * The built-in agent with a model is a coding agent like any other.
 * Long: it starts the coding agent for each answer of a model.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinWires } from "#agent/builtin/model/model-settings.ts";
import { readAgentRecord } from "#agent/coding-agents/agent-record.ts";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { say, shell, turns } from "../support/model-server/script.ts";
import { openAgent } from "../support/agents/open-agent.ts";
import { describeCodingAgent } from "./coding-agent.contract.ts";

for (const wire of builtinWires) {
	describe(`the built-in agent with a model (${wire})`, () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-builtin-"));
		let server: ModelServer;
		before(async () => {
			const script = turns({
				hello: [say("hello")],
				endless: [shell("sleep 60")],
				deadly: [shell("kill -9 $PPID; sleep 5")],
			});
			server = await ModelServer.listen({ script });
		});
		after(async () => {
			await server[Symbol.asyncDispose]();
			rmSync(folder, { recursive: true });
		});

		describeCodingAgent("built-in, with a model", {
			async open() {
				const proxy = {
					token: server.key,
					url: (name: ModelWire) => (name === wire ? server.endpoints[wire] : undefined),
				};
				const reachable = { proxy, model: server.model, context_window: 128_000 };
				return openAgent(await readAgentRecord("builtin", { model: "", compile_cache: "", reachable }), folder);
			},
			hello: "hello",
			endless: "endless",
			deadly: "deadly",
		});
	});
}
