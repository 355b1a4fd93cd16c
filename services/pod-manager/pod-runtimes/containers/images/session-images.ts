/** The images of sessions: the runtime's own, which has the session agent, and those that the operator offers beside it. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { PodRefused } from "../../../pod-refused.ts";
import { AgentDelivery } from "./agent-delivery.ts";
import type { ContainerPlan } from "../container-request.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { type EngineClient, EngineRefusal } from "../engine-client.ts";

/** The volumes of an image are places with a slash first; more than this many is no image for a session. */
const maxVolumes = 16;

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

	/** @param folder The folder of the delivered agents. */
	constructor(engine: EngineClient, settings: Settings, folder: string) {
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
		const [volumes, delivery] = await Promise.all([this.#volumesOf(image), this.#delivery.prepare()]);
		return { image, delivery, volumes };
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

/** Returns the refusal of an image that the engine does not have; undefined for another error. */
export function missingImage(error: unknown, image: string): PodRefused | undefined {
	const isMissing = error instanceof EngineRefusal && error.status === 404 && /no such image/i.test(error.message);
	return isMissing ? new PodRefused("IMAGE_PULL_FAILED", `"${image}"`, { cause: error }) : undefined;
}

function isImage(body: unknown): body is { Config: { Volumes?: Record<string, unknown> | null } } {
	return body instanceof Object && check(body).length === 0;
}
