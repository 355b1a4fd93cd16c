/** Starts the container of a launch: one that waits, if it is as the session needs it, and otherwise a new one. */
import { chmod, lstat, mkdir } from "node:fs/promises";
import { failpoint } from "#shared/base/failpoints.ts";
import type { PodSpec } from "../../../pod-runtime.ts";
import { unlessMissing } from "../../machine/folder-entries.ts";
import type { Launch } from "../../launches/launch.ts";
import type { RunFolders } from "../../machine/run-folders.ts";
import type { SessionFolders } from "../../machine/session-folders.ts";
import { containerEnvironment } from "../container-environment.ts";
import { type ContainerFolders, makeShared } from "../container-folders.ts";
import { containerName, type ContainerPlan, containerRequest } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import type { EngineContainers } from "../engine-containers.ts";
import { missingImage, type SessionImages } from "../images/session-images.ts";
import type { LaunchDoors } from "../launch-doors.ts";
import type { LaunchEgress } from "../launch-egress.ts";
import type { LaunchModels } from "../launch-models.ts";
import type { WarmBindings } from "../warm/warm-bindings.ts";
import { launchDocument } from "./launch-document.ts";
import { launchLimits } from "./launch-limits.ts";

export interface LaunchStartDependencies {
	readonly installation: string;
	readonly settings: ContainersSettings;
	readonly containers: EngineContainers;
	readonly images: SessionImages;
	readonly runs: RunFolders;
	readonly sessions: SessionFolders;
	readonly folders: ContainerFolders;
	readonly models: LaunchModels;
	readonly egress: LaunchEgress;
	readonly doors: LaunchDoors;
	readonly warm: WarmBindings;
}

/** The part of a container that a launch chooses. */
type Choice = Pick<ContainerPlan, "image" | "delivery" | "volumes" | "limits">;

export class LaunchStart {
	readonly #dependencies: LaunchStartDependencies;

	constructor(dependencies: LaunchStartDependencies) {
		this.#dependencies = dependencies;
	}

	/** @throws {PodRefused} {EngineRefusal} {EngineAway} */
	async run(spec: PodSpec, signal?: AbortSignal): Promise<void> {
		const { settings, images, runs, warm } = this.#dependencies;
		const launch = { sessionId: spec.session_id, generation: spec.generation };
		const limits = launchLimits(spec.resource_config ?? {}, settings);
		const choice = { ...(await images.planOf(spec.image)), limits };
		const isUsual = this.#isUsual(choice) && (await this.#isNew(launch, spec));
		await runs.create(launch);
		await this.#keep(launch, spec);
		if (isUsual && (await warm.bind(launch, signal))) return;
		await this.#startNew(launch, { ...choice, workspaceId: spec.workspace_id }, signal);
	}

	/** Whether a container that waits has the image and the bounds, which are fixed when it is created. */
	#isUsual({ image, delivery, limits }: Choice): boolean {
		const { settings } = this.#dependencies;
		const usual = launchLimits({}, settings);
		return image === settings.image && delivery === undefined && JSON.stringify(limits) === JSON.stringify(usual);
	}

	/** Whether neither the session has files, nor its launch folders of an earlier attempt: a container brings its own. */
	async #isNew(launch: Launch, { workspace_id }: PodSpec): Promise<boolean> {
		const { doors, sessions } = this.#dependencies;
		if (workspace_id !== launch.sessionId) return false;
		const places = [sessions.whole(workspace_id), doors.foldersOf(launch).platform];
		const found = await Promise.all(places.map((path) => lstat(path).catch(unlessMissing)));
		return found.every((one) => one === undefined);
	}

	/** Keeps what the launch needs on the platform's side, for this process and others. */
	async #keep(launch: Launch, spec: PodSpec): Promise<void> {
		const { models, egress, doors, settings } = this.#dependencies;
		if (spec.model_access) await models.keep(launch, { model: spec.model, budgeted: spec.budgeted ?? false });
		await egress.keep(launch, spec);
		await doors.keepDocument(launch, JSON.stringify(launchDocument(spec, settings.listenHost)));
	}

	async #startNew(launch: Launch, choice: Choice & { workspaceId: string }, signal?: AbortSignal): Promise<void> {
		const { containers, doors, installation, settings } = this.#dependencies;
		const folders = await this.#foldersFor(launch, choice.workspaceId, signal);
		await doors.open(launch);
		failpoint("containers.before-create");
		const { user } = settings;
		const plan = { ...launch, ...choice, installation, user, folders, env: containerEnvironment };
		signal?.throwIfAborted();
		await containers.run(containerName(launch), containerRequest(plan)).catch((error: unknown) => {
			throw missingImage(error, choice.image) ?? error;
		});
	}

	/** Makes the folders of a launch. The ones that are mounted are named by the platform alone (container-request.ts). */
	async #foldersFor(launch: Launch, workspaceId: string, signal?: AbortSignal) {
		const { doors, folders } = this.#dependencies;
		const { platform, agent } = doors.foldersOf(launch);
		await mkdir(platform, { recursive: true });
		// The user of sessions connects to the sockets in it, whatever the mask of this process is.
		await chmod(platform, 0o755);
		await makeShared(agent);
		const workspace = await folders.make(workspaceId, signal);
		const records = workspaceId === launch.sessionId ? workspace : await folders.make(launch.sessionId, signal);
		return { platform, agent, workspace, records };
	}
}
