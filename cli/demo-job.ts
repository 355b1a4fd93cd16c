/** The main job of the platform as one person does it by hand, from the event stream to the deletion of the session. */
import { randomBytes } from "node:crypto";
import { monotonic, sleep } from "#shared/base/clock.ts";
import { type PlatformClient, PlatformError } from "./platform-client.ts";
import { type SessionView, SessionWatch } from "./session-watch.ts";
import type { Steps } from "./steps.ts";

/** The choices of the person who runs the demo. */
export interface DemoOptions {
	/** The URL of the git repository to work on; empty: an empty workspace. */
	repository: string;
	/** The branch; empty: the one that the HEAD of the remote names. */
	branch: string;
	/** Whether the demo ends before the session is stopped and leaves it running. */
	keep: boolean;
}

interface Turn {
	role: "user" | "assistant";
	/** The text in Markdown. */
	content: string;
	parts: { output?: string }[];
}

interface ConversationPage {
	turns: Turn[];
	is_active: boolean;
}

interface Answer {
	/** The unchanged output of the turn's commands, or its text when there was none. */
	readonly text: string;
	/** Whether the turn has the output of a command, as each answer of the shell has. */
	readonly hasRun: boolean;
}

const file = "atelier-demo.txt";
const shellMessage = `$ echo hello > ${file} && git status --short`;
/** The variable that the session has from its profile. */
const variable = "DEMO_PROFILE";
const plainMessage = "What could be done next in this repository?";

const startMs = 120_000;
const stopMs = 60_000;
const answerMs = 60_000;
const pollMs = 50;

/**
 * Runs the job. When it fails, and when `ending` aborts, what it has made is deleted.
 * @throws {PlatformError} at the first unexpected answer, and when it was ended.
 */
export async function runDemo(
	client: PlatformClient,
	steps: Steps,
	options: DemoOptions,
	ending: AbortSignal,
): Promise<void> {
	const stream = new AbortController();
	const job = new DemoJob(client, steps, options, ending);
	try {
		await job.run(AbortSignal.any([stream.signal, ending]));
	} catch (error) {
		if (ending.aborted) throw new PlatformError(`It was ended; ${await job.remove()}`);
		await job.leave();
		throw error;
	} finally {
		stream.abort();
	}
}

class DemoJob {
	readonly #client: PlatformClient;
	readonly #steps: Steps;
	readonly #options: DemoOptions;
	readonly #ending: AbortSignal;
	#id = "";
	#hasBegun = false;
	/** The id of the first session, which is that of its workspace. */
	#workspace = "";
	/** The name of a profile that nobody else has. */
	readonly #profile = `demo-${randomBytes(4).toString("hex")}`;

	constructor(client: PlatformClient, steps: Steps, options: DemoOptions, ending: AbortSignal) {
		this.#client = client;
		this.#ending = ending;
		this.#steps = steps;
		this.#options = options;
	}

	async run(signal: AbortSignal): Promise<void> {
		const events = await this.#steps.run("open the event stream", () => this.#client.events(signal));
		const watch = new SessionWatch(events);
		await this.#blueprints();
		await this.#create(watch);
		await this.#talk();
		await this.#look();
		if (this.#options.keep) return this.#noteStays();
		await this.#stopAndStart(watch);
		await this.#putAway(watch);
	}

	/** Deletes what a failed job has made, unless the session should stay, and says what has become of it. */
	async leave(): Promise<void> {
		if (!this.#hasBegun) return;
		if (this.#options.keep && this.#id !== "") return this.#noteStays();
		this.#steps.note(`The demo ends here; ${await this.remove()}`);
	}

	#noteStays(): void {
		this.#steps.note(`The session stays: ${this.#id}; DELETE ${this.#client.url(`/sessions/${this.#id}`)} removes it`);
	}

	/** Deletes what is there of the job, and says so. It may be anything, as the job may be ended at any time. */
	async remove(): Promise<string> {
		const left: string[] = [];
		const remove = (path: string, body = {}): Promise<void> =>
			this.#client.delete(path, body).catch((error: unknown) => {
				if (!(error instanceof PlatformError && error.status === 404)) left.push(`DELETE ${path}`);
			});
		await remove(`/profiles/${this.#profile}`);
		if (this.#id !== "") await remove(this.#path, { cleanup: ["workspace_storage"] });
		// It outlives the first session until the second one has it.
		if (this.#workspace !== "") await remove(`/workspaces/${this.#workspace}`);
		return left.length === 0 ? "what it made is deleted" : `this is left to do: ${left.join(", ")}`;
	}

	get #path(): string {
		return `/sessions/${this.#id}`;
	}

	/** Shows what sessions are made from, and saves a profile for this one. */
	async #blueprints(): Promise<void> {
		const templates = await this.#steps.run("list the templates", () =>
			this.#client.get<{ name: string; description: string }[]>("/templates"),
		);
		this.#steps.note(templates.map(({ name, description }) => `${name}: ${description}`).join("\n"));
		this.#hasBegun = true;
		const profile = { name: this.#profile, env_vars: { [variable]: this.#profile } };
		await this.#steps.run("save a profile", () => this.#client.post("/profiles", profile));
		this.#steps.note(`${this.#profile} sets ${variable}`);
	}

	async #create(watch: SessionWatch): Promise<void> {
		const { repository: repo, branch } = this.#options;
		const session = await this.#steps.run("create a session", () =>
			this.#client.post<SessionView>("/sessions", {
				name: "demo",
				source: { type: "git", repo, branch },
				profile_name: this.#profile,
			}),
		);
		[this.#id, this.#workspace] = [session.id, session.id];
		this.#steps.note(`${session.id} on ${repo === "" ? "an empty workspace" : repo}`);
		// The session keeps the settings of the profile.
		await this.#steps.run("delete the profile", () => this.#client.delete(`/profiles/${this.#profile}`, {}));
		for (const status of ["starting", "provisioning", "running"]) {
			await this.#steps.run(`see it ${status}`, () => watch.status(session.id, status, { withinMs: startMs }));
		}
	}

	async #talk(): Promise<void> {
		await this.#ask("send a shell command and get its output", shellMessage, ({ text, hasRun }) => {
			if (!hasRun)
				throw new PlatformError(
					"A model answered and did not run the command; the demo needs one that uses tools, or none",
				);
			expect(text.includes(file), `the answer names ${file}`);
		});
		await this.#ask("send a plain message and get the answer", plainMessage);
	}

	/** Sends a message, and shows it with its answer. The step fails when `check` throws. */
	async #ask(name: string, content: string, check: (answer: Answer) => void = () => {}): Promise<void> {
		let answer: Answer | undefined;
		try {
			await this.#steps.run(name, async () => {
				const before = (await this.#conversation()).turns.length;
				await this.#client.post(`${this.#path}/messages`, { content });
				answer = await this.#answer(before);
				check(answer);
			});
		} finally {
			if (answer) this.#steps.note(`> ${content}\n${answer.text}`);
		}
	}

	/** Resolves to the assistant's turn after the first `before` turns, when the agent is idle again. */
	async #answer(before: number): Promise<Answer> {
		const limit = monotonic() + answerMs;
		for (;;) {
			this.#ending.throwIfAborted();
			const { turns, is_active } = await this.#conversation();
			const answer = turns.slice(before).find(({ role }) => role === "assistant");
			if (answer && !is_active) return answerOf(answer);
			if (monotonic() > limit) throw new PlatformError(`No answer to the message within ${answerMs} ms`);
			await sleep(pollMs);
		}
	}

	#conversation(): Promise<ConversationPage> {
		return this.#client.get(`${this.#path}/conversation`);
	}

	async #look(): Promise<void> {
		const { total, lines } = await this.#steps.run("read the logs", async () => {
			const page = await this.#client.get<{ total: number; lines: { message: string }[] }>(
				`${this.#path}/logs?lines=3`,
			);
			expect(page.total > 0, "the logs tell how the session started");
			return page;
		});
		this.#steps.note(`${total} lines, the last ones:\n${lines.map(({ message }) => message).join("\n")}`);
		await this.#steps.run("read the conversation", async () => {
			const { turns } = await this.#conversation();
			expect(turns.length >= 4, "the conversation has both messages and both answers");
		});
		await this.#steps.run("list the changed files", async () => {
			const { files } = await this.#client.get<{ files: { path: string; status: string }[] }>(`${this.#path}/diff`);
			const isNew = files.some(({ path, status }) => path === file && status === "new");
			expect(isNew, `the diff shows ${file} as new`);
		});
		const { patch } = await this.#steps.run("read the diff", () =>
			this.#client.get<{ patch: string }>(`${this.#path}/diff?format=patch`),
		);
		this.#steps.block("patch", patch);
	}

	async #stopAndStart(watch: SessionWatch): Promise<void> {
		await this.#steps.run("stop the session", () => this.#command("stop", watch, "stopped", stopMs));
		await this.#steps.run("start it again", () => this.#command("start", watch, "running", startMs));
		await this.#ask("find the file still there", `$ cat ${file} && echo "$${variable}"`, ({ text }) => {
			expect(text.includes("hello"), `${file} holds what was written before the stop`);
			expect(text.includes(this.#profile), `the session still has ${variable} of its profile`);
		});
	}

	async #putAway(watch: SessionWatch): Promise<void> {
		await this.#steps.run("archive it", () => this.#command("archive", watch, "archived", stopMs));
		await this.#steps.run("restore it", () => this.#command("restore", watch, "stopped", stopMs));
		await this.#continueInWorkspace(watch);
		await this.#steps.run("delete it", async () => {
			await this.#client.delete(this.#path, { cleanup: ["workspace_storage"] });
			await watch.deleted(this.#id, stopMs);
		});
		await this.#steps.run("find it gone", () => this.#expectGone());
	}

	/** Deletes the session and continues in its workspace with another one. */
	async #continueInWorkspace(watch: SessionWatch): Promise<void> {
		const workspace_id = this.#id;
		const path = `/workspaces/${workspace_id}`;
		await this.#steps.run("delete the session and keep its workspace", async () => {
			await this.#client.delete(this.#path, {});
			await watch.deleted(workspace_id, stopMs);
			await this.#workspaceReaches(path, "archived");
		});
		await this.#steps.run("restore the workspace", () => this.#client.post(`${path}/restore`));
		await this.#steps.run("continue in it with a new session", async () => {
			const { id } = await this.#client.post<SessionView>("/sessions", { name: "demo-again", workspace_id });
			this.#id = id;
			await watch.status(id, "running", { withinMs: startMs });
		});
		await this.#ask("find the uncommitted file in it", `$ cat ${file}`, ({ text }) =>
			expect(text.includes("hello"), `${file} holds what the first session wrote`),
		);
	}

	async #workspaceReaches(path: string, wanted: string): Promise<void> {
		const limit = monotonic() + stopMs;
		while ((await this.#client.get<{ status: string }>(path)).status !== wanted) {
			if (monotonic() > limit) throw new PlatformError(`The workspace is not ${wanted} within ${stopMs} ms`);
			this.#ending.throwIfAborted();
			await sleep(pollMs);
		}
	}

	async #command(command: string, watch: SessionWatch, status: string, withinMs: number): Promise<void> {
		const after = watch.count;
		await this.#client.post(`${this.#path}/${command}`);
		await watch.status(this.#id, status, { withinMs, after });
	}

	async #expectGone(): Promise<void> {
		const status = await this.#client.get(this.#path).then(
			() => 200,
			(error: unknown) => (error instanceof PlatformError ? error.status : undefined),
		);
		expect(status === 404, "a deleted session is unknown");
	}
}

function answerOf({ parts, content }: Turn): Answer {
	const outputs = parts.flatMap(({ output }) => (output === undefined ? [] : [output]));
	return { text: outputs.join("") || content, hasRun: outputs.length > 0 };
}

function expect(holds: boolean, what: string): void {
	if (!holds) throw new PlatformError(`Expected that ${what}, and it is not so`);
}
