/** Asks whether containers can be used at all, for a start that chooses its runtime (chosen-runtime.ts). */
import { deadline } from "#shared/base/clock.ts";
import { SettingError } from "#shared/base/start-error.ts";
import { type ContainersArguments, containersSettings } from "./containers-options.ts";
import { EngineClient, EngineRefusal } from "./engine-client.ts";
import { FilterCheck, type FilterCheckDependencies } from "./filter/filter-check.ts";
import { absentEngine, absentImage } from "./reasons/absent-engine.ts";
import { desktopEngine } from "./reasons/desktop-engine.ts";

type FilteredBy = Pick<FilterCheckDependencies, "dataDir" | "installation">;

/** The time of the question, in milliseconds; a start waits for it. */
const askedMs = 2_000;

/**
 * Resolves to the reason why no session can run with these arguments; undefined when an engine and the image are there.
 * @throws {SettingError} for arguments that cannot be used, and for the filter of another platform: no other runtime is meant then.
 */
export async function engineUnusableBecause(
	kwargs: ContainersArguments,
	host: FilteredBy,
): Promise<string | undefined> {
	const settings = containersSettings(kwargs);
	const { socket, image } = settings;
	const engine = new EngineClient(socket);
	try {
		await new FilterCheck({ engine, settings, ...host }).examine(deadline(askedMs));
		const path = `/images/${image}/json`;
		const { status } = await engine.call({ method: "GET", path, accepts: [404], withinMs: askedMs });
		return status === 404 ? absentImage(settings) : desktopEngine(socket, await infoOf(engine));
	} catch (error) {
		if (error instanceof SettingError) throw error;
		return absentEngine(socket, error) ?? (error instanceof Error ? error.message : String(error));
	} finally {
		engine.close();
	}
}

/** Resolves to what the engine says of itself; undefined when it says nothing. */
async function infoOf(engine: EngineClient): Promise<unknown> {
	try {
		return (await engine.call({ method: "GET", path: "/info", withinMs: askedMs })).body;
	} catch (error) {
		if (error instanceof EngineRefusal) return undefined;
		throw error;
	}
}

/** Resolves to the sentence about a filter that refuses what these arguments allow, as far as it can be asked. */
export async function filterLacks(kwargs: ContainersArguments, host: FilteredBy): Promise<readonly string[]> {
	const settings = containersSettings(kwargs);
	const engine = new EngineClient(settings.socket);
	const filter = new FilterCheck({ engine, settings, ...host });
	await filter.again(deadline(askedMs));
	engine.close();
	return filter.trouble === undefined ? [] : [filter.trouble];
}
