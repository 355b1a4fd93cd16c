import { expect } from "chai";
import { Errors } from "moleculer";
import { failureAnswer, HttpError, InvalidRequestError, unforeseen } from "#services/gateway/http/http-errors.ts";
import type { Answer } from "#services/gateway/http/answer.ts";
import {
	BadRequestError,
	ConflictError,
	ForbiddenError,
	InvalidParametersError,
	NotFoundError,
	ResultTooLargeError,
	TimeoutError,
	TooManyRequestsError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	UpstreamError,
} from "#shared/base/errors.ts";

function answered(error: unknown): Answer | undefined {
	return failureAnswer(error, () => "body");
}

/** Names and values in turn, as an object. */
function headersOf(answer: Answer | undefined): Record<string, string> {
	const headers = answer?.headers ?? [];
	return Object.fromEntries(
		headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])),
	);
}

describe("failureAnswer()", () => {
	const deliberate: [error: Error, status: number, headers: object][] = [
		[new BadRequestError("x"), 400, { "X-Error-Code": "BAD_REQUEST" }],
		[new UnauthorizedError(), 401, { "X-Error-Code": "UNAUTHORIZED", "WWW-Authenticate": "Bearer" }],
		[new ForbiddenError("x"), 403, { "X-Error-Code": "FORBIDDEN" }],
		[new NotFoundError("x", "POD_ABSENT"), 404, { "X-Error-Code": "POD_ABSENT" }],
		[new ConflictError("x"), 409, { "X-Error-Code": "CONFLICT" }],
		[new UnprocessableError("x"), 422, { "X-Error-Code": "UNPROCESSABLE" }],
		[new TooManyRequestsError("x"), 429, { "X-Error-Code": "TOO_MANY_REQUESTS", "Retry-After": "1" }],
		[new UpstreamError("x"), 502, { "X-Error-Code": "UPSTREAM" }],
		[new ResultTooLargeError(1), 502, { "X-Error-Code": "RESULT_TOO_LARGE" }],
		[new UnavailableError("x"), 503, { "X-Error-Code": "UNAVAILABLE", "Retry-After": "1" }],
		[new TimeoutError("x"), 504, { "X-Error-Code": "TIMEOUT" }],
	];
	for (const [error, status, headers] of deliberate) {
		it(`says ${error.name} in its own words, with status ${status}`, () => {
			const answer = answered(error);
			expect(answer?.status).to.equal(status);
			expect(JSON.parse(String(answer?.body))).to.deep.equal({ detail: error.message });
			expect(headersOf(answer)).to.deep.equal(headers);
		});
	}

	it("passes an HTTP failure on as it is", () => {
		const error = new HttpError(414, "Too long", ["Connection", "close"]);
		expect(answered(error)).to.deep.equal({
			status: 414,
			body: '{"detail":"Too long"}',
			headers: ["Connection", "close"],
		});
	});

	it("replaces words of the bus by their meaning", () => {
		const away = answered(new Errors.ServiceNotFoundError({ action: "secret.action" }));
		expect([away?.status, headersOf(away)["Retry-After"]]).to.deep.equal([503, "1"]);
		const late = answered(new Errors.RequestTimeoutError({ action: "secret.action", nodeID: "secret" }));
		expect(late?.status).to.equal(504);
		for (const answer of [away, late]) expect(String(answer?.body)).not.to.include("secret");
	});

	it("has no answer for unexpected errors, and for errors that are not as their class makes them", () => {
		const odd = Object.assign(new NotFoundError("x"), { code: 200 });
		for (const error of [new Error("x"), new TypeError("x"), "x", undefined, odd, { type: "SERVICE_NOT_FOUND" }])
			expect(answered(error)).to.equal(undefined);
		expect(unforeseen).to.deep.include({ status: 500, body: '{"detail":"Internal Server Error"}' });
	});

	it("leaves out a code that is invalid in a header", () => {
		expect(headersOf(answered(new NotFoundError("x", "a\r\nb")))).to.deep.equal({});
	});

	it("says where in the request a parameter is wrong, at most fifty times", () => {
		const failure = { type: "required", path: ["name"], message: "x" };
		const [item] = JSON.parse(String(answered(new InvalidParametersError([failure]))?.body)).detail;
		expect(item).to.deep.include({ type: "missing", loc: ["body", "name"] });
		const many = new InvalidRequestError(Array.from({ length: 80 }, () => ({ loc: ["body"], failure })));
		const answer = answered(many);
		expect([answer?.status, JSON.parse(String(answer?.body)).detail.length]).to.deep.equal([422, 50]);
	});
});
