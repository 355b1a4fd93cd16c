/** One pass over chronicles, timelines and raw events, with a session that runs. */
import { expect } from "chai";
import { eventually } from "../eventually.ts";
import { unknownId } from "./request.ts";
import type { Walker } from "./walker.ts";

interface ChronicleView {
	id: string;
	status: string;
	tags: string[];
}

/** A session that has answered two messages. */
export async function walkChronicles(walker: Walker, session_id: string): Promise<void> {
	await walkTimeline(walker, session_id);
	const id = await walkReports(walker, session_id);
	await walkEdits(walker, session_id, id);
	await walkReforge(walker, id);
	await walkEvents(walker, session_id);
}

async function walkTimeline(walker: Walker, chronicle_id: string): Promise<void> {
	const path = { chronicle_id };
	const isWhole = async (): Promise<boolean> => {
		const { events } = await walker.call<{ events: { type: string }[] }>("getTimeline", 200, { path });
		return events.filter(({ type }) => type === "message").length === 2;
	};
	// Later the pod has nothing to report that would begin another chronicle.
	await eventually(isWhole, { withinMs: 30_000, everyMs: 100, what: "both answers are reported" });
	const unsaid = { tokens: null, hash: null, exit: null };
	const whole = { t: 42, type: "file", label: "made-up.ts", action: "created", ins: 3, del: 0, ...unsaid };
	await walker.call("addTimelineEvent", 201, { path, body: whole });
	const git = { t: 43, type: "git", label: "Make it up", hash: "0123456789012345678901234567890123456789" };
	await walker.call("addTimelineEvent", 201, { path, body: git });
	await walker.call("addTimelineEvent", 201, { path, body: { t: 400, type: "message", label: "Hello", tokens: 12 } });
	const timeline = await walker.call<{ files: { path: string }[]; commits: unknown[]; token_burn: number[] }>(
		"getTimeline",
		200,
		{ path },
	);
	expect(timeline.files.map((file) => file.path)).to.include("made-up.ts");
	expect(timeline.commits).to.have.length(1);
	expect(timeline.token_burn).to.deep.equal([0, 12]);
	await walker.call("getChronicleDiff", 200, { path, query: { file: "README.md" } });
	for (const query of [{ file: "../../etc/passwd" }, { file: "README.md", base: "no-such-value" }])
		await walker.call("getChronicleDiff", 400, { path, query });
}

/** Resolves to the id of the session's chronicle. */
async function walkReports(walker: Walker, session_id: string): Promise<string> {
	const path = { session_id };
	const report = {
		summary: "It was made up.",
		key_changes: ["made-up.ts"],
		unfinished_work: null,
		duration_seconds: 5,
	};
	const { id } = await walker.call<ChronicleView>("reportChronicle", 201, { path, body: report });
	expect(await walker.call("reportChronicle", 201, { path })).to.include({ id, summary: "It was made up." });
	expect(await walker.call("getSessionChronicle", 200, { path })).to.include({ id, status: "draft" });
	await walker.call("getChronicle", 200, { path: { chronicle_id: id } });
	return id;
}

async function walkEdits(walker: Walker, session_id: string, chronicle_id: string): Promise<void> {
	const path = { chronicle_id };
	const isAlone = async (): Promise<boolean> =>
		(await walker.call<ChronicleView[]>("listChronicles", 200)).map(({ id }) => id).join() === chronicle_id;
	// A session that is deleted at once may have reported a chronicle, which is removed when its pod is gone.
	await eventually(isAlone, { withinMs: 30_000, everyMs: 100, what: "deleted sessions have left no chronicle" });
	const body = { tags: ["one", "two"], status: "complete", summary: null };
	await walker.call("updateChronicle", 200, { path, body });
	const another = await walker.call<ChronicleView>("createChronicle", 201, { body: { session_id } });
	await walker.call("createChronicle", 404, { body: { session_id: unknownId } });
	for (const [query, ids] of [
		[{}, [another.id, chronicle_id]],
		[{ tags: "two,one" }, [chronicle_id]],
		[{ tags: "three" }, []],
		[{ limit: "1" }, [another.id]],
		[{ offset: "1" }, [chronicle_id]],
		[{ project: "no-such-project" }, []],
	] as const) {
		const found = await walker.call<ChronicleView[]>("listChronicles", 200, { query });
		expect(found.map(({ id }) => id)).to.deep.equal(ids);
	}
	const { headers } = await walker.answer("listChronicles", 200, { query: { limit: "1" } });
	const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
	const cursor = new URL(next ?? "no Link header", "http://localhost").searchParams.get("cursor") ?? "";
	const rest = await walker.call<ChronicleView[]>("listChronicles", 200, { query: { limit: "1", cursor } });
	expect(rest.map(({ id }) => id)).to.deep.equal([chronicle_id]);
	await walker.call("listChronicles", 400, { query: { cursor: "not-ours" } });
	await walker.call("deleteChronicle", 204, { path: { chronicle_id: another.id } });
	await walker.call("getChronicle", 404, { path: { chronicle_id: another.id } });
}

async function walkReforge(walker: Walker, chronicle_id: string): Promise<void> {
	const path = { chronicle_id };
	const { id, status } = await walker.call<{ id: string; status: string }>("reforgeChronicle", 200, { path });
	expect(status).to.equal("created");
	const child = await walker.call<ChronicleView>("reportChronicle", 201, { path: { session_id: id }, body: {} });
	const chain = await walker.call<ChronicleView[]>("getChronicleChain", 200, { path: { chronicle_id: child.id } });
	expect(chain.map((link) => link.id)).to.deep.equal([chronicle_id, child.id]);
	await walker.call("deleteSession", 204, { path: { session_id: id }, body: { cleanup: ["chronicles"] } });
}

async function walkEvents(walker: Walker, session_id: string): Promise<void> {
	const path = { session_id };
	await walker.call("getSinkHealth", 200);
	const event = { session_id, timestamp: "2026-11-20T20:00:00Z", sequence: 1_000_000 };
	const usage = { tokens_in: 5, tokens_out: 6, cost: 0.01, duration_ms: 7, model: "m" };
	await walker.call("ingestEvent", 201, { body: { ...event, event_type: "git_push", data: { branch: "main" } } });
	await walker.call("ingestEvents", 201, { body: { events: [{ ...event, event_type: "token_usage", ...usage }] } });
	await walker.call("ingestEvent", 422, { body: { ...event, event_type: "no_such_type" } });
	await walker.call("ingestEvent", 404, { body: { ...event, session_id: unknownId, event_type: "error" } });
	await walker.call("listSessionEvents", 200, { path, query: { limit: "2", after: "2020-01-01T00:00:00Z" } });
	await walker.call("listSessionEvents", 422, { path, query: { event_type: "no_such_type" } });
	await walker.call("listSessionEvents", 400, { path, query: { cursor: "not-ours" } });
	const counts = await eventually(
		async () => {
			const found = await walker.call<Record<string, number>>("countSessionEvents", 200, { path });
			return found["message_assistant"] === 2 ? found : undefined;
		},
		{ withinMs: 10_000, everyMs: 100 },
	);
	expect(counts).to.include({ git_push: 1, token_usage: 1, session_start: 1 });
	const buckets = await walker.call<object[]>("tokenTimeline", 200, { path });
	expect(buckets).to.deep.equal([{ bucket: 1_795_204_800, tokens_in: 5, tokens_out: 6, cost: 0.01 }]);
}
