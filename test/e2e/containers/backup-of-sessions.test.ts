/**
 * A backup by a platform that is not root, of sessions in containers, behind the filter of a real engine, and its restore.
 * Night: it builds an image and starts a Docker engine.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
	chmodSync,
	chownSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { ContainerFolders } from "#services/pod-manager/pod-runtimes/containers/container-folders.ts";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FolderHelpers } from "#services/pod-manager/pod-runtimes/containers/helpers/folder-helpers.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { SessionFolders } from "#services/pod-manager/pod-runtimes/machine/session-folders.ts";
import { OwnedInstallation } from "../../support/archive/owned-installation.ts";
import { containersAdapter } from "../../support/containers/contained-platform.ts";
import { buildSessionImage, sessionImage } from "../../support/containers/session-image.ts";
import { StartedFilter } from "../../support/containers/started-filter.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";
import { nobody } from "../../support/machine/ordinary-user.ts";

const user = 231_001;
const quiet = "3f0c2a11-0000-4000-8000-000000000001";
const hostile = "3f0c2a11-0000-4000-8000-000000000002";

/** Fills the folder of a session as a program in its container does. */
const hostileWork = `
	const fs = require("node:fs");
	process.chdir("/session");
	fs.mkdirSync("workspace/many", { recursive: true, mode: 0o700 });
	for (let n = 0; n < 100000; n++) fs.writeFileSync("workspace/many/" + n, "");
	fs.writeFileSync("workspace/plain", "plain");
	fs.writeFileSync("workspace/closed", "closed");
	fs.chmodSync("workspace/closed", 0);
	fs.mkdirSync("workspace/shut");
	fs.writeFileSync("workspace/shut/inner", "inner");
	fs.chmodSync("workspace/shut", 0);
	fs.writeFileSync("workspace/rights", "x");
	fs.chmodSync("workspace/rights", 0o4755);
	fs.symlinkSync("/etc/shadow", "workspace/link");
	fs.symlinkSync("/platform", "workspace/platform");
	fs.symlinkSync("/", "state");
	fs.writeFileSync("workspace/a\\nb", "two lines");
	fs.writeFileSync(Buffer.from("workspace/\\xff", "latin1"), "no UTF-8");
	fs.writeFileSync("workspace/holes", "");
	fs.truncateSync("workspace/holes", 2 ** 40);
	require("node:child_process").execFileSync("mkfifo", ["workspace/pipe"]);
`;

describe("a backup of sessions in containers", function () {
	this.timeout(600_000);
	const all = new AsyncDisposableStack();
	let engine: DockerEngine;
	let filter: StartedFilter;
	let made: OwnedInstallation;
	let restored: string;

	const file = () => join(made.folder, "backup.gz");
	const runtime = (socket = filter.socket) => ({ adapter: containersAdapter, kwargs: { socket } });
	const containers = () => engine.run("docker", "ps", "-aq").trim();

	/** Makes a session's folder as the platform does, and lets a container of the session fill it. */
	function fill(id: string, program: string): void {
		const folder = join(made.dataDir, "sessions", id);
		mkdirSync(folder);
		chmodSync(folder, 0o777);
		chownSync(folder, nobody, nobody);
		const confined = ["--rm", "--network", "none", "--user", `${user}:${user}`, "--entrypoint", "node"];
		engine.run("docker", "run", ...confined, "-v", `${folder}:/session`, sessionImage, "-e", program);
	}

	before(async () => {
		engine = all.use(await DockerEngine.start([]));
		buildSessionImage(engine);
		made = all.use(await OwnedInstallation.make());
		const { dataDir, installation } = made;
		filter = all.use(await StartedFilter.start({ engine: engine.socket, dataDir, installation, image: sessionImage }));
		// The tests' filter has a user and a group that the platform's does not have.
		chmodSync(dirname(filter.socket), 0o755);
		chmodSync(filter.socket, 0o666);
		fill(
			quiet,
			`require("node:fs").mkdirSync("/session/workspace", { mode: 0o700 }); require("node:fs").writeFileSync("/session/workspace/work", "kept", { mode: 0o600 });`,
		);
		fill(hostile, hostileWork);
	});
	after(() => all.disposeAsync());

	it("has all files that can be restored, and names the others", async () => {
		const { code, output } = await made.run(runtime(), ["backup", "--workspaces", file()]);
		expect(code, output + filter.output).to.equal(0);
		expect(output).to.match(/Not in the archive: 3 entries of "sessions\/\S+002".*"workspace\/holes" \(too large\)/);
		expect(output).to.include(`"workspace/pipe"`).and.not.include(`"sessions/${quiet}"`);
		expect(containers(), "no helper is left").to.equal("");
		expect(readdirSync(join(made.dataDir, "cache", "reading"))).to.deep.equal([]);
		// No link was followed.
		expect(gunzipSync(readFileSync(file())).toString()).not.to.include(readFileSync("/etc/shadow").toString("base64"));
	});

	it("is restored as it was, for the platform's user, without rights that nobody gave", async () => {
		restored = join(made.folder, "restored");
		mkdirSync(restored, { mode: 0o700 });
		chownSync(restored, nobody, nobody);
		const restore = ["restore", "--without-key", file()];
		const { code, output } = await made.run(runtime(), restore, restored);
		expect(code, output).to.equal(0);
		const work = join(restored, "sessions", quiet, "workspace", "work");
		expect([readFileSync(work, "utf8"), statSync(work).mode & 0o7777]).to.deep.equal(["kept", 0o600]);
		const workspace = join(restored, "sessions", hostile, "workspace");
		expect(readdirSync(join(workspace, "many")).length).to.equal(100_000);
		for (const [name, content] of [
			["plain", "plain"],
			["closed", "closed"],
			["shut/inner", "inner"],
			["a\nb", "two lines"],
		] as const)
			expect(readFileSync(join(workspace, name), "utf8")).to.equal(content);
		expect(statSync(join(workspace, "rights")).mode & 0o7777).to.equal(0o755);
		expect(readlinkSync(join(workspace, "link"))).to.equal("/etc/shadow");
		expect(readlinkSync(join(restored, "sessions", hostile, "state"))).to.equal("/");
		for (const name of ["holes", "pipe"]) expect(existsSync(join(workspace, name)), name).to.equal(false);
		expect(lstatSync(workspace).uid).to.equal(nobody);
	});

	it("gives restored files to the user of sessions when the session starts", async () => {
		rmSync(join(made.dataDir, "sessions"), { recursive: true });
		execFileSync("cp", ["-a", join(restored, "sessions"), join(made.dataDir, "sessions")]);
		const client = new EngineClient(filter.socket);
		all.defer(() => client.close());
		const settings = containersSettings({ socket: filter.socket });
		const helpers = new FolderHelpers(new ShortContainers(client, made.installation), settings);
		const root = join(made.dataDir, "sessions");
		const sessions = new SessionFolders(root);
		const folders = new ContainerFolders({ root, sessions, user, helpers });
		for (const id of [quiet, hostile]) await folders.make(id);
		for (const path of [`${quiet}/workspace/work`, `${hostile}/workspace/many/99999`, `${hostile}/state`])
			expect(lstatSync(join(root, path)).uid, path).to.equal(user);
		expect(statSync("/").uid).to.equal(0);
	});

	it("is refused by the names of the sessions, and nothing is written, without an engine, an image or the program", async () => {
		const other = join(made.folder, "other.gz");
		const away = await made.run(runtime(join(made.folder, "absent.sock")), ["backup", "--workspaces", other]);
		const kwargs = { socket: engine.socket, image: "atelier/absent" };
		chmodSync(dirname(engine.socket), 0o755);
		chmodSync(engine.socket, 0o666);
		const without = await made.run({ adapter: containersAdapter, kwargs }, ["backup", "--workspaces", other]);
		const old = { adapter: containersAdapter, kwargs: { socket: engine.socket, image: "debian:12" } };
		const former = await made.run(old, ["backup", "--workspaces", other]);
		for (const { code, output } of [away, without, former]) {
			expect([code, existsSync(other)], output).to.deep.equal([1, false]);
			expect(output)
				.to.include(join(made.dataDir, "sessions", quiet))
				.and.include(hostile);
		}
		expect(without.output).to.match(/no such image/i);
		expect(containers()).to.equal("");
	});

	it("says what is missing when the reading of one session breaks off, and has the others", async () => {
		const folder = join(made.dataDir, "sessions", hostile, "workspace", "big");
		mkdirSync(folder);
		for (let n = 0; n < 10; n++) writeFileSync(join(folder, String(n)), randomBytes(20_000_000));
		// The archive has some of these files when it has grown to this size.
		const hasBegun = () =>
			readdirSync(made.folder).some((name) => {
				const found = name.startsWith("partial.gz.") && lstatSync(join(made.folder, name), { throwIfNoEntry: false });
				return found && found.size > 5_000_000;
			});
		const killed = setInterval(() => {
			const [name] = hasBegun()
				? engine.run("docker", "ps", "-q", "--filter", "label=atelier.helper=read").split("\n")
				: [];
			if (!name) return;
			clearInterval(killed);
			engine.run("docker", "kill", name);
		}, 50);
		const partial = join(made.folder, "partial.gz");
		try {
			const { code, output } = await made.run(runtime(), ["backup", "--workspaces", partial]);
			expect(output, filter.output).to.match(
				/Not in the archive: Files of "sessions\/\S+002": the last ones could not be read: its reader has ended/,
			);
			expect(code).to.equal(0);
		} finally {
			clearInterval(killed);
		}
		const target = join(made.folder, "partial");
		mkdirSync(target);
		chownSync(target, nobody, nobody);
		const { code, output } = await made.run(runtime(), ["restore", "--without-key", partial], target);
		expect(code, output).to.equal(0);
		expect(readFileSync(join(target, "sessions", quiet, "workspace", "work"), "utf8")).to.equal("kept");
	});
});
