/**
 * Asks at the start, and each time the engine answers again, whether a filter stands before it and whether that is started for this
 * platform: a filter for something else would refuse the calls of one session after the other.
 */
import { realpathSync } from "node:fs";
import { SettingError } from "#shared/base/start-error.ts";
import { type FilterStatement, filterStatement, filterStatementPath } from "#shared/wire/engine/filter-statement.ts";
import type { ContainersSettings } from "../containers-options.ts";
import { EngineAway, type EngineClient, EngineRefusal } from "../engine-client.ts";
import { type FilterFindings, filterFindings } from "./filter-needs.ts";

const forbidden = 403;

/** The one who answers at the socket: the engine itself, a filter of this release, or one that does not say for what it is. */
type Front = "engine" | "filter" | "stranger";

export interface FilterCheckDependencies {
	readonly engine: EngineClient;
	readonly settings: ContainersSettings;
	readonly dataDir: string;
	/** The id of the installation; undefined where there is none yet. */
	readonly installation?: string | undefined;
}

export class FilterCheck {
	readonly #given: FilterCheckDependencies;
	#trouble: string | undefined;

	constructor(given: FilterCheckDependencies) {
		this.#given = given;
	}

	/** Returns the sentence about a filter that refuses what it should not, as the last answer was. */
	get trouble(): string | undefined {
		return this.#trouble;
	}

	/** @throws {SettingError} when no session could run behind this filter. {EngineAway} */
	async examine(signal?: AbortSignal): Promise<Front> {
		const said = await this.#ask(signal);
		if (typeof said === "string") {
			this.#trouble = said === "stranger" ? strangerSentence(this.#given.settings) : undefined;
			return said;
		}
		const { unusable, lesser } = this.#findings(said);
		this.#trouble = unusable ?? lesser;
		if (unusable !== undefined) throw new SettingError(unusable);
		return "filter";
	}

	/** Looks again while the platform runs, which goes on whatever it finds; the trouble says it. */
	async again(signal: AbortSignal): Promise<void> {
		await this.examine(signal).catch(() => {});
	}

	async #ask(signal?: AbortSignal): Promise<FilterStatement | Exclude<Front, "filter">> {
		try {
			const { body } = await this.#given.engine.call({ method: "GET", path: filterStatementPath, signal });
			return filterStatement(body) ?? "engine";
		} catch (error) {
			if (error instanceof EngineAway || !(error instanceof EngineRefusal)) throw error;
			// Engines answer 404 to a path that they do not have; filters refuse what they do not know.
			return error.status === forbidden ? "stranger" : "engine";
		}
	}

	#findings(said: FilterStatement): FilterFindings {
		const { settings, dataDir, installation } = this.#given;
		return filterFindings(said, settings, { dataDir, realDataDir: realPath(dataDir), installation });
	}
}

function strangerSentence({ socket }: Pick<ContainersSettings, "socket">): string {
	return (
		`What stands before the container engine at "${socket}" does not say for which platform it lets calls through: it is the filter of an ` +
		"earlier release, or another program. Restart npm run engine-filter with the sources of this release (docs/one-server.md)"
	);
}

/** A folder that is not there yet has no links. */
function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
