/** A client that turns switches and arranges its layout, again and again. What was acknowledged last must be stored. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { answered } from "../answered.ts";
import type { Random } from "../random.ts";

const keys = ["chat", "terminal", "code", "files", "diffs"] as const;

interface ModuleView {
	key: string;
	enabled: boolean;
}

export class SettingsClient {
	readonly #api: ApiClient;
	readonly #random: Random;
	/** The acknowledged switches by the module's key. */
	readonly #switches = new Map<string, boolean>();
	#layout: unknown[] = [];
	readonly #wrong: string[] = [];

	constructor(api: ApiClient, random: Random) {
		this.#api = api;
		this.#random = random;
	}

	/** Runs until the signal aborts; a change that was begun is brought to its answer. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#random.pick([() => this.#turn(), () => this.#arrange()])();
			await sleep(this.#random.between(50, 500), undefined, { signal }).catch(() => {});
		}
	}

	/** Returns what is not stored as it was acknowledged. */
	async wrong(): Promise<string[]> {
		const { body } = await this.#api.get<ModuleView[]>("/features");
		const lost = [...this.#switches].filter(
			([key, enabled]) => body.find((one) => one.key === key)?.enabled !== enabled,
		);
		const layout = await this.#api.get("/features/preferences");
		const isKept = JSON.stringify(layout.body) === JSON.stringify(this.#layout);
		return [
			...this.#wrong,
			...lost.map(([key, enabled]) => `the switch of "${key}" should be ${enabled}`),
			...(isKept ? [] : [`the layout should be ${JSON.stringify(this.#layout)} and is ${layout.text}`]),
		];
	}

	async #turn(): Promise<void> {
		const key = this.#random.pick(keys);
		const enabled = this.#random.next() < 0.5;
		await this.#put(`/features/${key}/toggle`, { enabled });
		this.#switches.set(key, enabled);
	}

	async #arrange(): Promise<void> {
		const chosen = keys.filter(() => this.#random.next() < 0.5);
		const preferences = chosen.map((feature_key, sort_order) => ({ feature_key, visible: true, sort_order }));
		await this.#put("/features/preferences", { preferences });
		this.#layout = preferences;
	}

	async #put(path: string, body: unknown): Promise<void> {
		const { status, text } = await answered(() => this.#api.put(path, body));
		if (status !== 200) this.#wrong.push(`PUT ${path}: ${status} ${text}`);
	}
}
