/** MCP servers of the built-in agent's sessions. */
import { existsSync, readFileSync } from "node:fs";
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
		expect(agent.errors).to.match(/^The MCP server "broken" cannot be used: .*ENOENT/);
		const notices = agent.updates.filter((update) => update.sessionUpdate === "notice");
		expect(notices).to.have.length(1);
	});

	it("do not delay a turn that is cancelled before they are connected, and end with the session", async () => {
		const mute: McpServer = { name: "mute", command: "sh", args: ["-c", "echo $$ > pid; exec sleep 300"], env: [] };
		const session = await agent.open(folder(), [mute]);
		const pid = await eventually(() => readFileSync(join(folder(), "pid"), "utf8") || undefined);
		const turn = session.say("hello");
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
