/** One container that was started ahead of a session, and whose agent waits in it. */
import type { WaitingProgram } from "../../machine/waiting-pool.ts";
import type { WarmChannel } from "./warm-channel.ts";
import type { WarmPlaces } from "./warm-folders.ts";

export class WarmContainer implements WaitingProgram {
	/** Its own part of the names of its container and its folders. */
	readonly name: string;
	/** The id of its image, whose name may be that of another one by now. */
	readonly imageId: string;
	readonly places: WarmPlaces;
	readonly #channel: WarmChannel;
	readonly #removal: AsyncDisposableStack;

	/** @param removal Removes all that belongs to it. */
	constructor(
		{ name, imageId, places }: Pick<WarmContainer, "name" | "imageId" | "places">,
		channel: WarmChannel,
		removal: AsyncDisposableStack,
	) {
		this.name = name;
		this.imageId = imageId;
		this.places = places;
		this.#channel = channel;
		this.#removal = removal;
	}

	/** Resolves when its agent has ended. */
	get ended(): Promise<void> {
		return this.#channel.ended;
	}

	/** Lets its agent ask for the launch. The container and the folders are the session's from now on. */
	async letGo(): Promise<void> {
		this.#removal.move();
		await this.#channel[Symbol.asyncDispose]();
	}

	/** Ends it; does nothing after it was let go. @throws {Error} when something is left, which a later sweep removes. */
	async end(): Promise<void> {
		await this.#removal.disposeAsync();
	}
}
