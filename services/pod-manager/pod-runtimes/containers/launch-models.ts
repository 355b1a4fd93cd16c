/**
 * The models of the sessions in containers. The name of a launch's model is kept in its run folder, and everything secret is
 * computed again, so that another process can go on with it.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { bound } from "#shared/base/bounds.ts";
import { now } from "#shared/base/clock.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { createFile, replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { HeldBytes } from "#shared/model-proxy/held-bytes.ts";
import type { RuntimeHost, RuntimeModels } from "../../pod-runtime.ts";
import { type Launch, launchName } from "../launches/launch.ts";
import type { RunFolders } from "../machine/run-folders.ts";
import { DoorModel } from "./door-model.ts";

const maxKeptBytes = 4_096;
/** How long a launch that is over is kept for usage that the platform does not take, in milliseconds, from the first failure on. */
const undeliveredMs = 3_600_000;

/** The model of a launch as it is kept. */
interface KeptModel {
	/** Its name in the session; empty: the installation's default. */
	readonly model: string;
	/** Whether a budget applied at the start. */
	readonly budgeted: boolean;
}

export interface LaunchModelsDependencies extends Pick<RuntimeHost, "platformUrl"> {
	readonly runs: RunFolders;
	readonly models: RuntimeModels;
}

/** Owns the models of this process. */
export class LaunchModels {
	readonly #dependencies: LaunchModelsDependencies;
	readonly #open = new Map<string, DoorModel>();
	readonly #changes = new KeyedQueues();
	readonly #held = new HeldBytes(bound.doorHeldBytes);

	constructor(dependencies: LaunchModelsDependencies) {
		this.#dependencies = dependencies;
	}

	/** Keeps the model of a launch that begins. */
	async keep(launch: Launch, kept: KeptModel): Promise<void> {
		await replaceFile(this.#file(launch), JSON.stringify(kept));
	}

	/** Returns the model of a launch, which is opened if need be; undefined when it has none. */
	of(launch: Launch): Promise<DoorModel | undefined> {
		return this.#changes.run(launchName(launch), () => this.#opened(launch));
	}

	/**
	 * Closes the model of a launch that is over. @throws {Error} while its usage is not delivered: its records are needed then.
	 */
	settle(launch: Launch): Promise<void> {
		const name = launchName(launch);
		return this.#changes.run(name, async () => {
			const model = await this.#opened(launch);
			this.#open.delete(name);
			if (!model || (await model.close()) || (await this.#isGivenUp(launch))) return;
			throw new Error(`The usage of "${name}" is not delivered yet`);
		});
	}

	/** Ends the calls of all sessions. Usage that is not delivered soon waits for the next process. */
	async closeAll(): Promise<void> {
		const models = [...this.#open.values()];
		this.#open.clear();
		await Promise.all(models.map((model) => model.close()));
	}

	async #opened(launch: Launch): Promise<DoorModel | undefined> {
		const name = launchName(launch);
		const known = this.#open.get(name);
		if (known) return known;
		const kept = await this.#kept(launch);
		if (!kept) return undefined;
		const { models, platformUrl, runs } = this.#dependencies;
		const { sessionId, generation } = launch;
		const model = await DoorModel.open({
			session: {
				platform_url: platformUrl(),
				session_id: sessionId,
				generation,
				pod_token: models.podToken(sessionId, generation),
				budgeted: kept.budgeted,
			},
			access: models.accessOf(kept.model),
			presentAccess: async () => models.accessOf(await models.modelOf(sessionId)),
			spool: join(runs.path(launch), "usage.jsonl"),
			held: this.#held,
		});
		this.#open.set(name, model);
		return model;
	}

	async #kept(launch: Launch): Promise<KeptModel | undefined> {
		const content = await readUntrusted(this.#file(launch), maxKeptBytes);
		const { model, budgeted } = parseJsonObject(content?.toString("utf8") ?? "") ?? {};
		return typeof model === "string" ? { model, budgeted: budgeted === true } : undefined;
	}

	/** Whether the first failure, which is marked in the run folder, was long ago. */
	async #isGivenUp(launch: Launch): Promise<boolean> {
		const mark = this.#file(launch, "undelivered");
		await createFile(mark, "");
		const { mtimeMs } = await stat(mark);
		return now() - mtimeMs > undeliveredMs;
	}

	#file(launch: Launch, name = "model.json"): string {
		return join(this.#dependencies.runs.path(launch), name);
	}
}
