/**
 * The filter before a real engine, as the user that an operator gives it.
 * Night: it starts a Docker engine.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FilterCheck } from "#services/pod-manager/pod-runtimes/containers/filter/filter-check.ts";
import { FolderHelpers } from "#services/pod-manager/pod-runtimes/containers/helpers/folder-helpers.ts";
import { RuntimeProbe } from "#services/pod-manager/pod-runtimes/containers/helpers/runtime-probe.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { create, goodRequests } from "../../support/containers/recorded-filter.ts";
import { StartedFilter } from "../../support/containers/started-filter.ts";
import { failureOf } from "../../support/failure-of.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";

const id = "3f0c2a11-0000-4000-8000-000000000001";
const owner = 231_001;

describe("engine-filter: a real engine", function () {
	this.timeout(120_000);
	const all = new AsyncDisposableStack();
	let engine: DockerEngine;
	let filter: StartedFilter;
	let client: EngineClient;
	let short: ShortContainers;
	let dataDir: string;
	let session: string;

	const settings = () => containersSettings({ socket: filter.socket, image: "debian:12", user: owner } as never);
	const containers = () => engine.run("docker", "ps", "-aq").trim();

	before(async () => {
		dataDir = realpathSync(mkdtempSync(join(tmpdir(), "atelier-filtered-")));
		all.defer(() => rmSync(dataDir, { recursive: true, force: true }));
		mkdirSync(join(dataDir, "sessions"), { mode: 0o700 });
		session = join(dataDir, "sessions", id);
		mkdirSync(session);
		engine = all.use(await DockerEngine.start([]));
		const options = { engine: engine.socket, dataDir, installation: "i", image: "debian:12" };
		filter = all.use(await StartedFilter.start(options));
		client = new EngineClient(filter.socket);
		all.defer(() => client.close());
		short = new ShortContainers(client, "i");
	});
	after(() => all.disposeAsync());

	it("lets the platform prove that the engine confines", async () => {
		const file = join(dataDir, "cache", "proof");
		const check = new FilterCheck({ engine: client, settings: settings(), dataDir, installation: "i" });
		const probe = new RuntimeProbe({ engine: client, short, settings: settings(), filter: check, file });
		expect((await probe.prove()).join("\n")).to.not.include("root on this machine");
		expect(check.trouble).to.equal(undefined);
		expect(existsSync(file)).to.equal(true);
		expect(containers()).to.equal("");
	});

	it("lets helpers change what belongs to sessions", async () => {
		const helpers = new FolderHelpers(short, settings());
		mkdirSync(join(session, "workspace"));
		mkdirSync(join(session, "state"));
		writeFileSync(join(session, "workspace", "file"), "x".repeat(100_000));
		await helpers.run("give", session);
		expect(lstatSync(join(session, "workspace", "file")).uid).to.equal(owner);
		const { signal } = new AbortController();
		expect((await helpers.size(session, { signal })).bytes).to.be.above(100_000);
		await helpers.run("removeWorkspace", session);
		mkdirSync(join(session, "beside"));
		await helpers.run("removeOthers", session);
		expect(readdirSync(session)).to.deep.equal(["state"]);
		await helpers.run("removeRecords", session);
		const out = join(dataDir, "run", `${id}-g1`, "out");
		mkdirSync(join(out, "folder"), { recursive: true });
		await helpers.run("clear", out);
		expect([...readdirSync(session), ...readdirSync(out)]).to.deep.equal([]);
		await short.removeLeft();
		expect(containers()).to.equal("");
	});

	it("lets nobody have the machine, and says what was refused", async () => {
		const { good } = goodRequests(session);
		const name = `session-${id}-g1`;
		for (const body of [
			{ Image: "debian:12", HostConfig: { Binds: ["/:/h"] } },
			{ ...good, Image: "debian:12", User: "0:0" },
		]) {
			const refused = client.call({ method: "POST", path: "/containers/create", query: { name }, body });
			expect(await failureOf(refused)).to.include({ status: 403 });
		}
		expect(containers()).to.equal("");
		expect(filter.output).to.include("value of User").and.include(create(name));
	});

	it("keeps away from containers of others, whatever their names are", async () => {
		const name = `session-${id}-g7`;
		engine.run(
			"docker",
			"run",
			"-d",
			"--network",
			"none",
			"--label",
			"atelier.installation=j",
			"--name",
			name,
			"debian:12",
			"sleep",
			"600",
		);
		for (const [method, path] of [
			["POST", "/stop"],
			["GET", "/json"],
			["DELETE", ""],
		] as const)
			expect(await failureOf(client.call({ method, path: `/containers/${name}${path}` }))).to.include({ status: 403 });
		const running = engine.run("docker", "ps", "--format", "{{.Names}}").trim();
		expect(running).to.equal(name);
		engine.run("docker", "rm", "-f", name);
	});

	it("gives its socket to one group, and removes it when it ends", async () => {
		expect(lstatSync(filter.socket).mode & 0o777).to.equal(0o660);
		expect(await filter.end()).to.equal(0);
		expect(existsSync(filter.socket)).to.equal(false);
	});
});
