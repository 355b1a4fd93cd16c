/**
 * Two people: the objects of one do not exist for the other, in answers and in events.
 * Main: people of one tenant have no access to another.
 */
import { expect } from "chai";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { notBuiltYet } from "../../support/conformance/not-built-yet.ts";
import { leastBodies, leastQueries, pathOf, unknownId } from "../../support/conformance/request.ts";
import { type Operation, WireContract } from "../../support/conformance/wire-contract.ts";
import { createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

function bearer(name: string): Record<string, string> {
	return { authorization: `Bearer token-of-${name}` };
}

describe("two people", function () {
	this.timeout(60_000);
	const built = new WireContract().operations.filter(
		({ id, path }) => /\{(session|chronicle)_id\}/.test(path) && !Object.values(notBuiltYet).flat().includes(id),
	);
	let platform: TestPlatform;
	let alice: ApiClient;
	let sessionId: string;
	let chronicleId: string;
	const streams = new Map<string, SseClient>();

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
		for (const name of ["alice", "bob", "carol"]) {
			streams.set(name, await platform.events({ headers: bearer(name) }));
		}
		alice = platform.client(bearer("alice"));
		sessionId = (await runningSession(alice)).id;
		chronicleId = (await alice.post<{ id: string }>(`/sessions/${sessionId}/chronicle`, { summary: "hers" })).body.id;
	});

	after(async () => {
		for (const stream of streams.values()) await stream.close();
		await platform?.[Symbol.asyncDispose]();
	});

	/** Some paths have a session's id where others have a chronicle's. */
	function foreignId({ path, area }: Operation): string {
		return path.includes("{session_id}") || area === "Timeline" ? sessionId : chronicleId;
	}

	async function answerTo(name: string, operation: Operation, id: string): Promise<Answer> {
		const path = pathOf(operation, { session_id: id, chronicle_id: id }).replace("/api/v1/svc", "");
		const body = operation.body && (leastBodies[operation.id] ?? {});
		const query = leastQueries[operation.id];
		const options = { ...(body !== undefined && { body }), ...(query && { query }) };
		return platform.client(bearer(name)).request(operation.method, path, options);
	}

	it("are told of all session operations", () => {
		expect(built.map(({ id }) => id)).to.include.members(["getSession", "deleteSession", "getSessionDiff"]);
		expect(built).to.have.length(29);
	});

	for (const stranger of ["bob", "carol"]) {
		for (const operation of built) {
			it(`${stranger} gets for ${operation.id} the answer of an unknown id`, async () => {
				const id = foreignId(operation);
				const foreign = await answerTo(stranger, operation, id);
				const unknown = await answerTo(stranger, operation, unknownId);
				expect(foreign.status).to.equal(404);
				expect(unknown.status).to.equal(404);
				expect(foreign.text.replaceAll(id, unknownId)).to.equal(unknown.text);
				expect(headersOf(foreign)).to.deep.equal(headersOf(unknown));
			});
		}

		it(`${stranger} sees no trace of it in lists and statistics`, async () => {
			const api = platform.client(bearer(stranger));
			const query = { include_archived: true };
			expect((await api.get("/sessions", { query })).body).to.deep.equal([]);
			expect((await api.post("/sessions/archive-stopped")).body).to.deep.equal([]);
			expect((await api.get("/chronicles")).body).to.deep.equal([]);
			expect((await api.get("/stats")).body).to.include({ active_sessions: 0, total_sessions: 0 });
		});
	}

	for (const stranger of ["bob", "carol"]) {
		it(`${stranger} can neither begin a chronicle of it nor add raw events to it`, async () => {
			const api = platform.client(bearer(stranger));
			const event = { event_type: "error", timestamp: "2026-11-20T20:00:00Z", sequence: 0 };
			const attempts = (id: string) => [
				api.post("/chronicles", { session_id: id }),
				api.post("/events", { ...event, session_id: id }),
				api.post("/events/batch", { events: [{ ...event, session_id: id }] }),
			];
			const [foreign, unknown] = await Promise.all([sessionId, unknownId].map((id) => Promise.all(attempts(id))));
			expect(foreign?.map(({ status }) => status)).to.deep.equal([404, 404, 404]);
			expect(foreign?.map(({ text }) => text.replaceAll(sessionId, unknownId))).to.deep.equal(
				unknown?.map(({ text }) => text),
			);
			const own = await createSession(api, "", `mine-${stranger}`);
			const mixed = [own.id, sessionId].map((id) => ({ ...event, session_id: id }));
			expect((await api.post("/events/batch", { events: mixed })).status).to.equal(404);
			expect((await api.get(`/sessions/${own.id}/events/counts`)).body, "all or none").to.not.have.property("error");
			await api.delete(`/sessions/${own.id}`);
		});
	}

	it("an unknown token is 401 everywhere", async () => {
		const { status, text } = await platform.client(bearer("mallory")).get(`/sessions/${sessionId}`);
		expect([status, text]).to.deep.equal([401, '{"detail":"Authentication required"}']);
	});

	it("the owner's session is unchanged and usable", async () => {
		const { body } = await alice.get<{ id: string; status: string; rev: number }>(`/sessions/${sessionId}`);
		expect(body).to.include({ id: sessionId, status: "running" });
		expect((await alice.get(`/sessions/${sessionId}/conversation`)).body).to.deep.include({ turns: [] });
	});

	it("only the owner receives its events", async () => {
		await alice.delete(`/sessions/${sessionId}`);
		const deleted = ({ event, data }: { event: string; data: string }) =>
			event === "session_deleted" && data.includes(sessionId);
		await streams.get("alice")?.event(deleted);
		for (const name of ["bob", "carol"]) {
			const api = platform.client(bearer(name));
			const own = await createSession(api, "", `of-${name}`);
			await sessionReaches(api, own.id, "running");
			const stream = streams.get(name);
			await stream?.event(({ data }) => data.includes(own.id));
			expect(stream?.events.filter(({ data }) => data.includes(sessionId) || data.includes("alice"))).to.deep.equal([]);
		}
	});
});

/** Members that are the same in every answer. */
function headersOf({ headers }: Answer): [string, string][] {
	const own = ["date", "x-request-id"];
	return [...headers].filter(([name]) => !own.includes(name));
}
