/**
 * docker-compose.yml as it is, brought up by a real Docker engine: a person logs in, a session runs through the proxy, both
 * gateways die in turn, a backup comes back, gateways get other addresses, and nothing remains after the end.
 * Night: it builds images and starts nine containers, as root.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";
import { eventually } from "../../support/eventually.ts";
import { makeRepository } from "../../support/repositories/git-repository.ts";

const project = "atelier-test";
const gateways = ["gateway-1", "gateway-2"];

describe("docker-compose up", function () {
	this.timeout(900_000);
	let engine: DockerEngine;
	let folder: string;
	let env: string;

	/** The command and its arguments. */
	function commandOf(args: readonly string[]): string[] {
		const files = ["-f", "docker-compose.yml", "-f", "test/support/installations/docker-compose.test.yml"];
		return [
			"env",
			`TEST_REPOSITORY=${join(folder, "repository")}`,
			"docker-compose",
			"--project-directory",
			projectRoot,
			"--env-file",
			env,
			"-p",
			project,
			...files,
			...args,
		];
	}

	function compose(...args: string[]): string {
		const [program = "", ...rest] = commandOf(args);
		return engine.run(program, ...rest);
	}

	/** Runs a command whose standard input is a file. */
	function composeReading(input: string, ...args: string[]): string {
		return engine.run("sh", "-c", 'exec "$@" <"$0"', input, ...commandOf(args));
	}

	function states(): Map<string, string> {
		const rows = engine.run("docker", "ps", "-a", "--format", "{{.Names}} {{.Status}}").trim().split("\n");
		return new Map(
			rows.map((row) => [row.slice(project.length + 1, row.indexOf("_1 ")), row.slice(row.indexOf(" ") + 1)]),
		);
	}

	async function becomeHealthy(): Promise<void> {
		const isWhole = () =>
			[...states()].every(([name, state]) => state.includes(name === "mongodb-users" ? "Exited (0)" : "(healthy)"));
		await eventually(isWhole, { withinMs: 180_000, everyMs: 1_000, what: "every container is healthy" });
	}

	/** Runs a program where the published ports are. */
	async function inside(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
		const [program = "", ...rest] = args;
		const child = engine.inside(program, rest, more);
		let output = "";
		child.stdout?.on("data", (chunk: Buffer) => (output += chunk));
		child.stderr?.on("data", (chunk: Buffer) => (output += chunk));
		await once(child, "close");
		if (child.exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${child.exitCode}:\n${output}`);
		return output;
	}

	function secret(name: string): string {
		return new RegExp(`^${name}=(.+)$`, "m").exec(readFileSync(env, "utf8"))?.[1] ?? "";
	}

	async function token(person: string): Promise<string> {
		const form = ["grant_type=password", `username=${person}`];
		const password = `password=${secret(`LOGIN_PASSWORD_${person.toUpperCase()}`)}`;
		const data = [...form, password].flatMap((part) => ["-d", part]);
		const answer = await inside(["curl", "-sS", "http://127.0.0.1:8081/token", ...data]);
		return (JSON.parse(answer) as { access_token: string }).access_token;
	}

	const answers = async () => (await inside(["curl", "-fsS", "http://127.0.0.1:8080/ready"])).includes("ready");

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-compose-"));
		env = join(folder, "env");
		makeRepository(join(folder, "repository"));
		execFileSync("chmod", ["-R", "a+rX", folder]);
		// Git refuses the repository of somebody else than its user.
		execFileSync("chown", ["-R", "1000:1000", join(folder, "repository")]);
		execFileSync(process.execPath, ["config/compose/make-env.ts", env], { cwd: projectRoot });
		// Processes with other values in the section "git" refuse to start beside each other, so all of them have to get it.
		appendFileSync(join(folder, "atelier.env"), "GIT__ALLOWED_PROTOCOLS=[file]\nANTHROPIC_API_KEY=of-the-file\n");
		execFileSync(process.execPath, ["config/compose/pack-dependencies.ts"], { cwd: projectRoot });
		engine = await DockerEngine.start();
		compose("up", "-d", "--build");
		await becomeHealthy();
	});

	after(async () => {
		await engine?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
		rmSync(join(projectRoot, "dependencies.tar"), { force: true });
	});

	it("a person logs in, and a session runs from creation to deletion", async () => {
		const run = { ATELIER_URL: "http://127.0.0.1:8080", ATELIER_TOKEN: await token("ada") };
		const output = await inside([process.execPath, "cli/demo.ts", "file:///repository"], run);
		expect(output).to.include("find it gone");
	});

	it("a key in atelier.env makes its models usable", async () => {
		const authorization = `Authorization: Bearer ${await token("ada")}`;
		const models = await inside(["curl", "-fsS", "-H", authorization, "http://127.0.0.1:8080/api/v1/svc/models"]);
		const offered = JSON.parse(models) as { id: string; available: boolean }[];
		const usable = offered.filter(({ id, available }) => available && /^(claude|gpt)/.test(id)).map(({ id }) => id);
		expect(usable.length).to.be.above(0);
		expect(usable.filter((id) => !id.startsWith("claude"))).to.deep.equal([]);
	});

	it("nobody is anybody without a token", async () => {
		const me = "http://127.0.0.1:8080/api/v1/svc/me";
		expect(await inside(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", me])).to.equal("401");
	});

	it("containers run as nobody special, on a root that they cannot change", () => {
		for (const name of ["core", ...gateways, "pod-manager", "login"]) {
			const container = `${project}_${name}_1`;
			expect(engine.run("docker", "exec", container, "id", "-u").trim()).to.equal("1000");
			expect(() => engine.run("docker", "exec", container, "touch", "/app/changed")).to.throw(/Read-only file system/);
		}
	});

	it("goes on while each gateway dies and returns", async () => {
		for (const name of gateways) {
			engine.run("docker", "kill", "-s", "KILL", `${project}_${name}_1`);
			await eventually(answers, { withinMs: 10_000, what: `the platform answers without ${name}` });
			compose("up", "-d", name);
			await becomeHealthy();
		}
	});

	it("comes back from a backup whose key is sealed, also where the key is lost", async () => {
		const passphrase = join(folder, "passphrase");
		writeFileSync(passphrase, "a passphrase of a test\n");
		const options = ["--passphrase-file", "/dev/stdin"];
		const backup = ["host/archive.ts", "backup", ...options, "--workspaces", "/data/atelier-1.gz"];
		const said = composeReading(passphrase, "exec", "-T", "pod-manager", "node", ...backup);
		expect(said).to.not.match(/Not in the archive: The (?:installation key|files of sessions)/i);
		compose("stop", ...gateways, "core", "pod-manager");
		const inNew = ["run", "--rm", "--no-deps", "-T"];
		const restore = ["host/archive.ts", "restore", "--force", ...options, "/data/atelier-1.gz"];
		const restored = () => {
			try {
				composeReading(passphrase, ...inNew, "-e", "ATELIER_INSTALLATION_KEY=", "pod-manager", ...restore);
				return true;
			} catch (error) {
				if (String(error).includes("A platform uses this store")) return false;
				throw error;
			}
		};
		await eventually(restored, {
			withinMs: 75_000,
			everyMs: 3_000,
			what: "the gateways that were killed count as ended",
		});
		const key = compose(...inNew, "--entrypoint", "cat", "pod-manager", "/data/keys/installation");
		expect(key.trim()).to.equal(secret("ATELIER_INSTALLATION_KEY"));
		compose("up", "-d");
		await becomeHealthy();
		await eventually(answers, { withinMs: 10_000, what: "the platform answers" });
	});

	it("finds gateways that were made again, at other addresses", async () => {
		const names = ["proxy", ...gateways].map((name) => `${project}_${name}_1`);
		const form = "{{.Id}} {{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
		const inspected = () =>
			engine
				.run("docker", "inspect", "-f", form, ...names)
				.trim()
				.split("\n");
		const [proxy, ...former] = inspected();
		engine.run("docker", "rm", "-f", ...names.slice(1));
		const others = former.map(() =>
			engine.run("docker", "run", "-d", "--network", `${project}_default`, "debian:12", "sleep", "infinity").trim(),
		);
		compose("up", "-d");
		engine.run("docker", "rm", "-f", ...others);
		await becomeHealthy();
		const addresses = (rows: readonly string[]) => rows.map((row) => row.split(" ")[1]);
		const [sameProxy, ...present] = inspected();
		expect(sameProxy).to.equal(proxy);
		expect(addresses(present)).to.not.have.any.members(addresses(former));
		await eventually(answers, { withinMs: 10_000, what: "the proxy finds them" });
		for (const name of gateways) {
			compose("stop", name);
			await eventually(answers, { withinMs: 10_000, what: `the platform answers without ${name}` });
			compose("up", "-d", name);
			await becomeHealthy();
		}
	});

	it("leaves nothing behind", () => {
		compose("down", "-v");
		const all = (kind: string) => engine.run("docker", kind, "ls", "-q", "--filter", `name=${project}`).trim();
		expect([all("container"), all("volume"), all("network")]).to.deep.equal(["", "", ""]);
	});
});
