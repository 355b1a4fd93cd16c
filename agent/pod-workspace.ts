/** The pod's working copy: made, set up, and looked at. */
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { WorkspaceDiff } from "./diff/workspace-diff.ts";
import type { WorkingEnvironment } from "./environment.ts";
import { cloneEnvironment, Git, localEnvironment } from "./git.ts";
import { readIdentity, writeIdentity } from "./git-identity.ts";
import { LaunchFailure } from "./launch-failure.ts";
import type { LogBuffer } from "./log-buffer.ts";
import { runSetupScripts } from "./setup-scripts.ts";
import { Workspace } from "./workspace.ts";
import { folderBelow } from "./workspace-path.ts";

export interface WorkspaceParts {
	readonly launch: LaunchDocument;
	/** Environment of this process. */
	readonly inherited: NodeJS.ProcessEnv;
	/** What setup scripts get of it. */
	readonly env: WorkingEnvironment;
	readonly log: LogBuffer;
	/** Aborted when the pod ends. */
	readonly signal: AbortSignal;
}

export class PodWorkspace {
	/** Git that reaches no remote. */
	readonly git: Git;
	readonly #parts: WorkspaceParts;
	#comparing: Promise<WorkspaceDiff> | undefined;

	constructor(parts: WorkspaceParts) {
		this.#parts = parts;
		this.git = new Git(localEnvironment(parts.inherited, parts.launch), parts.log);
	}

	/**
	 * Returns the folder the agent works in.
	 * @param enter Called when the next step begins.
	 * @throws {LaunchFailure}
	 */
	async prepare(enter: (phase: "setting_up" | "starting_agent") => void): Promise<string> {
		const { launch, inherited, env, log, signal } = this.#parts;
		const { home, workspace, setup_scripts, working_folder } = launch;
		const git = new Git(cloneEnvironment(inherited, launch), log);
		const identity = readIdentity(git, home, signal).then((found) => writeIdentity(home, found));
		await Promise.all([new Workspace(launch, git, signal).prepare(), identity]);
		enter("setting_up");
		await runSetupScripts(setup_scripts, { workspace, env, log, signal });
		enter("starting_agent");
		const folder = await folderBelow(workspace, working_folder);
		if (folder === undefined) {
			throw new LaunchFailure("SETUP_FAILED", `There is no working folder "${working_folder}" in the workspace`);
		}
		return folder;
	}

	/** Loaded when it is asked for first. */
	diff(): Promise<WorkspaceDiff> {
		return (this.#comparing ??= this.#openDiff());
	}

	async #openDiff(): Promise<WorkspaceDiff> {
		const { workspace, home } = this.#parts.launch;
		const { WorkspaceDiff } = await import("./diff/workspace-diff.ts");
		return new WorkspaceDiff(workspace, home, this.git);
	}
}
