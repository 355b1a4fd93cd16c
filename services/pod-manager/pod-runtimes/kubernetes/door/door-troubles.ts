/** Remembers for a while what the door could not do, for the operator: a pod cannot tell anybody before it has its launch. */
import { LRUCache } from "lru-cache";
import { sentenceOf } from "../../../deduplicating-log.ts";

/** The questions of pods at the door. */
export type DoorQuestion = "launch" | "status";

/** The time in milliseconds: a sweep reads the troubles every minute, and a person who looks because a session has failed is to see them. */
const rememberedMs = 300_000;

const failed: Readonly<Record<DoorQuestion, string>> = {
	launch: "A pod gets no launch",
	status: "The status of a pod cannot be kept",
};

export class DoorTroubles {
	readonly #last: LRUCache<DoorQuestion, string>;

	/** @param ms How long a trouble is remembered after it was met last. */
	constructor(ms = rememberedMs) {
		this.#last = new LRUCache({ max: Object.keys(failed).length, ttl: ms });
	}

	/** Learns why a question could not be answered. */
	add(question: DoorQuestion, error: unknown): void {
		this.#last.set(question, `${failed[question]}: ${sentenceOf(error)}`);
	}

	/** The last trouble of each question. */
	get sentences(): readonly string[] {
		return [...this.#last.values()];
	}
}
