/** Publishes the work of a session: commits it, and pushes it to a branch of the repository that the launch names. */
import { join } from "node:path";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import type { PublishedWork } from "#shared/contracts/sessions/session-control.ts";
import type { PublishOrder } from "#shared/wire/pod/published-work.ts";
import type { PodContext } from "../../io/pod-context.ts";
import { hasCredentialFor } from "../git-credentials.ts";
import { type GitIdentity, isSessionIdentity, readIdentity } from "../git-identity.ts";
import { cloneEnvironment, Git, localEnvironment, pushEnvironment } from "../git.ts";
import { isFreeOfLinks } from "../workspace-path.ts";
import { permissionFilesOf } from "../permission-files.ts";
import { pushBranch, type PushCredential } from "./branch-push.ts";
import { PushRefusedError, UnknownRepositoryError, WorkUnderWayError } from "./publish-errors.ts";
import { commitWork } from "./work-commit.ts";

/** Publishes one at a time, so that two requests make one commit. */
export class WorkPublication {
	readonly #context: PodContext;
	readonly #isTurnUnderWay: () => boolean;
	readonly #turns = new FairQueue();

	/** @param isTurnUnderWay Whether the coding agent may change files at the moment. */
	constructor(context: PodContext, isTurnUnderWay: () => boolean) {
		this.#context = context;
		this.#isTurnUnderWay = isTurnUnderWay;
	}

	/** @throws one of publish-errors.ts; their messages have no secrets. */
	publish(order: PublishOrder): Promise<PublishedWork> {
		return this.#turns.run("", () => this.#publish(order));
	}

	async #publish({ path, url, branch, message, author, credential }: PublishOrder): Promise<PublishedWork> {
		const { launch, inherited, log, signal } = this.#context;
		if (this.#isTurnUnderWay())
			throw new WorkUnderWayError("The agent is working; wait for the end of its turn, or interrupt it");
		await this.#refuseOthers(path, url);
		const folder = join(launch.workspace, path);
		if (credential) log.hide(credential.password);
		const local = new Git(localEnvironment(inherited, launch), log);
		const permissionFiles = await permissionFilesOf(launch.agent);
		const place = { folder, git: local, signal, permissionFiles };
		const { sha, committed } = await commitWork(place, message, await this.#author(author));
		const gitFor = (to: string, given?: PushCredential): Git =>
			new Git(given ? pushEnvironment(inherited, launch, to) : cloneEnvironment(inherited, launch), log);
		const isGiven = credential !== undefined && !hasCredentialFor(launch, url);
		const push = { folder, url, branch, sha, ...(isGiven && { credential }) };
		const from = { scratch: launch.state, protocols: launch.git_protocols, gitFor, signal };
		await pushBranch(push, from).catch((error: unknown) => {
			if (error instanceof PushRefusedError) throw new PushRefusedError(log.withoutSecrets(error.message));
			throw error;
		});
		return { url, branch, sha, committed };
	}

	/** Refuses a repository that is not the launch's own one at that place. @throws {UnknownRepositoryError} */
	async #refuseOthers(path: string, url: string): Promise<void> {
		const { workspace, repositories, mounts = [] } = this.#context.launch;
		const isNamed = mounts.length === 0 && repositories.some((one) => one.path === path && one.url === url);
		if (!isNamed) throw new UnknownRepositoryError(`The running session has no such repository at "${path || "."}"`);
		if (path !== "" && !(await isFreeOfLinks(workspace, path)))
			throw new UnknownRepositoryError(`"${path}" is a link and no repository of the workspace`);
	}

	/** The person's own configuration has precedence over what the platform knows of the person. */
	async #author(author: GitIdentity | undefined): Promise<GitIdentity> {
		const { launch, inherited, log, signal } = this.#context;
		const own = await readIdentity(new Git(cloneEnvironment(inherited, launch), log), launch.state, signal);
		return author && isSessionIdentity(own) ? author : own;
	}
}
