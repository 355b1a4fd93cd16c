/**
 * Messages to a real pod over HTTP and WebSockets.
 * Long: it starts a pod for each case.
 */
import { request } from "node:http";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { WebSocket } from "ws";
import { eventually } from "../../support/eventually.ts";
import { killSessionProcesses } from "../../support/platform/session-processes.ts";
import { TestSession, type TestPod } from "../../support/pods/test-pod.ts";

/** Resolves with the status of a plain request with these headers and no others. */
async function statusOf(
	pod: TestPod,
	headers: Record<string, string>,
	method = "GET",
	path = "/health",
): Promise<number> {
	const asked = request(`${pod.url}${path}`, { method, headers }).end();
	const [response] = await once(asked, "response");
	response.resume();
	return response.statusCode;
}

/** Resolves with the status of an attempt to open the WebSocket; 101 when it opens. */
async function upgradeStatus(pod: TestPod, headers: Record<string, string>, path = "/session"): Promise<number> {
	const socket = new WebSocket(`${pod.url.replace("http", "ws")}${path}`, { headers });
	socket.on("error", () => {});
	const status = await new Promise<number>((resolve) => {
		socket.once("open", () => resolve(101));
		socket.once("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
	});
	socket.terminate();
	return status;
}

describe("messages", () => {
	it("are confirmed to every connection, and answered one after the other in order", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const [one, other] = await Promise.all([pod.connect(), pod.connect()]);
		const commands = [1, 2, 3, 4].map((n) => `$ echo start ${n} >> order; sleep 0.05; echo end ${n} >> order`);
		await Promise.all(commands.map((command, index) => one.send(`m${index}`, command)));
		await pod.answer("m3");
		expect((await pod.ask("$ cat order")).content).to.equal([1, 2, 3, 4].map((n) => `start ${n}\nend ${n}\n`).join(""));
		const greeting = { type: "system", content: `Connected to session ${session.id}`, permission_mode: "auto" };
		expect(one.frames[0]).to.deep.equal(greeting);
		const confirmed = other.frames.filter(({ type }) => type === "user_confirmed");
		expect(confirmed).to.deep.include({ type: "user_confirmed", id: "m0", content: commands[0] });
		expect(confirmed).to.have.length(5);
	});

	it("are accepted once when they are sent repeatedly, also by the next pod", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		for (let time = 0; time < 3; time++) await pod.ask("$ echo once >> counted", "same");
		await pod.stop();
		const next = await session.start();
		await next.ask("$ echo once >> counted", "same");
		expect((await next.ask("$ cat counted")).content).to.equal("once\n");
		expect((await next.history()).turns.filter(({ id }) => id === "same")).to.have.length(1);
	});

	it("that were confirmed survive kill -9; the turn under way is marked and not run again", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		await connection.send("under-way", "$ echo begun >> effects; sleep 60");
		await connection.send("waiting", "$ echo waited >> effects");
		await eventually(() => readFileSync(join(session.workspace, "effects"), "utf8") === "begun\n");
		killSessionProcesses(session.installation);
		await pod.ended();

		const next = await session.start();
		expect((await next.answer("under-way")).metadata["stop_reason"]).to.equal("interrupted");
		await next.answer("waiting");
		expect((await next.ask("$ cat effects")).content).to.equal("begun\nwaited\n");
	});

	it("can be watched while they are answered", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		await connection.send("m1", "$ until [ -e go ]; do sleep 0.02; done");
		await eventually(async () => (await pod.history()).last_activity.includes("until [ -e go ]"));
		expect((await pod.history()).is_active).to.equal(true);
		writeFileSync(join(session.workspace, "go"), "");
		await pod.answer("m1");
		expect(await eventually(async () => !(await pod.history()).is_active)).to.equal(true);
	});

	it("that are invalid are refused by name, and other frames ignored", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		const frames = [
			"no JSON",
			"[]",
			'{"type":"user"}',
			'{"type":"user","id":"a","content":" "}',
			'{"type":"keep_alive"}',
		];
		for (const frame of frames) connection.socket.send(frame);
		expect((await pod.ask("$ echo fine")).content).to.equal("fine\n");
		await eventually(() => connection.frames.filter(({ type }) => type === "error").length === 4);
	});

	it("of more than 1 MB end the connection, and nothing else", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		connection.socket.send(JSON.stringify({ type: "user", id: "large", content: "x".repeat(1_048_576) }));
		const [code] = await once(connection.socket, "close");
		expect(code).to.equal(1009);
		expect((await pod.ask("$ echo fine")).content).to.equal("fine\n");
	});

	it("are refused beyond the hundredth that waits", async function () {
		// Each message is written to the disk three times.
		const withinMs = 30_000;
		this.timeout(3 * withinMs);
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		await connection.send("first", "$ until [ -e go ]; do sleep 0.02; done");
		const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
		const sent = await Promise.all(ids.map((id) => connection.send(id, "hello", withinMs)));
		const refused = sent.filter(({ type }) => type === "error");
		expect(refused).to.have.length(1);
		expect(refused[0]).to.include({ content: "The agent has 100 messages to answer; try again later" });
		writeFileSync(join(session.workspace, "go"), "");
		await pod.answer("m98", withinMs);
	});

	it("have bounded answers, even if a command's output is unlimited", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const { content, parts } = await pod.ask("$ seq 1 200000; seq 1 200000 >&2");
		expect(content).to.match(/^1\n2\n3\n[\s\S]*… \d+ characters left out …[\s\S]*199999\n200000\n$/);
		expect(content.length).to.be.below(270_000);
		expect(JSON.stringify(parts).length).to.be.below(800_000);
	});
});

describe("who may talk to the pod", () => {
	it("is the platform with its key, and no foreign host and no web page", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const { authorization } = pod;
		const host = `127.0.0.1:${pod.status?.port}`;
		expect(await statusOf(pod, { host, authorization })).to.equal(200);
		expect(await statusOf(pod, { host })).to.equal(401);
		expect(await statusOf(pod, { host, authorization: `Bearer ${pod.launch.pod_token}` })).to.equal(401);
		expect(await statusOf(pod, { host: "attacker.example", authorization })).to.equal(403);
		expect(await statusOf(pod, { host, authorization, origin: `http://${host}` })).to.equal(403);
		expect(await statusOf(pod, { host, authorization }, "POST")).to.equal(405);
		expect(await statusOf(pod, { host, authorization }, "GET", "/constructor")).to.equal(404);
		const paths = ["/status", "/api/logs", "/api/conversation/history", "/api/diff/files", "/nothing"];
		for (const path of paths) expect(await statusOf(pod, { host }, "GET", path), path).to.equal(401);

		expect(await upgradeStatus(pod, { authorization })).to.equal(101);
		expect(await upgradeStatus(pod, {})).to.equal(401);
		expect(await upgradeStatus(pod, { authorization, host: "attacker.example" })).to.equal(403);
		expect(await upgradeStatus(pod, { authorization, origin: "https://attacker.example" })).to.equal(403);
		expect(await upgradeStatus(pod, { authorization }, "/other")).to.equal(404);
	});

	it("may have 16 connections", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connections = await Promise.all(Array.from({ length: 16 }, () => pod.connect()));
		expect(await upgradeStatus(pod, { authorization: pod.authorization })).to.equal(503);
		connections[0]?.close();
		await eventually(async () => (await upgradeStatus(pod, { authorization: pod.authorization })) === 101);
	});
});
