/** The bus: contracts, principals and errors behave the same in one process and across two nodes. */
import { expect } from "chai";
import { type ActionHandler, Context, type ServiceSchema } from "moleculer";
import { defineContract } from "#shared/contracts/contract.ts";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { isOutage } from "#shared/bus/breakers/outage.ts";
import { call, implement, type Meta } from "#shared/bus/service.ts";
import { timeoutMiddleware } from "#shared/bus/timeout-middleware.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { now, sleep, uptime } from "#shared/base/clock.ts";
import {
	BadRequestError,
	ConflictError,
	ForbiddenError,
	InvalidParametersError,
	NotFoundError,
	RequestTooLargeError,
	ResultTooLargeError,
	TimeoutError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { alice, callAs, job, type Nodes, root, startNodes } from "../../support/bus/test-brokers.ts";

const probe = defineContract("probe", {
	echo: {
		summary: "Says who asks, and what",
		params: {
			text: { type: "string", max: 10, default: "hello" },
			size: { type: "number", integer: true, optional: true },
		},
		returns: { type: "any" },
	},
	open: { access: "public", summary: "For everybody", params: {}, returns: { type: "any" } },
	admin: { access: "admin", summary: "For administrators", params: {}, returns: { type: "any" } },
	system: { access: "system", summary: "For jobs", params: {}, returns: { type: "any" } },
	fail: { summary: "Fails", params: { how: { type: "string" } } },
	slow: { summary: "Does not answer", params: {} },
	stuck: { summary: "Does not answer either", params: {}, timeout: 40 },
	storeless: { summary: "Cannot reach its store", params: {} },
	asks: { summary: "Asks one that does not answer, with more patience than its caller", params: {}, timeout: 500 },
	quotes: {
		summary: "JSON text that is full of quotes",
		params: { bytes: { type: "number" } },
		returns: { type: "array", items: { type: "string" } },
	},
	swallow: { summary: "Takes anything", params: { small: { type: "any" }, load: { type: "any" } } },
	large: { summary: "A long text", params: { bytes: { type: "number" } }, returns: { type: "string" } },
});

/** The failures of the calls of `asks`. */
const asked: Error[] = [];
/** The number of calls that reached `storeless`. */
let storelessCalls = 0;

const failures: Record<string, Error> = {
	BadRequestError: new BadRequestError("Bad"),
	ForbiddenError: new ForbiddenError("No"),
	NotFoundError: new NotFoundError("Gone", "PROBE_NOT_FOUND"),
	ConflictError: new ConflictError("Twice", "PROBE_TWICE", { status: "running" }),
	UnprocessableError: new UnprocessableError("Wrong"),
	UpstreamError: new UpstreamError("Upstream"),
	UnavailableError: new UnavailableError("Later"),
};

function probeService(over: AbortSignal): ServiceSchema {
	return {
		name: probe.name,
		actions: implement(probe, {
			echo: async (params, principal) => ({ params, principal }),
			open: async (_params, principal) => principal.kind,
			admin: async () => true,
			system: async () => true,
			async fail({ how }) {
				throw failures[how] ?? new Error("Nobody knows");
			},
			slow: () => sleep(10_000, over),
			stuck: () => sleep(10_000, over),
			async storeless() {
				storelessCalls++;
				throw new UnavailableError("Cannot reach the document store", "STORE_UNREACHABLE");
			},
			async asks(_params, _principal, ctx) {
				asked.push((await failureOf(call(ctx, probe.actions.slow, {}, { timeout: 10_000 }))) as Error);
				await sleep(10_000, over);
			},
			// Two of each four bytes are quotes.
			quotes: async ({ bytes }) => jsonText(`[${'"x",'.repeat(bytes / 4)}"x"]`),
			swallow: async () => {},
			large: async ({ bytes }) => "x".repeat(bytes),
		}),
	};
}

for (const count of [1, 2] as const) {
	describe(`bus with ${count} broker(s)`, () => {
		let nodes: Nodes;
		const over = new AbortController();

		before(async () => {
			nodes = await startNodes(count, [probeService(over.signal)]);
		});
		after(async () => {
			over.abort();
			// Every waiting call is answered before this one.
			await call(nodes.near, probe.actions.open, {});
			await nodes.stop();
		});

		it("fills in defaults, removes unknown members and leaves the caller's object alone", async () => {
			const sent = { size: 3, stray: true };
			const { params } = (await callAs(nodes.near, alice, probe.actions.echo, sent)) as { params: object };
			expect(params).to.deep.equal({ text: "hello", size: 3 });
			expect(sent).to.deep.equal({ size: 3, stray: true });
		});

		it("gives the handler the principal that was vouched for", async () => {
			const { principal } = (await callAs(nodes.near, alice, probe.actions.echo, {})) as { principal: object };
			expect(principal).to.deep.equal(alice);
		});

		it("refuses parameters that break the contract, saying where", async () => {
			const error = await failureOf(
				callAs(nodes.near, alice, probe.actions.echo, { text: "longer than ten", size: 1.5 }),
			);
			expect(error).to.be.instanceOf(InvalidParametersError);
			const { failures: found } = error as InvalidParametersError;
			expect(found.map(({ type, path }) => [type, ...path])).to.deep.equal([
				["stringMax", "text"],
				["numberInteger", "size"],
			]);
		});

		for (const name of Object.keys(failures)) {
			it(`restores ${name} with its status, type and data`, async () => {
				const error = (await failureOf(callAs(nodes.near, alice, probe.actions.fail, { how: name }))) as ConflictError;
				const { code, type, message, data } = failures[name] as ConflictError;
				expect(error.constructor.name).to.equal(name);
				expect([error.code, error.type, error.message, error.data]).to.deep.equal([code, type, message, data]);
			});
		}

		it("refuses a call without a principal, and with one that nobody vouched for (H9)", async () => {
			for (const principal of [undefined, root, JSON.stringify(root), null, {}]) {
				const meta = { principal } as Meta;
				const error = await failureOf(call(nodes.near, probe.actions.echo, {}, { meta }));
				expect(error).to.be.instanceOf(UnauthorizedError);
			}
		});

		it("ignores a principal beside the vouched one", async () => {
			const meta = { user: root, token: root, principal: vouch(alice) };
			expect(await failureOf(call(nodes.near, probe.actions.admin, {}, { meta }))).to.be.instanceOf(ForbiddenError);
		});

		it("admits to each action only the kinds of principals that it allows", async () => {
			expect(await call(nodes.near, probe.actions.open, {})).to.equal("anonymous");
			expect(await callAs(nodes.near, root, probe.actions.admin, {})).to.equal(true);
			expect(await callAs(nodes.near, job, probe.actions.system, {})).to.equal(true);
			for (const [principal, action] of [
				[alice, probe.actions.admin],
				[root, probe.actions.system],
				[job, probe.actions.echo],
				[{ ...alice, kind: "pod" }, probe.actions.echo],
			] as const) {
				expect(await failureOf(callAs(nodes.near, principal, action, {}))).to.be.instanceOf(ForbiddenError);
			}
		});

		it("refuses a request whose caller gave up", async () => {
			const late = { principal: alice, meta: { deadline: now() - 2_500 } };
			const error = await failureOf(callAs(nodes.near, late, probe.actions.echo, {}));
			expect(error).to.be.instanceOf(TimeoutError);
		});

		it("ends a call at its time limit, with the calls that it has made", async () => {
			const error = await failureOf(callAs(nodes.near, alice, probe.actions.asks, {}));
			expect(error).to.include({ type: "REQUEST_TIMEOUT", code: 504 });
			expect(await eventually(() => asked.pop())).to.include({ type: "REQUEST_TIMEOUT", code: 504 });
		});

		it("keeps calling a node that lives after calls timed out, because one caller may have caused that (H4)", async () => {
			const stuck = () => failureOf(callAs(nodes.near, alice, probe.actions.stuck, {}));
			for (let i = 0; i < 8; i++) expect(await stuck()).to.include({ type: "REQUEST_TIMEOUT" });
		});

		it("stops calling a service whose store cannot be reached", async () => {
			const away = () => failureOf(callAs(nodes.near, alice, probe.actions.storeless, {}));
			for (let i = 0; i < 5; i++) expect(await away()).to.include({ type: "STORE_UNREACHABLE" });
			const before = storelessCalls;
			expect(await away()).to.include({ type: "STORE_UNREACHABLE" });
			expect(storelessCalls, "calls of the service").to.equal(before);
		});

		if (count === 2) {
			it("counts an unanswered call as an outage only when its node is silent (H4)", async () => {
				const lost: ActionHandler = () => new Promise(() => {});
				const unanswered = timeoutMiddleware(nodes.near).remoteAction?.call(nodes.near, lost, { name: "probe.lost" });
				const far = nodes.near.registry.nodes.list({}).find(({ id }) => id !== nodes.near.nodeID) ?? expect.fail();
				const node = nodes.near.registry.nodes.get(far.id) ?? expect.fail();
				const ask = (): Promise<Error> => {
					const context = Object.assign(new Context(nodes.near), { nodeID: far.id, options: { timeout: 10 } });
					return failureOf(Reflect.apply(unanswered ?? lost, undefined, [context]));
				};
				expect(isOutage(await ask())).to.equal(false);
				// A heartbeat may come in between.
				await eventually(async () => {
					node.lastHeartbeatTime = uptime() - 13;
					return isOutage(await ask());
				});
			});
		}

		it("refuses a result that would not fit into a message", async () => {
			expect(await callAs(nodes.near, alice, probe.actions.large, { bytes: 900_000 })).to.have.length(900_000);
			const error = await failureOf(callAs(nodes.near, alice, probe.actions.large, { bytes: 950_000 }));
			expect(error).to.be.instanceOf(ResultTooLargeError);
		});

		it("counts the bytes of JSON text as they travel, with its quotes escaped (C1)", async () => {
			expect(await callAs(nodes.near, alice, probe.actions.quotes, { bytes: 600_000 })).to.have.length(150_001);
			const error = await failureOf(callAs(nodes.near, alice, probe.actions.quotes, { bytes: 640_000 }));
			expect(error).to.be.instanceOf(ResultTooLargeError);
		});

		it("refuses a request that would not fit into a message, and names its largest member (C1)", async () => {
			const swallow = (load: unknown) => callAs(nodes.near, alice, probe.actions.swallow, { small: [1], load });
			await swallow("x".repeat(900_000));
			for (const load of ["x".repeat(930_000), '"'.repeat(470_000), Array.from({ length: 50_000 }, () => 1e20)]) {
				const error = await failureOf(swallow(load));
				expect(error).to.be.instanceOf(RequestTooLargeError).and.to.include({ code: 413, type: "REQUEST_TOO_LARGE" });
				expect(String(error)).to.match(/more than 921600 bytes as JSON; "load" alone has \d+/);
			}
		});
	});
}
