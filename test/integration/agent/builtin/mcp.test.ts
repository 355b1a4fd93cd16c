/** MCP servers of the built-in agent's sessions. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { BuiltinAgent, shownBy } from "../../../support/agents/builtin-agent.ts";
import { eventually } from "../../../support/eventually.ts";
import { McpHttpServer } from "../../../support/agents/mcp-server.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, say, turns } from "../../../support/model-server/script.ts";
import { useFolder } from "../../../support/use-folder.ts";

const program = join(import.meta.dirname, "../../../support/agents/mcp-server.ts");
const stdio: McpServer = {
	name: "tools",
	command: process.execPath,
	args: [program],
	env: [{ name: "OWN", value: "of the server" }],
};

describe("the built-in agent's MCP servers", () => {
	const folder = useFolder();
	let answer: string;
	let server: ModelServer;
	let http: McpHttpServer;
	let agent: BuiltinAgent;
	beforeEach(async () => {
		answer = "allow_once";
		const script = turns({
			add: [call("tools__add", { a: 2, b: 40 }), say("done")],
			fail: [call("tools__fail"), say("done")],
			wait: [call("tools__wait"), say("done")],
			whoami: [call("tools__whoami"), say("done")],
			leave: [call("tools__leave"), say("done")],
			hello: [say("hello")],
		});
		server = await ModelServer.listen({ script });
		http = await McpHttpServer.listen();
		agent = new BuiltinAgent({ server, permit: () => answer });
	});
	afterEach(async () => {
		await agent[Symbol.asyncDispose]();
		await http[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});

	function overHttp(): McpServer {
		return { type: "http", name: "tools", url: http.url, headers: [{ name: "x-key", value: "k1" }] };
	}

	const transports: [name: string, spec: () => McpServer][] = [
		["stdio", () => stdio],
		["HTTP", overHttp],
	];
	for (const [name, spec] of transports) {
		it(`are used over ${name}, when that is permitted`, async () => {
			const session = await agent.open(folder(), [spec()]);
			answer = "reject_once";
			await session.say("add");
			expect(agent.calls[0]).to.deep.include({ status: "failed", title: "add (tools)", kind: "other" });
			answer = "allow_always";
			await session.say("add");
			await session.say("add");
			expect(agent.calls.map(shownBy).slice(1)).to.deep.equal(["42", "42"]);
			expect(agent.asked).to.have.length(2);
			if (name === "HTTP") expect(new Set(http.keys)).to.deep.equal(new Set(["k1"]));
		});

		it(`report their failures over ${name}, and do not delay a cancelled turn`, async () => {
			const session = await agent.open(folder(), [spec()]);
			await session.say("fail");
			expect(agent.calls[0]).to.include({ status: "failed" });
			expect(shownBy(agent.calls[0])).to.equal("no such thing");
			const turn = session.say("wait");
			await eventually(() => agent.calls[1]?.status === "in_progress");
			const since = performance.now();
			await session.cancel();
			expect((await turn).stopReason).to.equal("cancelled");
			expect(performance.now() - since).to.be.below(900);
		});
	}

	it("have the agent's environment and their own, but not the model's token", async () => {
		const session = await agent.open(folder(), [stdio]);
		await session.say("whoami");
		const env: unknown = JSON.parse(shownBy(agent.calls[0]));
		expect(env).to.include({ OWN: "of the server", PATH: process.env["PATH"] });
		expect(JSON.stringify(env)).to.not.contain("ATELIER_").and.not.contain(server.key);
	});

	it("are reported when they cannot be used, and the session goes on with the others", async () => {
		const broken: McpServer = { name: "broken", command: "/nonexistent/server", args: [], env: [] };
		const session = await agent.open(folder(), [broken, overHttp()]);
		await session.say("add");
		expect(shownBy(agent.calls[0])).to.equal("42");
		const notices = agent.updates.filter((update) => update.sessionUpdate === "notice");
		expect(notices).to.have.length(1);
		expect(notices[0]).to.include({ severity: "warning" });
		expect(String(notices[0]?.title)).to.match(/^The MCP server "broken" cannot be used: .*ENOENT/);
	});

	it("start with the first turn and not before it", async () => {
		const marking: McpServer = { name: "marking", command: "sh", args: ["-c", "touch started"], env: [] };
		const session = await agent.open(folder(), [marking]);
		await agent.open(folder(), []);
		expect(existsSync(join(folder(), "started"))).to.equal(false);
		await session.say("hello");
		expect(existsSync(join(folder(), "started"))).to.equal(true);
	});

	it("delay one turn by 3 s at most when they are slow, say so once, and are used when they are ready", async () => {
		const script = `while [ ! -e ready ]; do sleep 0.1; done; exec "$0" "$1"`;
		const slow: McpServer = { ...stdio, command: "sh", args: ["-c", script, process.execPath, program] };
		const session = await agent.open(folder(), [slow]);
		const said = () => agent.updates.filter((update) => update.sessionUpdate === "notice").map(({ title }) => title);
		const since = performance.now();
		await session.say("hello");
		expect(performance.now() - since).to.be.within(2_900, 9_000);
		const again = performance.now();
		await session.say("hello");
		expect(performance.now() - again).to.be.below(2_900);
		expect(said()).to.deep.equal([
			'The MCP server "tools" has not started within 3 s; this turn goes on without its tools',
		]);
		writeFileSync(join(folder(), "ready"), "");
		await eventually(async () => {
			await session.say("add");
			return shownBy(agent.calls.at(-1)) === "42";
		});
	});

	it("do not delay a turn that is cancelled before they are connected, and end with the session", async () => {
		const mute: McpServer = { name: "mute", command: "sh", args: ["-c", "echo $$ > pid; exec sleep 300"], env: [] };
		const session = await agent.open(folder(), [mute]);
		const turn = session.say("hello");
		const pid = await eventually(() => readFileSync(join(folder(), "pid"), "utf8") || undefined);
		const since = performance.now();
		await session.cancel();
		expect((await turn).stopReason).to.equal("cancelled");
		expect(performance.now() - since).to.be.below(900);
		expect(existsSync(`/proc/${pid.trim()}`), "control").to.equal(true);
		expect(await agent.end()).to.equal(0);
		await eventually(() => !existsSync(`/proc/${pid.trim()}`));
	});

	it("are started again with the next turn when they have ended", async () => {
		const session = await agent.open(folder(), [stdio]);
		expect((await session.say("leave")).stopReason).to.equal("end_turn");
		expect(agent.calls[0]).to.include({ status: "failed" });
		await session.say("add");
		expect(shownBy(agent.calls[1])).to.equal("42");
	});
});
