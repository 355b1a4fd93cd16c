/**
 * Permissions and interrupts on real pods, with a coding agent that asks.
 * Long: it starts a pod for each way in which an agent asks.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { askingTree } from "../../support/agents/asking-tree.ts";
import { eventually } from "../../support/eventually.ts";
import { PlatformListener } from "../../support/platform/platform-listener.ts";
import { type TestConnection, type TestPod, TestSession } from "../../support/pods/test-pod.ts";

/** A promised time, three times as long on a busy machine. */
const promisedMs = 300;

async function waiting(pod: TestPod): Promise<PermissionRequest> {
	return eventually(async () => (await pod.get<PermissionRequest[]>("/api/permissions"))[0]);
}

async function startAsking(
	session: TestSession,
	changes: Partial<LaunchDocument> = {},
): Promise<{ pod: TestPod; client: TestConnection; has: (file: string) => boolean }> {
	const pod = await session.start({ permission_mode: "ask", ...changes });
	return { pod, client: await pod.connect(), has: (file) => existsSync(join(session.workspace, file)) };
}

describe("permissions of a pod", () => {
	it("wait for a person in mode `ask`: refused calls are not run, permitted ones are", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client, has } = await startAsking(session);
		await client.send("m1", "write refused.txt no\nwrite allowed.txt yes");
		const first = await waiting(pod);
		expect(first).to.deep.include({
			tool: "edit",
			title: "Write refused.txt",
			input: { path: "refused.txt", text: "no" },
		});
		expect(first.options.map(({ option_id }) => option_id)).to.deep.equal([
			"allow_once",
			"allow_always",
			"reject_once",
		]);
		expect(has("refused.txt")).to.equal(false);
		const denied = await pod.command("/api/permissions", { request_id: first.request_id, behavior: "deny" });
		expect(denied).to.deep.equal({
			status: 200,
			body: { request_id: first.request_id, option_id: "reject_once" },
		});
		const second = await eventually(async () => {
			const [open] = await pod.get<PermissionRequest[]>("/api/permissions");
			return open?.title === "Write allowed.txt" && open;
		});
		await pod.command("/api/permissions", { request_id: second.request_id, behavior: "allow" });
		expect((await pod.answer("m1")).content).to.equal("reject_once\nallow_once\n");
		expect([has("refused.txt"), has("allowed.txt")]).to.deep.equal([false, true]);
		expect(readFileSync(join(session.workspace, "allowed.txt"), "utf8")).to.equal("yes");
	});

	it("are given once each, without a person, in mode `auto`", async () => {
		await using session = new TestSession(askingTree());
		const { pod, has } = await startAsking(session, { permission_mode: "auto" });
		expect((await pod.ask("write a.txt a\nwrite b.txt b")).content).to.equal("allow_once\nallow_once\n");
		expect([has("a.txt"), has("b.txt")]).to.deep.equal([true, true]);
	});

	it("are answered once: a repetition gets the same answer, a different or unknown one is refused", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		await client.send("m1", "write a.txt a");
		const { request_id } = await waiting(pod);
		expect((await pod.command("/api/permissions", { request_id })).status).to.equal(400);
		expect((await pod.command("/api/permissions", { request_id, option_id: "sudo" })).status).to.equal(400);
		for (let time = 0; time < 3; time++) {
			const { status, body } = await pod.command("/api/permissions", { request_id, behavior: "allow" });
			expect([status, body]).to.deep.equal([200, { request_id, option_id: "allow_once" }]);
		}
		expect((await pod.command("/api/permissions", { request_id, behavior: "deny" })).status).to.equal(409);
		expect((await pod.command("/api/permissions", { request_id: "?", behavior: "deny" })).status).to.equal(404);
		await pod.answer("m1");
	});

	it("for ever are remembered by the agent, and only when a person chooses that", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		await client.send("m1", "write a.txt a\nwrite b.txt b");
		const { request_id } = await client.frame("control_request");
		client.say({ type: "permission_response", request_id, behavior: "allowForever" });
		expect((await pod.answer("m1")).content).to.equal("allow_always\nallow_always\n");
	});

	it("that are open are granted when the mode becomes `auto`", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		await client.send("m1", "both a.txt b.txt");
		await eventually(() => client.all("control_request").length === 2);
		client.say({ type: "set_permission_mode", mode: "auto" });
		expect((await pod.answer("m1")).content).to.equal("allow_once\nallow_once\n");
		expect((await client.frame("permission_mode")).mode).to.equal("auto");
		expect(client.all("permission_answered")).to.have.length(2);
	});

	it("are never a person's choice: it waits in mode `auto` too, and an answer names the option", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session, { permission_mode: "auto" });
		const contract = await pod.connect("/session?dialect=contract");
		await client.send("m1", "choose red blue");
		const { request_id, choice } = await waiting(pod);
		expect(choice).to.equal(true);
		const offered = '"red" (Take red), "blue" (Take blue), "skip" (Skip)';
		const refused = await pod.command("/api/permissions", { request_id, behavior: "allow" });
		const detail = `The agent asks for a choice: name one of its options as \`option_id\`: ${offered}`;
		expect(refused).to.deep.equal({ status: 400, body: { detail, type: "PERMISSION_ANSWER" } });
		client.say({ type: "permission_response", request_id, behavior: "allow" });
		expect((await client.frame("error")).content).to.include(offered);
		contract.say({ type: "permission_response", request_id, behavior: "allow" });
		await eventually(() => contract.all("system").some(({ content }) => content.includes(offered)));
		contract.say({ type: "permission_response", request_id, option_id: "blue" });
		expect((await pod.answer("m1")).content).to.equal("blue");
	});

	it("are choices with the answers of a form, which the agent gets beside its own option, in mode `auto` too", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session, { permission_mode: "auto" });
		await client.send("m1", "form red blue");
		const { request_id, title, choice, options } = await waiting(pod);
		expect([title, choice]).to.deep.equal(["Which colour?", true]);
		expect(options.map(({ name }) => name)).to.deep.equal(["red", "blue", "Cancel"]);
		expect((await pod.command("/api/permissions", { request_id, behavior: "allow" })).status).to.equal(400);
		await pod.command("/api/permissions", { request_id, option_id: options[1]?.option_id });
		expect((await pod.answer("m1")).content).to.equal('["send",{"0":"blue"}]');
	});

	it("are withdrawn by an interrupt before the agent is notified, and nothing is written", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client, has } = await startAsking(session);
		await client.send("m1", "write a.txt a\nwrite b.txt b");
		await waiting(pod);
		expect((await pod.command("/api/interrupt")).body).to.deep.equal({ session_id: session.id, status: "interrupted" });
		const { content, metadata } = await pod.answer("m1");
		expect(metadata["stop_reason"]).to.equal("cancelled");
		expect(content).to.match(/^(cancelled\n)+$/);
		expect([has("a.txt"), has("b.txt")]).to.deep.equal([false, false]);
		expect(await pod.get("/api/permissions")).to.deep.equal([]);
		expect((await pod.ask("say on")).content).to.equal("on");
	});

	it("are not requested while a turn is being cancelled", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		await client.send("m1", "insist");
		await waiting(pod);
		expect((await pod.command("/api/interrupt")).body).to.include({ status: "interrupted" });
		expect((await pod.answer("m1")).content).to.equal("cancelled cancelled cancelled");
		expect(client.all("control_request")).to.have.length(1);
	});

	it("are reported to the platform while they wait, and only then", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session, { platform_url: platform.url });
		await client.send("m1", "write a.txt a");
		const { request_id } = await waiting(pod);
		const told = await eventually(() => platform.activities.find(({ metadata }) => metadata["waiting"] === true));
		expect(told).to.nested.include({ state: "active", "metadata.waiting_for": "Write a.txt" });
		await pod.command("/api/permissions", { request_id, behavior: "deny" });
		await pod.answer("m1");
		await eventually(() => platform.states.at(-1) === "idle");
		expect(platform.activities.at(-1)?.metadata).not.to.have.any.keys("waiting", "waiting_for");
	});
});

describe("the coding agent's own mode", () => {
	it("is told and can be chosen, and one that the agent enters by itself does not last beyond its turn", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session, { permission_mode: "auto" });
		const contract = await pod.connect("/session?dialect=contract");
		const modes = [
			{ id: "work", name: "To work" },
			{ id: "plan", name: "To plan" },
		];
		expect(await pod.get("/api/mode")).to.deep.equal({ id: "work", name: "To work", modes });
		expect((await pod.ask("enter plan\nmode")).content).to.equal("plan");
		expect(await pod.get("/api/mode")).to.deep.include({ id: "plan" });
		expect((await pod.ask("mode")).content).to.equal("work");
		expect(client.all("mode").map(({ id }) => id)).to.deep.equal(["work", "plan", "work"]);
		expect(await pod.command("/api/mode", { mode: "plan" })).to.deep.equal({
			status: 200,
			body: { id: "plan", name: "To plan", modes },
		});
		expect((await pod.ask("mode")).content, "a person chose it").to.equal("plan");
		client.say({ type: "set_mode", mode: "work" });
		await eventually(() => client.all("mode").at(-1)?.id === "work");
		expect((await pod.ask("mode")).content).to.equal("work");
		expect(await pod.command("/api/mode", { mode: "sleep" })).to.deep.equal({
			status: 400,
			body: { detail: 'The coding agent has no mode "sleep"; it offers work, plan', type: "AGENT_MODE" },
		});
		expect(contract.all("mode")).to.deep.equal([]);
	});
});

describe("a list of things to do that the coding agent keeps by a tool", () => {
	it("is a plan", async () => {
		await using session = new TestSession(askingTree());
		const { pod } = await startAsking(session);
		const { parts } = await pod.ask("todo Look for it");
		const entries = [{ content: "Look for it", status: "pending", priority: "medium" }];
		expect(parts).to.deep.include({ type: "plan", entries });
	});
});

describe("an interrupt of a pod", () => {
	it(`ends a turn within ${promisedMs} ms if the agent cooperates, and the next message is answered`, async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		await client.send("m1", "hang");
		await client.send("m2", "say next");
		await client.frame("message_start");
		const since = performance.now();
		const { body } = await pod.command("/api/interrupt");
		const took = performance.now() - since;
		console.log(`      interrupted after ${took.toFixed(0)} ms`);
		expect(body).to.include({ status: "interrupted" });
		expect(took).to.be.below(3 * promisedMs);
		expect((await pod.answer("m1")).metadata["stop_reason"]).to.equal("cancelled");
		expect((await pod.answer("m2")).content).to.equal("next");
	});

	it("right after a message was accepted ends its turn at any stage", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session);
		client.socket.on("message", (data: Buffer) => {
			if (data.includes('"user_confirmed"') && data.includes("hang")) client.say({ type: "interrupt" });
		});
		for (let n = 0; n < 20; n++) {
			client.say({ type: "user", id: `m${n}`, content: "hang" });
			expect((await pod.answer(`m${n}`)).metadata["stop_reason"]).to.equal("cancelled");
		}
		await eventually(() => client.all("interrupted").length === 20);
		expect(client.all("interrupted").map(({ status }) => status)).to.deep.equal(Array(20).fill("interrupted"));
		expect((await pod.ask("say on")).content).to.equal("on");
	});

	it("ends an agent that ignores it and starts it again, also repeatedly", async () => {
		await using session = new TestSession(askingTree());
		const { pod, client } = await startAsking(session, { interrupt_ms: 200 });
		const pids = new Set([(await pod.ask("pid")).content]);
		for (const id of ["one", "two", "three"]) {
			await client.send(id, "stubborn");
			await eventually(async () => (await pod.history()).turns.some((turn) => turn.id === id));
			await eventually(async () => (await pod.history()).is_active);
			await pod.command("/api/interrupt");
			expect((await pod.answer(id)).metadata["stop_reason"]).to.equal("interrupted");
			pids.add((await pod.ask("pid")).content);
		}
		expect(pids).to.have.property("size", 4);
		expect(await pod.logs()).to.include("The coding agent did not heed the interrupt, and is ended");
	});

	it("does nothing without a turn", async () => {
		await using session = new TestSession(askingTree());
		const { pod } = await startAsking(session);
		expect((await pod.command("/api/interrupt")).body).to.deep.equal({ session_id: session.id, status: "idle" });
	});
});
