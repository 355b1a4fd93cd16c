/**
 * The conformance walker tries every operation of the contract on the running platform. Built ones must be routed,
 * refuse what the contract refuses, and answer in its shapes; the others must be on the list.
 * Main: the answers have the form of the API.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "../../support/clients/api-client.ts";
import { notBuiltYet } from "../../support/conformance/not-built-yet.ts";
import { patchTable } from "../../support/conformance/patches.ts";
import { leastBodies, leastQueries } from "../../support/conformance/request.ts";
import { configuredMcpServers } from "../../support/conformance/settings-scenario.ts";
import { walkEverything } from "../../support/conformance/session-scenario.ts";
import { walkLogin } from "../../support/conformance/oauth/oauth-scenario.ts";
import { WalkedServers } from "../../support/conformance/walked-servers.ts";
import { isRouted, listFaults, type Send, sendWith, Walker } from "../../support/conformance/walker.ts";
import { type Operation, WireContract } from "../../support/conformance/wire-contract.ts";
import { type WrongRequest, wrongRequests } from "../../support/conformance/wrong-requests.ts";
import { eventually } from "../../support/eventually.ts";
import { fileUrl, makeRepository } from "../../support/repositories/git-repository.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import type { SseClient } from "../../support/clients/sse-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** The events that the scenario must have seen on the stream. */
const expectedEvents = [
	"session_created",
	"session_updated",
	"session_activity",
	"session_deleted",
	"chronicle_created",
	"chronicle_updated",
	"chronicle_deleted",
	"chronicle_event",
	"pr_created",
	"pr_merged",
	"stats_updated",
	"heartbeat",
];

describe("conformance", function () {
	this.timeout(120_000);
	const contract = new WireContract();
	const unbuilt = new Set(Object.values(notBuiltYet).flat());
	const built = contract.operations.filter(({ id }) => !unbuilt.has(id));
	const plain = built.filter(({ isStream }) => !isStream);
	let folder: string;
	let platform: TestPlatform;
	let servers: WalkedServers;
	let stream: SseClient;
	let send: Send;
	let walker: Walker;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-conformance-"));
		servers = await WalkedServers.start();
		platform = await startPlatform({
			env: sameDay(),
			config: {
				...servers.config,
				stream: { heartbeat_seconds: 1 },
				auth_discovery: { issuer: "http://127.0.0.1:9/realms/none" },
				mcp_servers: configuredMcpServers,
			},
		});
		stream = await platform.events();
		send = sendWith(new ApiClient(platform.url));
		walker = new Walker(contract, send);
		console.log(`Differences from the contract:\n${patchTable()}\n`);
	});

	after(async () => {
		await stream?.close();
		await platform?.[Symbol.asyncDispose]();
		await servers?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("finds a route for every operation, or the operation on the list of unbuilt ones", async () => {
		const routed = new Set<string>(["streamSessions"]);
		for (const operation of contract.operations.filter(({ isStream }) => !isStream)) {
			if (await isRouted(send, operation)) routed.add(operation.id);
		}
		expect(listFaults(contract.operations, notBuiltYet, routed)).to.deep.equal([]);
	});

	for (const operation of plain.filter((one) => wrongRequests(contract, one).length > 0)) {
		it(`finds that ${operation.id} refuses the requests that the contract refuses`, async () => {
			const faults: string[] = [];
			for (const wrong of wrongRequests(contract, operation)) {
				const fault = await refusalFault(operation, wrong);
				if (fault !== undefined) faults.push(`${wrong.what}: ${fault}`);
			}
			expect(faults).to.deep.equal([]);
		});
	}

	async function refusalFault({ id }: Operation, { request, loc }: WrongRequest): Promise<string | undefined> {
		try {
			const { detail } = await walker.call<{ detail: string | { loc: unknown[] }[] }>(id, 422, request);
			if (typeof detail === "string") return `a sentence instead of a list: ${detail}`;
			const places = detail.map((item) => JSON.stringify(item.loc.slice(0, loc.length)));
			return places.includes(JSON.stringify(loc)) ? undefined : `${places.join()} instead of ${JSON.stringify(loc)}`;
		} catch (error) {
			return String(error);
		}
	}

	for (const operation of plain.filter(({ parameters }) => parameters.some((parameter) => parameter.in === "path"))) {
		it(`finds that ${operation.id} answers 404 for an unknown id`, async () => {
			const [body, query] = [leastBodies[operation.id], leastQueries[operation.id]];
			const request = { ...(body !== undefined && { body }), ...(query && { query }) };
			const { body: refusal, headers } = await walker.answer(operation.id, 404, request);
			expect(refusal).to.have.property("detail").that.is.a("string");
			expect(headers.get("x-error-code")).to.not.equal("UNKNOWN_PATH");
		});
	}

	it("finds that every operation that needs a caller refuses an unknown token", async () => {
		const stranger = new Walker(contract, sendWith(new ApiClient(platform.url, { authorization: "Bearer nobody" })));
		for (const { id } of plain.filter((operation) => contract.knowsStatus(operation, 401))) {
			const { headers } = await stranger.answer(id, 401, { body: leastBodies[id] });
			expect(headers.get("www-authenticate")).to.equal("Bearer");
		}
		expect(stranger.answersChecked).to.be.above(15);
		walker.answersChecked += stranger.answersChecked;
	});

	it("gets a valid answer from every operation, with a running session", async () => {
		await walkEverything(walker, fileUrl(makeRepository(join(folder, "repository"))));
	});

	it("gets valid answers around a login at a provider", () => walkLogin(walker, servers.login));

	it("gets events in the shapes of the contract", async () => {
		for (const name of expectedEvents) {
			await stream.event(({ event }) => event === name, { withinMs: 5_000, what: `the event ${name}` });
		}
		await using late = await platform.events({ lastEventId: "another-epoch-1" });
		await late.event(({ event }) => event === "reset");
		const schema = { $ref: "#/components/schemas/SseEvent" };
		for (const { event, data } of [...stream.events, ...late.events]) {
			expect(contract.schemaFaults(schema, { event, data: JSON.parse(data) }), `${event} ${data}`).to.deep.equal([]);
			walker.countAnswer("streamSessions");
		}
	});

	it("has got a valid answer from every built operation", () => {
		expect(built.map(({ id }) => id).filter((id) => !walker.succeeded.has(id))).to.deep.equal([]);
		console.log(
			`      ${walker.succeeded.size} of ${contract.operations.length} operations done, ${walker.answersChecked} answers checked`,
		);
	});

	describe("turns red", () => {
		it("when a member has another name", async () => {
			const doctored = new Walker(contract, async (operation, request) => {
				const answer = await send(operation, request);
				const text = answer.text.replace('"status":', '"state":');
				return { ...answer, text, body: JSON.parse(text) };
			});
			const { id } = await walker.call<{ id: string }>("createSession", 201, { body: { name: "doctored" } });
			const path = { session_id: id };
			await eventually(async () => (await walker.call("getSession", 200, { path })) !== undefined);
			const failure: unknown = await doctored.call("getSession", 200, { path }).catch((error: unknown) => error);
			expect(String(failure))
				.to.include("must have required property 'status'")
				.and.to.include('"additionalProperty":"state"');
			await walker.call("deleteSession", 204, { path });
		});

		it("when the list of unbuilt operations has a built one, lacks an unbuilt one, or names an unknown one", () => {
			const operations = [contract.operation("getSession"), contract.operation("getMe")];
			const list = { Sessions: ["getSession"], Admin: ["getMe"] };
			expect(listFaults(operations, list, new Set(["getSession"]))).to.deep.equal([
				"getSession is built: take it off the list",
				'getMe is no operation of the area "Admin"',
			]);
			expect(listFaults(operations, {}, new Set(["getSession"]))).to.deep.equal([
				"getMe is neither built nor on the list",
			]);
		});
	});
});
