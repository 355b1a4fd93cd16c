/** Asks whether containers can be used at all, for a start that chooses its runtime (chosen-runtime.ts). */
import { type ContainersArguments, containersSettings } from "./containers-options.ts";
import { EngineClient } from "./engine-client.ts";
import { absentEngine, absentImage } from "./reasons/absent-engine.ts";

/** The time of the question, in milliseconds; a start waits for it. */
const askedMs = 2_000;

/** Resolves to the reason why no session can run with these arguments; undefined when an engine and the image are there. */
export async function engineUnusableBecause(kwargs: ContainersArguments): Promise<string | undefined> {
	const settings = containersSettings(kwargs);
	const { socket, image } = settings;
	const engine = new EngineClient(socket);
	try {
		const path = `/images/${image}/json`;
		const { status } = await engine.call({ method: "GET", path, accepts: [404], withinMs: askedMs });
		return status === 404 ? absentImage(settings) : undefined;
	} catch (error) {
		return absentEngine(socket, error) ?? (error instanceof Error ? error.message : String(error));
	} finally {
		engine.close();
	}
}
