/**
 * docker-compose.yml with docker-compose.engine.yml, brought up by a real Docker engine: a session runs in a container of its
 * own, and only the filter has the engine's socket.
 * Night: it builds images and starts ten containers, as root.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { buildSessionImage } from "../../support/containers/session-image.ts";
import { eventually } from "../../support/eventually.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";

const project = "atelier-engine-test";
/** The user of the platform in its images. */
const platformUser = 1_000;
const api = "http://127.0.0.1:8080/api/v1/svc";

describe("docker-compose up, with an engine for sessions", function () {
	this.timeout(900_000);
	const all = new AsyncDisposableStack();
	let engine: DockerEngine;
	let data: string;
	let env: string;
	let token: string;

	function compose(...args: string[]): string {
		const names = ["docker-compose.yml", "docker-compose.engine.yml"];
		const tests = ["docker-compose.test.yml", "docker-compose.engine-test.yml"];
		const files = [...names, ...tests.map((name) => join("test/support/installations", name))].flatMap((file) => [
			"-f",
			file,
		]);
		const variables = [`TEST_REPOSITORY=${data}`, `TEST_ENGINE=${dirname(engine.socket)}`, `ATELIER_DATA=${data}`];
		const place = ["--project-directory", projectRoot, "--env-file", env, "-p", project];
		return engine.run("env", ...variables, "docker-compose", ...place, ...files, ...args);
	}

	/** Calls an address of the platform where its published ports are; resolves to the parsed answer. */
	async function call<Answer>(url: string, ...args: string[]): Promise<Answer> {
		const child = engine.inside("curl", ["-sS", url, ...args]);
		let output = "";
		child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
		await once(child, "close");
		return JSON.parse(output) as Answer;
	}

	const asAda = <Answer>(path: string, ...args: string[]) =>
		call<Answer>(
			`${api}${path}`,
			"-H",
			`Authorization: Bearer ${token}`,
			"-H",
			"Content-Type: application/json",
			...args,
		);

	const filesOf = (container: string, folder: string): string =>
		engine.run("docker", "exec", `${project}_${container}_1`, "ls", folder);

	before(async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-compose-engine-"));
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		execFileSync("chmod", ["755", folder]);
		data = join(folder, "data");
		mkdirSync(data, { mode: 0o700 });
		chownSync(data, platformUser, platformUser);
		env = join(folder, "env");
		execFileSync(process.execPath, ["config/compose/make-env.ts", env], { cwd: projectRoot });
		engine = all.use(await DockerEngine.start());
		buildSessionImage(engine);
		execFileSync(process.execPath, ["config/compose/pack-dependencies.ts"], { cwd: projectRoot });
		all.defer(() => rmSync(join(projectRoot, "dependencies.tar"), { force: true }));
		compose("up", "-d", "--build");
		const isReady = async () => {
			const answer = await call<{ status?: string }>("http://127.0.0.1:8080/ready").catch(() => undefined);
			return answer?.status === "ready";
		};
		await eventually(isReady, { withinMs: 180_000, everyMs: 1_000, what: "the platform is ready" });
		const password = /^LOGIN_PASSWORD_ADA=(.+)$/m.exec(readFileSync(env, "utf8"))?.[1] ?? "";
		const form = ["grant_type=password", "username=ada", `password=${password}`].flatMap((part) => ["-d", part]);
		token = (await call<{ access_token: string }>("http://127.0.0.1:8081/token", ...form)).access_token;
	});
	after(() => all.disposeAsync());

	it("runs a session in a container of its own, without a network, until it is deleted", async () => {
		const wanted = JSON.stringify({ name: "contained", agent: "builtin", source: { type: "git", repo: "" } });
		const { id } = await asAda<{ id: string }>("/sessions", "-d", wanted);
		const isRunning = async () => (await asAda<{ status: string }>(`/sessions/${id}`)).status === "running";
		await eventually(isRunning, { withinMs: 60_000, everyMs: 500, what: "the session runs" });
		const form = "{{.HostConfig.NetworkMode}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}}";
		expect(engine.run("docker", "inspect", "-f", form, `session-${id}-g1`).trim()).to.equal("none 231001:231001 true");
		const message = JSON.stringify({ content: "$ echo said > file.txt; cat file.txt" });
		await asAda(`/sessions/${id}/messages`, "-d", message);
		const hasAnswered = async () => JSON.stringify(await asAda(`/sessions/${id}/conversation`)).includes("said\\n");
		await eventually(hasAnswered, { withinMs: 60_000, everyMs: 500, what: "the session answers" });
		expect(JSON.stringify(await asAda(`/sessions/${id}/diff`))).to.include("file.txt");
		expect(JSON.stringify(await asAda(`/sessions/${id}/logs`))).to.include("The coding agent is ready");
		await asAda(`/sessions/${id}`, "-X", "DELETE").catch(() => undefined);
		const left = () => engine.run("docker", "ps", "-aq", "--filter", "name=session-").trim() === "";
		await eventually(left, { withinMs: 60_000, everyMs: 500, what: "the container is removed" });
	});

	it("gives the engine's socket to the filter only", () => {
		expect(filesOf("engine-filter", "/run/host")).to.include("docker.sock");
		const form = "{{range .Mounts}}{{println .Source}}{{end}}";
		const mounts = (name: string) => engine.run("docker", "inspect", "-f", form, `${project}_${name}_1`).split("\n");
		expect(mounts("engine-filter")).to.include(dirname(engine.socket));
		for (const name of ["pod-manager", "core", "gateway-1", "gateway-2", "login"])
			expect(mounts(name), name).to.not.include.members([dirname(engine.socket)]);
	});

	it("leaves nothing behind", () => {
		compose("down", "-v");
		expect(engine.run("docker", "ps", "-aq").trim()).to.equal("");
	});
});
