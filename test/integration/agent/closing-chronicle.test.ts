/**
 * The chronicle at the end of a pod: it has the agent's words, checked against git, and is never late.
 * Long: it waits 15 s for an agent that never answers.
 */
import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { totalTokens } from "#shared/wire/models/token-counts.ts";
import { eventually } from "../../support/eventually.ts";
import { agentTree } from "../../support/agents/agent-tree.ts";
import { PlatformListener } from "../../support/platform/platform-listener.ts";
import type { Script } from "../../support/model-server/answer.ts";
import type { ModelRequest } from "../../support/model-server/model-request.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { runCommand } from "../../support/model-server/offered-tools.ts";
import { edit, say, turns } from "../../support/model-server/script.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

/** The bound that the platform promises for a stop. */
const stopMs = 20_000;

const said = {
	summary: "A file was written.",
	key_changes: ["notes.md has its first line"],
	unfinished_work: "The second line",
};

function isQuestion({ items }: ModelRequest): boolean {
	return items.some(({ role, text }) => role === "user" && text.includes("The session ends now"));
}

describe("chronicle at the end of a pod", function () {
	this.timeout(60_000);

	/** A pod with the built-in agent and a model whose last answer is `closing`. */
	async function open(session: TestSession, closing: Script, more: Partial<LaunchDocument> = {}) {
		const platform = await PlatformListener.listen();
		const work = turns({
			write: [edit(join(session.workspace, "notes.md"), "first\n"), say("Written.\nAnd more.")],
			talk: [say("Nothing to do.")],
			hang: [say("…", { fault: { kind: "stall" } })],
		});
		const model = await ModelServer.listen({
			script: (request) => (isQuestion(request) ? closing(request) : work(request)),
		});
		const launch = { platform_url: platform.url, model: model.model, model_access: model.access(), ...more };
		const pod = await session.start(launch);
		const disposing = {
			platform,
			model,
			pod,
			questions: () => model.requests.filter(isQuestion).length,
			async [Symbol.asyncDispose]() {
				await pod.kill().catch(() => {});
				await model[Symbol.asyncDispose]();
				await platform[Symbol.asyncDispose]();
			},
		};
		return disposing;
	}

	async function timeToStop(pod: { stop(): Promise<number | null> }): Promise<number> {
		const since = performance.now();
		expect(await pod.stop()).to.equal(0);
		const ms = Math.round(performance.now() - since);
		console.log(`      ended within ${ms} ms`);
		return ms;
	}

	it("has the agent's words, and the question appears nowhere", async () => {
		await using session = new TestSession();
		await using scene = await open(session, () => ({
			text: `Here it is:\n\`\`\`json\n${JSON.stringify(said)}\n\`\`\``,
		}));
		const { platform, model, pod, questions } = scene;
		await pod.ask("write");
		const billed = totalTokens(model.billed.total);
		await timeToStop(pod);
		expect(questions()).to.be.at.least(1);
		const [chronicle, ...others] = platform.chronicles;
		expect(others).to.deep.equal([]);
		expect(chronicle).to.deep.include(said);
		expect(chronicle?.duration_seconds).to.be.within(0, 60);
		expect(JSON.stringify(platform.turns)).to.not.include("session ends now");
		expect(JSON.stringify([platform.timeline, platform.events]))
			.to.not.include("session ends now")
			.and.to.not.include("file was written");
		expect(readFileSync(join(pod.launch.state, "conversation.jsonl"), "utf8")).to.not.include("session ends now");
		const afterTurn = platform.activities.filter(({ metadata }) => metadata["turn_count"] !== 0);
		expect(afterTurn.map(({ state }) => state)).to.not.include("active");
		expect(platform.timeline.map(({ type, label }) => `${type} ${label}`)).to.deep.equal([
			"session Session started",
			"file notes.md",
			"message Written.",
		]);
		expect(platform.timeline.at(-1)?.tokens, "tokens of the turn").to.equal(billed);
		const stop = platform.events.at(-1);
		expect(totalTokens(model.billed.total), "the question was billed").to.be.above(billed);
		expect([stop?.event_type, stop?.data]).to.deep.equal([
			"session_stop",
			{ reason: "stopped", total_tokens: totalTokens(model.billed.total) },
		]);
	});

	it("adds the changes that the agent omits, and drops its changes when nothing has changed", async () => {
		await using session = new TestSession();
		const closing: Script = () => ({ text: JSON.stringify({ summary: "Done", key_changes: ["rewrote the parser"] }) });
		await using scene = await open(session, closing);
		await scene.pod.ask("write");
		await timeToStop(scene.pod);
		expect(scene.platform.chronicles[0]?.key_changes).to.deep.equal(["rewrote the parser", "Also changed: notes.md"]);

		await using other = new TestSession();
		await using idle = await open(other, closing);
		await idle.pod.ask("talk");
		await timeToStop(idle.pod);
		expect(idle.platform.chronicles).to.have.length(1);
		expect(idle.platform.chronicles[0]).to.deep.include({ summary: "Done", key_changes: [] });
	});

	for (const permission_mode of ["auto", "ask"] as const) {
		it(`permits nothing and asks nobody (policy "${permission_mode}")`, async () => {
			await using session = new TestSession();
			const script: Script = ({ items, tools }) =>
				items.at(-1)?.role === "tool" ? { text: JSON.stringify(said) } : { calls: [runCommand(tools, "touch evil")] };
			await using scene = await open(session, script, { permission_mode });
			await scene.pod.ask("talk");
			await timeToStop(scene.pod);
			expect(scene.platform.chronicles[0]?.summary).to.equal(said.summary);
			expect(existsSync(join(session.workspace, "evil"))).to.equal(false);
			expect(scene.platform.activities.filter(({ metadata }) => metadata["waiting"])).to.deep.equal([]);
		});
	}

	for (const [what, closing] of [
		["answers something else", (() => ({ text: "Goodbye!" })) satisfies Script],
		["is refused by its model", (() => ({ fault: { kind: "status", status: 400 } })) satisfies Script],
	] as const) {
		it(`has the changes from git when the agent ${what}`, async () => {
			await using session = new TestSession();
			await using scene = await open(session, closing);
			await scene.pod.ask("write");
			await timeToStop(scene.pod);
			const [chronicle] = scene.platform.chronicles;
			expect(chronicle?.key_changes).to.deep.equal(["Added notes.md (+1 -0)"]);
			expect(chronicle).to.not.have.property("summary");
		});
	}

	it("does not delay the end when the agent never answers", async () => {
		await using session = new TestSession();
		await using scene = await open(session, () => ({ text: "…", fault: { kind: "stall" } }));
		await scene.pod.ask("write");
		const ms = await timeToStop(scene.pod);
		expect(scene.questions()).to.be.at.least(1);
		expect(ms, "it was given its time").to.be.above(12_000);
		expect(ms).to.be.below(stopMs);
		expect(scene.platform.chronicles[0]?.key_changes).to.deep.equal(["Added notes.md (+1 -0)"]);
	});

	it("is asked for after the turn that the end cancels", async () => {
		await using session = new TestSession();
		await using scene = await open(session, () => ({ text: JSON.stringify(said) }));
		await scene.pod.ask("write");
		const { requests } = scene.model;
		const connection = await scene.pod.connect();
		const asked = requests.length;
		await connection.send("m2", "hang");
		await eventually(() => requests.length > asked);
		await timeToStop(scene.pod);
		expect(scene.questions()).to.be.at.least(1);
		expect(scene.platform.chronicles.map(({ summary }) => summary)).to.deep.equal([said.summary]);
	});

	it("is not asked for when there was no turn, nor when the session is deleted", async () => {
		await using session = new TestSession();
		await using scene = await open(session, () => ({ text: JSON.stringify(said) }));
		await timeToStop(scene.pod);
		expect([scene.questions(), scene.platform.chronicles]).to.deep.equal([0, []]);

		await using other = new TestSession();
		await using deleted = await open(other, () => ({ text: JSON.stringify(said) }));
		await deleted.pod.ask("write");
		deleted.platform.status = 404;
		await timeToStop(deleted.pod);
		expect(deleted.questions()).to.equal(0);
	});

	for (const own_model of [true, false]) {
		it(`is${own_model ? "" : " not"} asked for in a session without a model, where the agent has ${own_model ? "one of its own" : "none"}`, async () => {
			await using platform = await PlatformListener.listen();
			await using session = new TestSession(agentTree("scripted-agent.ts", { own_model }));
			const pod = await session.start({ platform_url: platform.url });
			await pod.ask("say hello");
			await timeToStop(pod);
			const summary = own_model ? "The agent was asked" : undefined;
			expect(platform.chronicles.map((chronicle) => chronicle.summary)).to.deep.equal([summary]);
		});
	}

	it("waits on disk for the next pod while the platform cannot be reached", async () => {
		await using session = new TestSession();
		await using scene = await open(session, () => ({ text: JSON.stringify(said) }));
		await scene.pod.ask("write");
		scene.platform.status = 503;
		await timeToStop(scene.pod);
		expect(scene.platform.chronicles).to.deep.equal([]);
		await using platform = await PlatformListener.listen();
		const next = await session.start({ platform_url: platform.url });
		await next.ask("$ true");
		await next.stop();
		const [first, second] = platform.chronicles;
		expect(first).to.deep.include(said);
		expect(second?.key_changes, "the next one begins where the session began").to.deep.equal([
			"Added notes.md (+1 -0)",
		]);
		expect(second?.duration_seconds).to.be.at.least(first?.duration_seconds ?? 0);
		const sequences = [...scene.platform.events, ...platform.events].map(({ sequence }) => sequence);
		expect(sequences).to.deep.equal(sequences.map((_one, index) => index));
	});
});
