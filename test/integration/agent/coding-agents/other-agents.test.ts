/** Pods with a coding agent other than the built-in one that cannot be started. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { readAgentRecord } from "#shared/wire/agents/agent-records.ts";
import { TestPod, TestSession } from "../../../support/pods/test-pod.ts";

describe("a pod with an agent that cannot be started", () => {
	async function failureOf(session: TestSession, changes: Partial<LaunchDocument>): Promise<unknown> {
		const pod = new TestPod(session.launch(changes));
		const { failure } = await pod.phase("failed");
		expect(await pod.ended()).to.equal(1);
		return failure;
	}

	it("names everything that is missing at once: the key, the format, and the command that installs it", async () => {
		await using session = new TestSession();
		const agents = join(session.folder, "agents");
		const reason = 'Model "m1" cannot be used: M_KEY is not set where the platform was started';
		const message = [
			reason,
			'The coding agent "gemini" speaks gemini; model "m1" speaks anthropic',
			`The coding agent "gemini" is not installed; install it with: DATA_DIR=${session.folder} npm run agents -- install gemini`,
		].join(". ");
		const model_refusal = { model: "m1", reason, wires: ["anthropic" as const] };
		expect(await failureOf(session, { agent: "gemini", model: "m1", agents, model_refusal })).to.deep.equal({
			code: "AGENT_START_FAILED",
			message,
		});
	});

	it("says that it needs a model", async () => {
		await using session = new TestSession();
		const agents = join(session.folder, "agents");
		mkdirSync(join(agents, "gemini"), { recursive: true });
		const version = readAgentRecord("gemini").install?.version;
		writeFileSync(join(agents, "gemini", "installed.json"), JSON.stringify({ version }));
		const message =
			'The coding agent "gemini" needs a model, and the session has none: name one whose provider\'s key is set';
		expect(await failureOf(session, { agent: "gemini", agents })).to.deep.equal({
			code: "AGENT_START_FAILED",
			message,
		});
		const access = {
			provider: "p",
			location: "cloud" as const,
			model: "m1",
			endpoints: { anthropic: "http://127.0.0.1:9" },
			key: "k",
			context_window: 1_024,
		};
		expect(await failureOf(session, { agent: "gemini", agents, model_access: access })).to.have.property(
			"message",
			'The coding agent "gemini" speaks gemini; model "m1" speaks anthropic',
		);
	});
});
