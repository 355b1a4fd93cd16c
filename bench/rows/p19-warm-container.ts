import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ContainedPlatform } from "../../test/support/containers/contained-platform.ts";
import { sessionImage } from "../../test/support/containers/session-image.ts";
import { eventually } from "../../test/support/eventually.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const rounds = 9;
/** Bounds that a container that waits does not have. */
const otherBounds = { resource_config: { memory: "2Gi" } };

export const p19: Row = {
	id: "P19",
	title: "Create to running in a container that has waited, and in a new one, against docker run of the same image",
	async measure(): Promise<Measured> {
		await using world = await ContainedPlatform.start({ kwargs: { warm: 1 } });
		const { api, engine, platform } = world;
		const events = await platform.events();

		async function createToRunning(more: object, hasWaited: boolean): Promise<number> {
			await world.warmed();
			const began = performance.now();
			const wanted = { name: "started", agent: "builtin", source: { type: "git", repo: "" }, ...more };
			const { id } = (await api.post<Session>("/sessions", wanted)).body;
			await events.event(({ data }) => isRunning(data, id), { withinMs: 60_000, everyMs: 1 });
			const took = performance.now() - began;
			if (world.hasWaited(id) !== hasWaited) throw new Error("The session has a container of another kind");
			await api.delete(`/sessions/${id}`);
			await eventually(() => world.containers(id).length === 0, { withinMs: 60_000 });
			return took;
		}

		async function bare(): Promise<number> {
			await world.warmed();
			const began = performance.now();
			engine.run("docker", "run", "--name", "bare", "--network", "none", "--entrypoint", "true", sessionImage);
			const took = performance.now() - began;
			engine.run("docker", "rm", "bare");
			return took;
		}

		const samples = await interleaved(
			{ bare, warm: () => createToRunning({}, true), cold: () => createToRunning(otherBounds, false) },
			rounds,
		);
		await events.close();
		const figures = { bare_ms: median(samples.bare), warm_ms: median(samples.warm), cold_ms: median(samples.cold) };
		const verdict = (what: string, ms: number, target: number) =>
			({ what, value: ms / figures.bare_ms, compare: "<=", target }) as const;
		return { verdicts: [verdict("has waited", figures.warm_ms, 0.7), verdict("new", figures.cold_ms, 4)], figures };
	},
};

function isRunning(data: string, id: string): boolean {
	const session = JSON.parse(data) as Pick<Session, "id" | "status">;
	return session.id === id && session.status === "running";
}
