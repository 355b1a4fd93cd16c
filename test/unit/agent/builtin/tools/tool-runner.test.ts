import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect } from "chai";
import type { AcpClient } from "#agent/builtin/acp-client.ts";
import { bash } from "#agent/builtin/tools/bash.ts";
import { ToolPermissions } from "#agent/builtin/tools/tool-permissions.ts";
import type { Tool, ToolStage } from "#agent/builtin/tools/tool.ts";
import { ToolRunner } from "#agent/builtin/tools/tool-runner.ts";

const allowed = { outcome: { outcome: "selected", optionId: "allow_once" } };

describe("ToolRunner", () => {
	const updates: SessionUpdate[] = [];
	beforeEach(() => updates.splice(0));

	function runnerWith(requestPermission: AcpClient["requestPermission"]): ToolRunner {
		const client = {
			update: (update: SessionUpdate) => void updates.push(update),
			requestPermission,
			showsNotices: false,
		};
		return new ToolRunner({ folder: "/", client, permissions: new ToolPermissions(client), contextWindow: 8_000 });
	}

	function tool(run: (stage: ToolStage) => Promise<{ text: string }>): Tool {
		const shown = { title: "Try", kind: "other" } as const;
		return {
			name: "try",
			description: "",
			inputSchema: {},
			prepare: () => ({ shown, permission: { key: "try", always: "Always" }, run }),
		};
	}

	const call = { id: "1", name: "try", input: "{}" };

	it("begins nothing after a cancellation, even right after the permission", async () => {
		let ran = 0;
		for (let ticks = 0; ticks < 30; ticks++) {
			const cancel = new AbortController();
			const runner = runnerWith(() => {
				let left = ticks;
				const count = (): void => (left-- > 0 ? queueMicrotask(count) : cancel.abort());
				count();
				return Promise.resolve(allowed);
			});
			const begins = tool(async ({ signal }) => {
				expect(signal.aborted, `after ${ticks} ticks`).to.equal(false);
				ran++;
				return { text: "done" };
			});
			const { part } = await runner.run(call, [begins], cancel.signal);
			if (part.output.type === "error-text") expect(part.output.value).to.equal("Cancelled by the user");
		}
		expect(ran, "control").to.be.within(1, 29);
	});

	it("abandons a call that ignores its cancellation, and shows nothing more of it", async () => {
		const cancel = new AbortController();
		let stage: ToolStage | undefined;
		const deaf = tool((given) => {
			stage = given;
			cancel.abort();
			return new Promise(() => {});
		});
		const { part } = await runnerWith(async () => allowed).run(call, [deaf], cancel.signal);
		expect(part.output).to.deep.equal({ type: "error-text", value: "Cancelled by the user" });
		const shown = updates.length;
		stage?.show([]);
		expect(updates).to.have.length(shown);
	});

	it("asks nobody any more when the turn is cancelled already", async () => {
		const never = tool(() => Promise.reject(new Error("ran")));
		const { part } = await runnerWith(() => new Promise(() => {})).run(call, [never], AbortSignal.abort());
		expect(part.output).to.deep.equal({ type: "error-text", value: "Cancelled by the user" });
	});

	it("treats a client that cannot be asked as a refusal", async () => {
		const never = tool(() => Promise.reject(new Error("ran")));
		const { part } = await runnerWith(() => Promise.reject(new Error("no such method"))).run(
			call,
			[never],
			new AbortController().signal,
		);
		expect(JSON.stringify(part.output)).to.contain("did not permit");
	});

	it("tells the model about an unknown tool or an unreadable command", async () => {
		const { signal } = new AbortController();
		const runner = runnerWith(() => Promise.reject(new Error("asked")));
		const wrong = await runner.run({ ...call, name: "absent" }, [bash], signal);
		expect(wrong.part.output).to.deep.equal({ type: "error-text", value: 'There is no tool "absent"; there are bash' });
		const input = JSON.stringify({ command: `true ${"#".repeat(70_000)}` });
		const long = await runner.run({ id: "2", name: "bash", input }, [bash], signal);
		expect(JSON.stringify(long.part.output)).to.contain("A command has at most 65536 characters");
	});
});
