/** Proves once in the life of a process that the engine confines containers, before the first session starts. */
import { join } from "node:path";
import { keepMark } from "../../../runtime-change/runtime-mark.ts";
import { EngineAway } from "../engine-client.ts";
import { RuntimeProbe, type RuntimeProbeDependencies } from "./runtime-probe.ts";

export interface EngineProofDependencies extends Omit<RuntimeProbeDependencies, "file"> {
	/** The platform's data folder. */
	readonly dataDir: string;
}

export class EngineProof {
	readonly #dependencies: EngineProofDependencies;
	readonly #probe: RuntimeProbe;
	#isProven = false;

	constructor(dependencies: EngineProofDependencies) {
		this.#dependencies = dependencies;
		const file = join(dependencies.dataDir, "cache", "container-engine-proof");
		this.#probe = new RuntimeProbe({ ...dependencies, file });
	}

	/**
	 * Proves it at a start. An engine that was proven before may be restarting: the first session proves it then. Resolves to
	 * sentences for the operator. @throws {ConfigError}
	 */
	async first(signal: AbortSignal): Promise<readonly string[]> {
		try {
			return await this.#prove(signal);
		} catch (error) {
			if (error instanceof EngineAway) return [`${error.message}. Sessions wait until it does`];
			throw error;
		}
	}

	/** Proves it unless that was done. @throws {ConfigError} {EngineAway} */
	async ensure(signal: AbortSignal): Promise<void> {
		if (!this.#isProven) await this.#prove(signal);
	}

	async #prove(signal: AbortSignal): Promise<readonly string[]> {
		const sentences = await this.#probe.prove(signal);
		await keepMark(this.#dependencies.dataDir, { socket: this.#dependencies.settings.socket });
		this.#isProven = true;
		void this.#dependencies.short.removeAllLeft(signal).catch(() => {});
		return sentences;
	}
}
