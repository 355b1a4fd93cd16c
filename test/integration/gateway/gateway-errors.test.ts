/** Failures behind the gateway, as clients see them: the same for a service in this process and on another node. */
import { expect } from "chai";
import { Errors } from "moleculer";
import {
	BadRequestError,
	ConflictError,
	ForbiddenError,
	InvalidParametersError,
	NotFoundError,
	TimeoutError,
	TooManyRequestsError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { probe, ProbeService } from "../../support/bus/probe-service.ts";
import { type RawAnswer, rawRequest, sendRaw } from "../../support/clients/raw-http.ts";
import { startGateway, type TestGateway } from "../../support/platform/start-gateway.ts";
import { startNodes } from "../../support/bus/test-brokers.ts";

const secret = "mongodb://user:password@host/path";

const failures: Readonly<Record<string, () => Error>> = {
	BadRequest: () => new BadRequestError("This cursor is not one of ours", "CURSOR_REFUSED"),
	Unauthorized: () => new UnauthorizedError(),
	Forbidden: () => new ForbiddenError("Not this one"),
	NotFound: () => new NotFoundError('Session "x" not found', "SESSION_NOT_FOUND"),
	Conflict: () => new ConflictError("Cannot stop session x: current status is stopped", "STATUS", { status: secret }),
	Unprocessable: () => new UnprocessableError('Template "x" not found', "TEMPLATE_NOT_FOUND"),
	Upstream: () => new UpstreamError("The pod did not answer", "POD", { cause: new Error(secret) }),
	Unavailable: () => new UnavailableError("Not now"),
	Timeout: () => new TimeoutError("Too late"),
	Unwritable: () => new UnavailableError("Cannot write to the store: disk full", "STORE_UNWRITABLE"),
	Undecided: () => new TimeoutError("The document store did not confirm", "STORE_UNDECIDED"),
	Busy: () => new TooManyRequestsError("Too many changes of this are under way", "BUSY"),
	Invalid: () =>
		new InvalidParametersError([
			{ type: "required", path: ["how"], message: "" },
			{ type: "enumValue", path: ["list", 0, "a"], message: "", expected: "x, y" },
		]),
	ServiceNotFound: () => new Errors.ServiceNotFoundError({ action: secret }),
	ServiceNotAvailable: () => new Errors.ServiceNotAvailableError({ action: secret }),
	Rejected: () => new Errors.RequestRejectedError({ action: secret }),
	Full: () => new Errors.QueueIsFullError({ action: secret }),
	Disconnected: () =>
		Object.assign(new Errors.MoleculerRetryableError(secret, 502, "BAD_GATEWAY"), { name: "BrokerDisconnectedError" }),
	TimedOut: () => new Errors.RequestTimeoutError({ action: secret }),
	Skipped: () => new Errors.RequestSkippedError({ action: secret }),
	Plain: () => new Error(secret),
	Framework: () => new Errors.MoleculerError(secret, 400, "WHATEVER", { secret }),
	Type: () => new TypeError(secret),
};

/** Errors that only a program on the bus could make. */
const malformed: Readonly<Record<string, () => Error>> = {
	...Object.fromEntries(
		[0, 42, 200, 302, 600, 1e9, 404.5, -1, Number.NaN, "404", "404\r\n", null, {}].map((code) => [
			`code${JSON.stringify(code)}`.replaceAll(/\W/g, "_"),
			() => Object.assign(new ConflictError("Not this one"), { code }),
		]),
	),
	Failures: () => Object.assign(new InvalidParametersError([]), { data: [null] }),
	Data: () => Object.assign(new InvalidParametersError([]), { data: "none" }),
};

const unavailable = "The service is not available at the moment";
const timedOut = "The answer did not come in time; whether the request took effect is unknown";
const internal = "Internal Server Error";

const expected: Readonly<Record<string, readonly [number, unknown, string?]>> = {
	BadRequest: [400, "This cursor is not one of ours", "CURSOR_REFUSED"],
	Unauthorized: [401, "Authentication required", "UNAUTHORIZED"],
	Forbidden: [403, "Not this one", "FORBIDDEN"],
	NotFound: [404, 'Session "x" not found', "SESSION_NOT_FOUND"],
	Conflict: [409, "Cannot stop session x: current status is stopped", "STATUS"],
	Busy: [429, "Too many changes of this are under way", "BUSY"],
	Unprocessable: [422, 'Template "x" not found', "TEMPLATE_NOT_FOUND"],
	Upstream: [502, "The pod did not answer", "POD"],
	Unavailable: [503, "Not now", "UNAVAILABLE"],
	Timeout: [504, "Too late", "TIMEOUT"],
	Invalid: [
		422,
		[
			{ type: "missing", loc: ["path", "how"], msg: "Field required" },
			{
				type: "enum",
				loc: ["body", "list", 0, "a"],
				msg: "Input should be 'x' or 'y'",
				ctx: { expected: "'x' or 'y'" },
			},
		],
	],
	ServiceNotFound: [503, unavailable],
	ServiceNotAvailable: [503, unavailable],
	Rejected: [503, unavailable],
	Full: [503, unavailable],
	Disconnected: [503, unavailable],
	TimedOut: [504, timedOut],
	Skipped: [504, timedOut],
	Plain: [500, internal],
	Framework: [500, internal],
	Type: [500, internal],
};

/**
 * The number of answers that the breaker does not count as failures; they keep it closed in spite of the few it
 * counts.
 */
const harmlessAnswers = 20;

for (const nodes of [1, 2] as const) {
	describe(`gateway: failures behind it, on ${nodes} node(s)`, () => {
		let gateway: TestGateway;

		before(async () => {
			const service = new ProbeService({ ...failures, ...malformed });
			gateway = await startGateway({ nodes, contracts: service.contracts, services: [service.schema] });
			for (let i = 0; i < harmlessAnswers; i++) await fail("Conflict");
		});
		after(() => gateway.stop());
		// The next good request succeeds after any failure.
		afterEach(async () => {
			const good = await sendRaw(gateway.port, rawRequest("GET /api/v1/svc/things", { Host: gateway.host }));
			expect(good.status, good.text).to.equal(200);
		});

		function fail(how: string): Promise<RawAnswer> {
			const headers = { Host: gateway.host, "Content-Type": "application/json" };
			return sendRaw(gateway.port, rawRequest(`POST /api/v1/svc/failures/${how}`, headers, "{}"));
		}

		it("show clients only what is meant for them", async () => {
			for (const [how, [status, detail, code]] of Object.entries(expected)) {
				const answer = await fail(how);
				expect([answer.status, JSON.parse(answer.text)], how).to.deep.equal([status, { detail }]);
				expect(answer.headers["x-error-code"], how).to.equal(code);
				expect(answer.headers["retry-after"], how).to.equal([429, 503].includes(status) ? "1" : undefined);
				expect(JSON.stringify(answer), how).to.not.include("password");
			}
		});

		it("are 500 when their status or content is invalid (L12)", async () => {
			for (const how of Object.keys(malformed)) {
				const answer = await fail(how);
				expect([answer.status, JSON.parse(answer.text)], how).to.deep.equal([500, { detail: internal }]);
			}
		});

		it("are 500 when the answer has an invalid header (L12)", async () => {
			const answer = await sendRaw(
				gateway.port,
				rawRequest("GET /api/v1/svc/things?cursor=broken", { Host: gateway.host }),
			);
			expect([answer.status, answer.headers["set-cookie"]]).to.deep.equal([500, undefined]);
		});

		it("are 504 when the answer takes longer than the contract gives it", async () => {
			const answer = await fail("slowly");
			expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([504, { detail: timedOut }]);
		});
	});
}

describe("gateway: a service that is not there", () => {
	it("is 503 at once before it starts and after it ends, never 404 and never a hang", async () => {
		const service = new ProbeService(failures);
		const gateway = await startGateway({ nodes: 2, contracts: service.contracts, services: [] });
		const list = () => sendRaw(gateway.port, rawRequest("GET /api/v1/svc/things", { Host: gateway.host }));
		const ready = () => sendRaw(gateway.port, rawRequest("GET /ready", { Host: gateway.host }));
		try {
			for (let round = 0; round < 2; round++) {
				const before = await list();
				expect([before.status, before.headers["retry-after"]]).to.deep.equal([503, "1"]);
				expect((await ready()).text).to.equal('{"detail":"Not ready: services: nobody serves \\"probe.read\\""}');

				const other = await startNodes(2, [service.schema]);
				await eventually(async () => (await list()).status === 200);
				expect((await ready()).status).to.equal(200);
				await other.stop();
				await eventually(() => !gateway.broker.registry.actions.isAvailable(probe.actions.list.name));
			}
			expect((await list()).status).to.equal(503);
		} finally {
			await gateway.stop();
		}
	});

	for (const nodes of [1, 2] as const) {
		describe(`while its breaker is open, on ${nodes} node(s)`, () => {
			let gateway: TestGateway;
			let service: ProbeService;

			beforeEach(async () => {
				service = new ProbeService(failures);
				const contracts = [{ ...probe, actions: { fail: probe.actions.fail } }];
				gateway = await startGateway({ nodes, contracts, services: [service.schema] });
			});
			afterEach(() => gateway.stop());

			const fail = (how: string) =>
				sendRaw(gateway.port, rawRequest(`POST /api/v1/svc/failures/${how}`, { Host: gateway.host }));

			it("is 503 and still counts as present (H4)", async () => {
				for (let i = 0; i < 5; i++) expect((await fail("Undecided")).status).to.equal(504);
				const answer = await fail("Undecided");
				expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([503, { detail: unavailable }]);
				const ready = await sendRaw(gateway.port, rawRequest("GET /ready", { Host: gateway.host }));
				expect(ready.status, ready.text).to.equal(200);
			});

			it("repeats the sentence and the type of the outage without a call of the service", async () => {
				const sentences = [];
				for (let i = 0; i < 7; i++) {
					const { status, text, headers } = await fail("Unwritable");
					sentences.push([status, JSON.parse(text), headers["x-error-code"], headers["retry-after"]]);
				}
				const sentence = [503, { detail: "Cannot write to the store: disk full" }, "STORE_UNWRITABLE", "1"];
				expect(sentences).to.deep.equal(Array.from({ length: 7 }, () => sentence));
				expect(service.failed).to.equal(5);
			});

			it("does not repeat an earlier outage than the one that opened it", async () => {
				expect((await fail("Unwritable")).status).to.equal(503);
				for (let i = 0; i < 4; i++) expect((await fail("Undecided")).status).to.equal(504);
				const answer = await fail("Undecided");
				expect([answer.status, JSON.parse(answer.text)]).to.deep.equal([503, { detail: unavailable }]);
			});
		});
	}
});
