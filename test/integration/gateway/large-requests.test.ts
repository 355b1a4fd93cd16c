/**
 * The largest requests of a person are accepted, published and listed; larger ones are refused with a sentence, and
 * block nothing.
 */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

/** Nothing runs: a session is created, published and listed without a pod. */
const processes = [["gateway", "stream", ...storingServices]];

/** Every member has its greatest length, in characters that take the most bytes as JSON. */
const largest = {
	name: "n".repeat(63),
	source: { type: "git", repo: `https://example.org/${"é".repeat(480)}`, branch: "b".repeat(200), base_branch: "" },
	issue_id: "\u0001".repeat(255),
	issue_url: "\u0001".repeat(2_048),
	task_type: "\u0001".repeat(255),
	resource_config: { a: "x".repeat(16_000) },
	initial_prompt: "x".repeat(100_000),
};

describe("large requests", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let stream: SseClient;

	before(async () => {
		platform = await startPlatform({ processes, readyAt: "/api/v1/svc/sessions" });
		api = new ApiClient(`${platform.url}/api/v1/svc`);
		stream = await platform.events();
	});
	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
	});

	it("of the largest possible session reach all clients as an event (C1)", async () => {
		const { status, body, text } = await api.post<Session>("/sessions", largest);
		expect(status, text).to.equal(201);
		const told = await stream.event(({ event, data }) => event === "session_created" && data.includes(body.id));
		expect(JSON.parse(told.data)).to.deep.equal(body);
		expect((await api.get<Session>(`/sessions/${body.id}`)).body).to.deep.equal(body);
		expect((await api.get<Session[]>("/sessions")).body.map(({ id }) => id)).to.include(body.id);
	});

	it("of an activity's metadata are refused by name and size, and the stream goes on (C1)", async () => {
		const { id } = (await api.post<Session>("/sessions", { name: "active" })).body;
		const report = (length: number) =>
			api.post<{ detail: unknown }>(`/sessions/${id}/activity`, {
				state: "active",
				metadata: { a: "x".repeat(length) },
			});
		expect((await report(900_000)).status).to.equal(413);
		const refused = await report(5_000);
		expect(refused.status).to.equal(422);
		expect(refused.body.detail).to.deep.include.members([
			{
				type: "too_long",
				loc: ["body", "metadata"],
				msg: "Input should have at most 4096 bytes as JSON",
				input: { a: "***" },
				ctx: { max_length: 4_096 },
			},
		]);
		expect((await report(4_000)).status).to.equal(204);
		await api.put(`/sessions/${id}`, { name: "renamed" });
		await stream.event(({ data }) => data.includes('"renamed"'));
	});

	it("of numbers that grow when they are serialised are refused with a sentence too (C1)", async () => {
		const { id } = (await api.post<Session>("/sessions", { name: "numbers" })).body;
		// 900,000 bytes as sent, three times as much as they travel.
		const content = `[{"type":"text","text":"x","n":[${"1e20,".repeat(170_000)}1]}]`;
		const answer = await fetch(`${platform.url}/api/v1/svc/sessions/${id}/messages`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: `{"content":${content}}`,
		});
		expect(answer.status).to.equal(422);
		const text = await answer.text();
		expect(text.slice(0, 600)).to.include("Input should have at most 921600 bytes as JSON");
	});
});
