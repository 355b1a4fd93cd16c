/**
 * A session in a container of a real engine: it works with its model, whose key never enters the container.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { callPrice, ContainedPlatform, containersAdapter } from "../../support/containers/contained-platform.ts";
import { sessionImage } from "../../support/containers/session-image.ts";
import { eventually } from "../../support/eventually.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("a session in a container", function () {
	this.timeout(180_000);
	let world: ContainedPlatform;
	let api: ApiClient;

	before(async () => {
		const kwargs = { internal_hosts: ["git.internal.test"], images: ["debian:12", "bare", "absent"], warm: 1 };
		world = await ContainedPlatform.start({ kwargs });
		({ api } = world);
	});
	after(() => world?.[Symbol.asyncDispose]());

	const session = (id: string) => world.session(id);

	it("answers with its model, whose key is nowhere in the container, and its usage is in the books", async () => {
		const id = await world.running();
		expect(await ask(api, id, "hello")).to.include("A word.");
		await world.spends(id, callPrice);
		const { message_count } = await eventually(async () => {
			const now = await session(id);
			return now.message_count > 0 && now;
		});
		expect(message_count).to.equal(1);
		const inspected = world.engine.run("docker", "inspect", ...world.containers(id));
		expect(inspected).to.not.include(world.model.key);
		const pid = /"Pid": (\d+)/.exec(inspected)?.[1] ?? "";
		const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
		expect(environment).to.include("HOME=");
		expect(environment).to.not.include(world.model.key);
	});

	it("waits while its budget is used up, and goes on when it is raised", async () => {
		const limit = 0.1;
		const id = await world.running({ budget: { limit } });
		const { budget } = await eventually(
			async () => {
				await api.post(`/sessions/${id}/messages`, { content: "again" });
				const now = await session(id);
				return now.budget.paused && now;
			},
			{ withinMs: 30_000, everyMs: 300, what: "the budget is used up" },
		);
		expect(budget.spent).to.be.at.most(limit + callPrice);
		await api.put(`/sessions/${id}`, { budget: { limit: 10 } });
		await eventually(async () => !(await session(id)).budget.paused, { withinMs: 20_000, what: "it goes on" });
		expect(await ask(api, id, "hello")).to.include("A word.");
	});

	it("reaches no private address, port of the host or metadata, and its owner is told what was refused", async () => {
		const id = await world.running({ model: "" });
		const remote = (url: string) => ask(api, id, `$ git ls-remote ${url} 2>&1`);
		expect(await remote("http://169.254.169.254/a.git")).to.include("403");
		expect(await remote("https://10.0.0.1/a.git")).to.include("403");
		const { port } = new URL(world.platform.prefix);
		expect(await remote(`http://127.0.0.1:${port}/a.git`)).to.match(/connect/i);
		// The operator names this one, so only its name is unknown.
		expect(await remote("http://git.internal.test/a.git")).to.include("502");
		expect(await ask(api, id, "$ ls /sys/class/net")).to.equal("lo\n");
		const { warnings } = await eventually(async () => {
			const now = await session(id);
			return now.warnings.some((sentence) => sentence.includes("10.0.0.1")) && now;
		});
		const because = "was refused: its address is not a public one";
		expect(warnings).to.deep.equal([
			`while running: The connection to 169.254.169.254:80 ${because}`,
			`while running: The connection to 10.0.0.1:443 ${because}`,
		]);
	});

	/** Creates a session in another image; resolves when it runs or has failed. */
	async function inImage(image: string): Promise<Session> {
		const preset = { name: `in ${image}`, workload_config: { image } };
		const { body: made, text } = await api.post<{ id: string }>("/presets", preset);
		expect(made.id, text).to.be.a("string");
		const wanted = { name: "other", agent: "builtin", preset_id: made.id, source: { type: "git", repo: "" } };
		const { body } = await api.post<Session>("/sessions", wanted);
		return eventually(
			async () => {
				const now = await session(body.id);
				return ["running", "failed"].includes(now.status) && now;
			},
			{ withinMs: 60_000, what: `the session in ${image} runs or has failed` },
		);
	}

	it("runs in an image of somebody else without Node.js, which gets the agent", async () => {
		const { id, status, error } = await inImage("debian:12");
		expect(status, error ?? "").to.equal("running");
		expect(await ask(api, id, "$ cat /etc/os-release; ls /usr/local/bin/node 2>&1")).to.match(/Debian[^]*No such file/);
		// The image does not know the user of sessions.
		expect(await ask(api, id, "$ id; whoami; echo $USER; getent passwd 231001; echo x >/etc/passwd")).to.match(
			/^uid=231001\(agent\) gid=231001\(agent\)[^]*\nagent\nagent\nagent:x:231001:231001::\/home\/agent:\/bin\/sh\n[^]*Read-only file system/,
		);
	});

	it("says what an image lacks, or that the operator does not offer it", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-bare-"));
		writeFileSync(join(folder, "Dockerfile"), "FROM debian:12\nRUN rm -f /usr/bin/git\n");
		world.engine.run("docker", "build", "-q", "-t", "bare", folder);
		rmSync(folder, { recursive: true });
		expect((await inImage("bare")).error).to.include("The image has no git, which sessions need");
		expect((await inImage("elsewhere")).error).to.include('does not offer the image "elsewhere"');
		const preset = { name: "absent", workload_config: { image: "absent" } };
		const { body: made } = await api.post<{ id: string }>("/presets", preset);
		const wanted = { name: "absent", agent: "builtin", preset_id: made.id, source: { type: "git", repo: "" } };
		const { body } = await api.post<Session>("/sessions", wanted);
		await eventually(async () => (await session(body.id)).status_reason?.code === "IMAGE_PULL_FAILED", {
			withinMs: 20_000,
			what: "the reason of the wait is told",
		});
	});

	it("works behind the filter, without a right on the engine's own socket", async () => {
		await using own = new AsyncDisposableStack();
		const dataDir = mkdtempSync(join(tmpdir(), "atelier-filtered-"));
		own.defer(() => rmSync(dataDir, { recursive: true, force: true }));
		const listen = join(dataDir, "filter.sock");
		const installation = openInstallationKey(dataDir, "").installationId();
		const words = ["--engine", world.engine.socket, "--listen", listen, "--installation", installation];
		words.push("--data-dir", dataDir, "--image", sessionImage, "--owner", "231001");
		const filter = spawn(process.execPath, ["cli/engine-filter.ts", ...words], { cwd: projectRoot, stdio: "pipe" });
		own.defer(async () => {
			const ended = once(filter, "exit");
			filter.kill("SIGTERM");
			await ended;
		});
		let refused = "";
		filter.stderr.on("data", (chunk) => (refused += String(chunk)));
		await eventually(() => existsSync(listen), { withinMs: 20_000, what: "the filter listens" });
		const runtime = { adapter: containersAdapter, kwargs: { socket: listen } };
		const filtered = own.use(await startPlatform({ dataDir, config: { pods: { runtime } } }));
		const wanted = { name: "filtered", agent: "builtin", source: { type: "git", repo: "" } };
		const client = filtered.client();
		const { body } = await client.post<Session>("/sessions", wanted);
		await sessionReaches(client, body.id, "running", 60_000);
		expect(await ask(client, body.id, "$ id -u")).to.equal("231001\n");
		await client.delete(`/sessions/${body.id}`);
		await eventually(() => world.engine.run("docker", "ps", "-aq", "--filter", `name=session-${body.id}-g`) === "", {
			withinMs: 40_000,
			what: "the container is gone",
		});
		expect(refused).to.equal("");
	});

	it("does the whole job of `npm run demo`, without the checkout that it does not see", async () => {
		const { exitCode, output } = await runDemo(world.platform);
		expect(exitCode, output).to.equal(0);
		expect(output)
			.to.include("so the demo goes on with an empty workspace")
			.and.to.match(/✓ find it gone/);
	});

	it("calls another model as soon as it is chosen", async () => {
		const id = await world.running();
		const { body } = await api.put<Session & { applies: { model: string } }>(`/sessions/${id}`, { model: "second" });
		expect(body.applies.model).to.equal("now");
		const before = world.model.billed.calls.length;
		await ask(api, id, "hello");
		expect(new Set(world.model.billed.calls.slice(before).map((call) => call.model))).to.deep.equal(
			new Set(["second"]),
		);
	});
});
