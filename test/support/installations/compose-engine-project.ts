/**
 * docker-compose.yml with docker-compose.engine.yml, brought up by a real Docker engine with the image of sessions. Needs root,
 * docker-engine and docker-compose.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { buildSessionImage } from "../containers/session-image.ts";
import { eventually } from "../eventually.ts";
import { DockerEngine } from "./docker-engine.ts";

/** The user of the platform in its images. */
const platformUser = 1_000;
const api = "http://127.0.0.1:8080/api/v1/svc";

const files = [
	"docker-compose.yml",
	"docker-compose.engine.yml",
	"test/support/installations/docker-compose.test.yml",
	"test/support/installations/docker-compose.engine-test.yml",
].flatMap((file) => ["-f", file]);

/** A caller of the API: the path below `/api/v1/svc`, and options of curl. */
export type Caller = <Answer>(path: string, ...args: string[]) => Promise<Answer>;

export class ComposeEngineProject implements AsyncDisposable {
	readonly engine: DockerEngine;
	readonly name = "atelier-engine-test";
	readonly #folder: string;

	private constructor(engine: DockerEngine, folder: string) {
		this.engine = engine;
		this.#folder = folder;
	}

	/** Makes the files of a new installation and its images. @param changed Changes the text of `atelier.env`; default: nothing. */
	static async prepared(changed = (text: string) => text): Promise<ComposeEngineProject> {
		const folder = mkdtempSync(join(tmpdir(), "atelier-compose-engine-"));
		execFileSync("chmod", ["755", folder]);
		mkdirSync(join(folder, "data"), { mode: 0o700 });
		chownSync(join(folder, "data"), platformUser, platformUser);
		execFileSync(process.execPath, ["config/compose/make-env.ts", join(folder, "env")], { cwd: projectRoot });
		const platformFile = join(folder, "atelier.env");
		writeFileSync(platformFile, changed(readFileSync(platformFile, "utf8")));
		const project = new ComposeEngineProject(await DockerEngine.start(), folder);
		try {
			buildSessionImage(project.engine);
			execFileSync(process.execPath, ["config/compose/pack-dependencies.ts"], { cwd: projectRoot });
			return project;
		} catch (error) {
			await project[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Brings all containers up; resolves when the platform is ready. */
	async up(): Promise<void> {
		this.compose("up", "-d", "--build");
		const isReady = async () => {
			const answer = await this.call<{ status?: string }>("http://127.0.0.1:8080/ready").catch(() => undefined);
			return answer?.status === "ready";
		};
		await eventually(isReady, { withinMs: 180_000, everyMs: 1_000, what: "the platform is ready" });
	}

	compose(...args: string[]): string {
		const data = join(this.#folder, "data");
		const engine = dirname(this.engine.socket);
		const variables = [`TEST_REPOSITORY=${data}`, `TEST_ENGINE=${engine}`, `ATELIER_DATA=${data}`];
		const place = ["--project-directory", projectRoot, "--env-file", join(this.#folder, "env"), "-p", this.name];
		return this.engine.run("env", ...variables, "docker-compose", ...place, ...files, ...args);
	}

	/** Returns a value of the file with the secrets. */
	secret(name: string): string {
		return new RegExp(`^${name}=(.+)$`, "m").exec(readFileSync(join(this.#folder, "env"), "utf8"))?.[1] ?? "";
	}

	/** Calls an address of the platform where its published ports are; resolves to the parsed answer. */
	async call<Answer>(url: string, ...args: string[]): Promise<Answer> {
		const child = this.engine.inside("curl", ["-sS", url, ...args]);
		let output = "";
		child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
		await once(child, "close");
		return JSON.parse(output) as Answer;
	}

	caller(token: string): Caller {
		const headers = [`Authorization: Bearer ${token}`, "Content-Type: application/json"].flatMap((line) => [
			"-H",
			line,
		]);
		return (path, ...args) => this.call(`${api}${path}`, ...headers, ...args);
	}

	/** Creates a session without a repository; resolves to its id when it runs. */
	async runningSession(by: Caller): Promise<string> {
		const wanted = JSON.stringify({ name: "contained", agent: "builtin", source: { type: "git", repo: "" } });
		const { id } = await by<{ id: string }>("/sessions", "-d", wanted);
		const isRunning = async () => (await by<{ status: string }>(`/sessions/${id}`)).status === "running";
		await eventually(isRunning, { withinMs: 60_000, everyMs: 500, what: "the session runs" });
		return id;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.engine[Symbol.asyncDispose]();
		rmSync(this.#folder, { recursive: true, force: true });
		rmSync(join(projectRoot, "dependencies.tar"), { force: true });
	}
}
