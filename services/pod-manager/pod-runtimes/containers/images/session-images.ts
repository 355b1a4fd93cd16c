/** The images of sessions: the runtime's own, which has the session agent, and those that the operator offers beside it. */
import { sleep } from "#shared/base/clock.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { PodRefused } from "../../../pod-refused.ts";
import { AgentDelivery } from "./agent-delivery.ts";
import type { ContainerPlan } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { type EngineClient, EngineRefusal } from "../engine-client.ts";
import type { EngineContainers } from "../engine-containers.ts";
import type { InspectedContainer } from "../inspected-container.ts";

/** The volumes of an image are places with a slash first; more than this many is no image for a session. */
const maxVolumes = 16;
/** How long a launch waits for the copy of the session agent, in milliseconds: the rest of its pass needs 6 s. */
const deliveryMs = 3_000;

const check = compileSchema({
	Config: {
		type: "object",
		props: {
			Volumes: { type: "record", key: { type: "string" }, value: { type: "any" }, nullable: true, optional: true },
		},
	},
});

type ImagePlan = Pick<ContainerPlan, "image" | "delivery" | "volumes">;

type Settings = Pick<ContainersSettings, "image" | "images" | "user">;

export class SessionImages {
	readonly #engine: EngineClient;
	readonly #settings: Settings;
	readonly #delivery: AgentDelivery;
	readonly #waitMs: number;

	/** @param folder The folder of the delivered agents. @param waitMs How long a launch waits for one that is being copied. */
	constructor(engine: EngineClient, settings: Settings, folder: string, waitMs = deliveryMs) {
		this.#waitMs = waitMs;
		this.#engine = engine;
		this.#settings = settings;
		this.#delivery = new AgentDelivery(folder, settings.user);
	}

	/** Returns how a session starts from an image; undefined names the runtime's own. @throws {PodRefused} */
	async planOf(image: string | undefined): Promise<ImagePlan> {
		const { image: own, images } = this.#settings;
		if (image === undefined || image === own) return { image: own };
		if (!images.includes(image))
			throw new PodRefused(
				"POD_FORBIDDEN",
				`the operator does not offer the image "${image}" (pods.runtime.kwargs.images)`,
			);
		const [volumes, delivery] = await Promise.all([this.#volumesOf(image), this.#delivered()]);
		return { image, delivery, volumes };
	}

	/** Returns the id of the runtime's own image, which changes when another image gets its name. @throws {PodRefused} */
	async ownId(signal?: AbortSignal): Promise<string> {
		const { image } = this.#settings;
		try {
			const { body } = await this.#engine.call({ method: "GET", path: `/images/${image}/json`, signal });
			if (body instanceof Object && "Id" in body) return String(body.Id);
			throw new Error(`The container engine does not tell the id of the image "${image}"`);
		} catch (error) {
			throw missingImage(error, image) ?? error;
		}
	}

	/**
	 * Makes the session agent for images of others before the first session needs it, and removes those of other releases that no
	 * container has. What fails here is tried again by a launch.
	 */
	async tend(containers: Pick<EngineContainers, "list">): Promise<void> {
		if (this.#settings.images.length === 0) return;
		await this.#delivery.prepare();
		const inUse = mountedFolders((await containers.list()).map(({ container }) => container));
		if (inUse !== undefined) await this.#delivery.removeOthers(inUse);
	}

	/** Ends the copying that is under way. */
	close(): Promise<void> {
		return this.#delivery.close();
	}

	/** A pass does not wait for a slow disk: the copying goes on, and a later pass finds it done. @throws {PodRefused} */
	async #delivered(): Promise<string> {
		const waiting = new AbortController();
		const late = sleep(this.#waitMs, waiting.signal);
		const folder = await Promise.race([this.#delivery.prepare(), late]).finally(() => waiting.abort());
		if (folder !== undefined) return folder;
		const words = "the session agent is still being copied for images of others, which happens once for a release";
		throw new PodRefused("VOLUME_MOUNT_FAILED", words);
	}

	async #volumesOf(image: string): Promise<string[]> {
		try {
			const { body } = await this.#engine.call({ method: "GET", path: `/images/${image}/json` });
			const places = isImage(body) ? Object.keys(body.Config.Volumes ?? {}) : [];
			if (places.length > maxVolumes)
				throw new PodRefused("IMAGE_INVALID", `"${image}" has ${places.length} volumes, at most ${maxVolumes}`);
			return places;
		} catch (error) {
			throw missingImage(error, image) ?? error;
		}
	}
}

/** Returns the sources of all mounts; undefined when a container does not tell its own. */
function mountedFolders(containers: readonly InspectedContainer[]): ReadonlySet<string> | undefined {
	const mounts = containers.map((container) => container.Mounts);
	if (mounts.includes(undefined)) return undefined;
	return new Set(mounts.flatMap((some = []) => some.flatMap(({ Source }) => Source ?? [])));
}

/** Returns the refusal of an image that the engine does not have; undefined for another error. */
export function missingImage(error: unknown, image: string): PodRefused | undefined {
	const isMissing = error instanceof EngineRefusal && error.status === 404 && /no such image/i.test(error.message);
	return isMissing ? new PodRefused("IMAGE_PULL_FAILED", `"${image}"`, { cause: error }) : undefined;
}

function isImage(body: unknown): body is { Config: { Volumes?: Record<string, unknown> | null } } {
	return body instanceof Object && check(body).length === 0;
}
