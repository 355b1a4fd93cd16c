/** A platform with all that the examples of documents need: a repository at a GitHub, and a model that follows a script. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Script } from "../model-server/answer.ts";
import { ModelServer } from "../model-server/model-server.ts";
import { startPlatform, type TestPlatform } from "../platform/start-platform.ts";
import { GitHubStage } from "../providers/github/github-stage.ts";

/** The model that the examples name. */
const model = "claude-sonnet-4-6";
const prices = { input: 3, output: 15, cache_read: 1, cache_write: 4 };

interface ExampleParts {
	readonly folder: string;
	readonly github: GitHubStage;
	readonly platform: TestPlatform;
}

export class ExampleStage implements AsyncDisposable {
	/** A folder for the files of the examples. */
	readonly folder: string;
	readonly github: GitHubStage;
	readonly platform: TestPlatform;
	readonly #all: AsyncDisposableStack;

	private constructor({ folder, github, platform }: ExampleParts, all: AsyncDisposableStack) {
		this.folder = folder;
		this.github = github;
		this.platform = platform;
		this.#all = all;
	}

	/** @param script What the model answers. @param webhook_secret The secret of the GitHub's webhooks; empty: none. */
	static async open(script: Script, webhook_secret = ""): Promise<ExampleStage> {
		await using all = new AsyncDisposableStack();
		const folder = mkdtempSync(join(tmpdir(), "atelier-examples-"));
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		const github = all.use(await GitHubStage.open());
		const server = all.use(await ModelServer.listen({ script, model }));
		const file = join(folder, "models.yaml");
		const catalogue = {
			price_version: "test",
			providers: [{ id: "scripted", key_env: "SCRIPTED_KEY", endpoints: server.endpoints }],
			models: [{ id: model, name: "Scripted", provider: "scripted", prices }],
		};
		writeFileSync(file, JSON.stringify(catalogue));
		const hub = webhook_secret === "" ? {} : { base_url: github.fake.apiUrl, token: github.token, webhook_secret };
		const config = { models: { file }, git: { github: hub }, outbound: { allow: [new URL(github.fake.url).origin] } };
		const platform = all.use(await startPlatform({ config, env: { SCRIPTED_KEY: server.key } }));
		return new ExampleStage({ folder, github, platform }, all.move());
	}

	/** Returns a script of a document with the addresses and the account of this stage. */
	here(script: string): string {
		const connection = `"credential_name":"github"`;
		return script
			.replaceAll("http://127.0.0.1:8080", this.platform.url)
			.replaceAll("https://github.com/acme/engine", this.github.url)
			.replaceAll("ghp_…", this.github.token)
			.replaceAll(connection, `${connection},"config":{"base_url":"${this.github.fake.apiUrl}"}`);
	}

	/** Ends the platform first and removes the folder last. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#all.disposeAsync();
	}
}
