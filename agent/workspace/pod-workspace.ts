/** The pod's working copy: its creation, its setup, and the differences in it. */
import { mkdir } from "node:fs/promises";
import type { WorkspaceDiff } from "./diff/workspace-diff.ts";
import { cloneEnvironment, Git, localEnvironment } from "./git.ts";
import { readIdentity, writeIdentity } from "./git-identity.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { PodContext } from "../io/pod-context.ts";
import { runSetupScripts } from "./setup-scripts.ts";
import { Workspace } from "./workspace.ts";
import { folderBelow } from "./workspace-path.ts";

/** Prepares the workspace of one launch. */
export class PodWorkspace {
	/** Git has the environment for work without a remote. */
	readonly git: Git;
	readonly #context: PodContext;
	#making: Promise<void> | undefined;
	#comparing: Promise<WorkspaceDiff> | undefined;

	constructor(context: PodContext) {
		this.#context = context;
		this.git = new Git(localEnvironment(context.inherited, context.launch), context.log);
	}

	/**
	 * Starts the clone, so that git works while the rest of the program is loaded. A failure is reported by {@link
	 * prepare}.
	 */
	begin(): void {
		this.#making ??= this.#make();
		this.#making.catch(() => {});
	}

	/**
	 * Returns the folder in which the agent works.
	 * @param enter It is called when the next step begins.
	 * @throws {LaunchFailure}
	 */
	async prepare(enter: (phase: "setting_up" | "starting_agent") => void): Promise<string> {
		const { launch, env, log, signal } = this.#context;
		const { workspace, setup_scripts, working_folder } = launch;
		this.begin();
		await this.#making;
		enter("setting_up");
		await runSetupScripts(setup_scripts, { workspace, env, log, signal });
		enter("starting_agent");
		const folder = await folderBelow(workspace, working_folder);
		if (folder === undefined) {
			throw new LaunchFailure("SETUP_FAILED", `There is no working folder "${working_folder}" in the workspace`);
		}
		return folder;
	}

	async #make(): Promise<void> {
		const { launch, inherited, log, signal } = this.#context;
		const { home } = launch;
		await mkdir(home, { recursive: true, mode: 0o700 });
		const git = new Git(cloneEnvironment(inherited, launch), log);
		const identity = readIdentity(git, home, signal).then((found) => writeIdentity(home, found));
		await Promise.all([new Workspace(launch, git, signal).prepare(), identity]);
	}

	/** The module is loaded with the first call. */
	diff(): Promise<WorkspaceDiff> {
		return (this.#comparing ??= this.#openDiff());
	}

	async #openDiff(): Promise<WorkspaceDiff> {
		const { workspace, home } = this.#context.launch;
		const { WorkspaceDiff } = await import("./diff/workspace-diff.ts");
		return new WorkspaceDiff(workspace, home, this.git);
	}
}
