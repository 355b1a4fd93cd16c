/** The pod's working copy: its creation, its setup, and the differences in it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setupMs } from "#shared/wire/launch/setup-time.ts";
import type { Repository } from "#shared/wire/pod/launch.ts";
import type { PodStatus, RepositoryBranch } from "#shared/wire/pod/status.ts";
import { machineEnvironment } from "../io/environment.ts";
import { placeLocalFolders } from "./local-folders.ts";
import { CloneProgress } from "./clone-progress.ts";
import type { Comparison } from "./diff/workspace-diff.ts";
import { cloneEnvironment, Git, localEnvironment } from "./git.ts";
import { type GitIdentity, readIdentity, sessionIdentity, writeIdentity } from "./git-identity.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { PodContext } from "../io/pod-context.ts";
import { writeSshConfig } from "../ssh/ssh-config.ts";
import { credentialSettings } from "./git-credentials.ts";
import { ignorePermissionFiles, permissionFilesOf } from "./permission-files.ts";
import { PlacedSecrets } from "./pod-secrets.ts";
import { runSetupScripts } from "./setup-scripts.ts";
import { copySettings } from "./person-settings.ts";
import { Workspace } from "./workspace.ts";
import { folderBelow } from "./workspace-path.ts";
import { treesOfLaunch } from "./work-tree.ts";

/** The variable that tells setup scripts the folder in which the agent will work. They run in the workspace itself. */
const layoutRoot = "ATELIER_LAYOUT_ROOT";

export class PodWorkspace {
	/** Git has the environment for work without a remote. */
	readonly git: Git;
	readonly secrets: PlacedSecrets;
	readonly #context: PodContext;
	#making: Promise<RepositoryBranch[]> | undefined;
	#progress: CloneProgress | undefined;
	#tell: (sentence: string) => void = () => {};
	/** Sentences about the workspace, which is made before anybody asks for them. */
	readonly #warnings: string[] = [];
	#comparing: Promise<Comparison> | undefined;

	constructor(context: PodContext) {
		this.#context = context;
		this.secrets = new PlacedSecrets(context);
		this.git = new Git(localEnvironment(context.inherited, context.launch), context.log);
	}

	/** Starts the clone, so that git works while the rest is loaded. A failure is reported by {@link prepare}. */
	begin(): void {
		this.#making ??= this.#make();
		this.#making.catch(() => {});
	}

	/**
	 * Returns the folder in which the agent works.
	 * @param enter It is called when the next step begins.
	 * @param tell Receives a sentence about the clones, at most once a second.
	 * @param warn Receives sentences for the session's owner.
	 * @throws {LaunchFailure}
	 */
	async prepare(
		enter: (phase: "setting_up" | "starting_agent", found: Pick<PodStatus, "clones" | "branches">) => void,
		tell: (sentence: string) => void,
		warn: (sentence: string) => void,
	): Promise<string> {
		const { launch, env, log, signal } = this.#context;
		const { workspace, setup_scripts, working_folder } = launch;
		this.#tell = tell;
		this.begin();
		const branches = await this.#making;
		this.#warnings.forEach(warn);
		const clones = this.#progress?.timings ?? [];
		const found = {
			...(clones.length > 0 && { clones }),
			...(branches && branches.length > 0 && { branches }),
		};
		enter("setting_up", found);
		const place = { workspace, env: { ...env, [layoutRoot]: join(workspace, working_folder) }, log, signal };
		await runSetupScripts(setup_scripts, { ...place, limitMs: setupMs(launch) });
		await ignorePermissionFiles(launch, await permissionFilesOf(launch.agent));
		enter("starting_agent", found);
		const folder = await folderBelow(workspace, working_folder);
		if (folder === undefined) {
			throw new LaunchFailure("SETUP_FAILED", `There is no working folder "${working_folder}" in the workspace`);
		}
		return folder;
	}

	async #make(): Promise<RepositoryBranch[]> {
		const { launch, inherited, log, signal } = this.#context;
		const { home, secrets: { variables: secrets = {} } = {} } = launch;
		await mkdir(home, { recursive: true, mode: 0o700 });
		await this.secrets.placed;
		await writeSshConfig(launch).catch((error: unknown) =>
			log.add("WARNING", "session-agent", `The settings of ssh cannot be written: ${String(error)}`),
		);
		const git = new Git(cloneEnvironment(inherited, launch), log);
		const identity = this.#identity(git).then((found) => writeIdentity(home, found, credentialSettings(launch)));
		await copySettings(launch.git_home, home, new Set([...Object.keys(launch.env), ...Object.keys(secrets)]));
		const progressOf = (repositories: readonly Repository[]): CloneProgress =>
			(this.#progress = new CloneProgress(repositories, log, (sentence) => this.#tell(sentence)));
		const warn = (sentence: string): void => void this.#warnings.push(sentence);
		const env = machineEnvironment(inherited);
		const made =
			launch.mounts && launch.mounts.length > 0
				? placeLocalFolders({ launch, env, log, signal }).then(() => [])
				: new Workspace({ launch, git, local: this.git, signal, progressOf, warn }).prepare();
		const [branches] = await Promise.all([made, identity]);
		return branches;
	}

	/** Git is not asked where it has no person's configuration, which is so in each container. */
	async #identity(git: Git): Promise<GitIdentity> {
		const { launch, signal } = this.#context;
		return launch.git_home === "" ? sessionIdentity : readIdentity(git, launch.home, signal);
	}

	/** The module is loaded with the first call. */
	diff(): Promise<Comparison> {
		return (this.#comparing ??= this.#openDiff());
	}

	async #openDiff(): Promise<Comparison> {
		const { launch } = this.#context;
		const [{ compareTrees }, permissionFiles] = await Promise.all([
			import("./diff/several-diffs.ts"),
			permissionFilesOf(launch.agent),
		]);
		return compareTrees(treesOfLaunch(launch), { scratch: launch.home, git: this.git, permissionFiles });
	}
}
