/** A session agent that waits at the platform's sockets, and the coding agent that waits with it. */
import { expect } from "chai";
import { readdirSync } from "node:fs";
import { createServer as createDoor, type RequestListener } from "node:http";
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { readProc, startTimeOf } from "#shared/base/files/process-files.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../support/eventually.ts";
import { TestPod, TestSession } from "../../../support/pods/test-pod.ts";

/** A pod that waits, and the sockets of a platform that gives it a launch, or none. */
class WaitingPod implements AsyncDisposable {
	readonly session = new TestSession();
	readonly #door = createDoor((request, response) => this.answer(request, response));
	readonly #channel = createServer();
	readonly #waits = once(this.#channel, "connection") as Promise<[Socket]>;
	answer: RequestListener = (_request, response) => response.writeHead(404).end();

	async start(): Promise<TestPod> {
		const { folder } = this.session;
		const [door, waiting] = [join(folder, "door.sock"), join(folder, "waiting.sock")];
		await Promise.all([once(this.#door.listen(door), "listening"), once(this.#channel.listen(waiting), "listening")]);
		const pod = new TestPod(this.session.launch(), "", {}, { args: ["--launch-from", door, "--wait-at", waiting] });
		const [socket] = await this.#waits;
		await once(socket, "data");
		return pod;
	}

	/** Lets it have its launch. */
	async letGo(launch: LaunchDocument): Promise<void> {
		this.answer = (_request, response) => response.end(JSON.stringify(launch));
		await this.end();
	}

	/** Ends the connection at which it waits. */
	async end(): Promise<void> {
		const [socket] = await this.#waits;
		socket.destroy();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#door.close();
		this.#channel.close();
		await this.session[Symbol.asyncDispose]();
	}
}

/** The built-in agents among the children of a process. */
function codingAgentsOf(pid: number): number[] {
	return readdirSync("/proc")
		.map(Number)
		.filter((child) => readProc(child, "status")?.includes(`\nPPid:\t${pid}\n`))
		.filter((child) => readProc(child, "cmdline")?.includes("agent/builtin/main.ts"));
}

describe("a session agent that waits at the platform's sockets", function () {
	this.timeout(60_000);
	let waiting: WaitingPod;
	let pod: TestPod;
	let agent: number;

	beforeEach(async () => {
		waiting = new WaitingPod();
		pod = await waiting.start();
		[agent = NaN] = codingAgentsOf(pod.pid);
	});
	afterEach(() => waiting[Symbol.asyncDispose]());

	it("makes the coding agent that waits with it that of the session, in the session's folder and environment", async () => {
		const { launch } = pod;
		await waiting.letGo({ ...launch, env: { OF_THE_SESSION: "one\ntwo", EMPTY: "", NODE_ENV: "test" } });
		await pod.phase("ready");
		expect(codingAgentsOf(pod.pid)).to.deep.equal([agent]);
		const { content } = await pod.ask(
			'$ pwd; echo "$HOME|$OF_THE_SESSION|${EMPTY-unset}|$ATELIER_SESSION"; env | grep -c ^ATELIER_CODING_AGENT=',
		);
		expect(content).to.equal(`${launch.workspace}\n${launch.home}|one\ntwo||${launch.session_id}\n1\n`);
		expect(await pod.stop()).to.equal(0);
		expect(codingAgentsOf(pod.pid)).to.deep.equal([]);
	});

	it("starts another one for a session that needs another program, and ends the one that waits", async () => {
		const secrets = { variables: { TOKEN: "of the session" }, files: [], git_credentials: [], warnings: [] };
		await waiting.letGo({ ...pod.launch, secrets });
		await pod.phase("ready");
		expect((await pod.ask("$ echo $TOKEN")).content).to.equal("of the session\n");
		await eventually(() => codingAgentsOf(pod.pid).length === 1);
		expect(codingAgentsOf(pod.pid)).not.to.include(agent);
	});

	it("starts another one for a session with a variable that Node.js reads at its start only, and not for other variables", async () => {
		await waiting.letGo({ ...pod.launch, env: { NODE_ENV: "test", NODE_EXTRA_CA_CERTS: "/etc/ssl/own.pem" } });
		await pod.phase("ready");
		await eventually(() => codingAgentsOf(pod.pid).length === 1);
		expect(codingAgentsOf(pod.pid)).not.to.include(agent);
	});

	it("starts another one when the one that waits has ended", async () => {
		process.kill(agent, "SIGKILL");
		await eventually(() => codingAgentsOf(pod.pid).length === 0);
		await waiting.letGo(pod.launch);
		await pod.phase("ready");
		expect((await pod.ask("$ echo here")).content).to.equal("here\n");
	});

	it("ends with its coding agent when the platform has no launch for it", async () => {
		await waiting.end();
		expect(await pod.ended()).to.equal(65);
		await eventually(() => startTimeOf(agent) === undefined);
	});

	it("leaves no coding agent behind when it is killed", async () => {
		await pod.kill();
		await eventually(() => startTimeOf(agent) === undefined);
	});
});
