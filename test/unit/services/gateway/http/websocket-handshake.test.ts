import type { IncomingHttpHeaders } from "node:http";
import { expect } from "chai";
import { HttpError } from "#services/gateway/http/http-errors.ts";
import { isChatUpgrade, refuseBadHandshake, sessionOf, withToken } from "#services/gateway/http/websocket-handshake.ts";

const id = "6f1b2c3d-0000-4000-8000-000000000001";
const tokenForm = "base64url.bearer.authorization.k8s.io.";

function statusOf(act: () => unknown): number {
	try {
		act();
	} catch (error) {
		if (error instanceof HttpError) return error.answer.status;
		throw error;
	}
	return 200;
}

describe("isChatUpgrade()", () => {
	it("handles WebSockets below /s/ only; other requests are answered as HTTP", () => {
		expect(isChatUpgrade({ url: `/s/${id}/session`, headers: { upgrade: "WebSocket" } })).to.equal(true);
		expect(isChatUpgrade({ url: "/s/", headers: { upgrade: "websocket" } })).to.equal(true);
		for (const [url, upgrade] of [
			["/health", "websocket"],
			["/s", "websocket"],
			[`/s/${id}/session`, "h2c"],
			[`/s/${id}/session`, "websocket, h2c"],
			[`/api/v1/svc/s/${id}/session`, "websocket"],
		] as const) {
			expect(isChatUpgrade({ url, headers: { upgrade } }), `${url} ${upgrade}`).to.equal(false);
		}
	});
});

describe("sessionOf()", () => {
	it("reads the id of exactly one path", () => {
		expect(sessionOf(`/s/${id}/session`)).to.equal(id);
		expect(sessionOf(`/s/${id}/session?theme=dark`)).to.equal(id);
		const wrong = [
			`/s/${id}/session/`,
			`/s/${id}`,
			`/s//${id}/session`,
			`/s/${id.toUpperCase()}/session`,
			`/s/${id}/session%00`,
			`/s/..%2f${id}/session`,
			`/s/${id}/session\n`,
			"",
		];
		for (const url of wrong)
			expect(
				statusOf(() => sessionOf(url)),
				JSON.stringify(url),
			).to.equal(404);
	});

	it("accepts a query", () => {
		expect(sessionOf(`/s/${id}/session?access_token=x`)).to.equal(id);
	});
});

describe("refuseBadHandshake()", () => {
	const good = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };
	const request = (headers: IncomingHttpHeaders, method = "GET", httpVersion = "1.1") => ({
		method,
		httpVersion,
		headers,
	});

	it("accepts what RFC 6455 requires, and nothing else", () => {
		expect(statusOf(() => refuseBadHandshake(request(good)))).to.equal(200);
		const rows: [number, ReturnType<typeof request>][] = [
			[400, request(good, "POST")],
			[400, request(good, "GET", "1.0")],
			[400, request({ ...good, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ" })],
			[400, request({ "sec-websocket-version": "13" })],
			[426, request({ ...good, "sec-websocket-version": "8" })],
			[426, request({ "sec-websocket-key": good["sec-websocket-key"] })],
			[400, request({ ...good, "content-length": "0" })],
			[400, request({ ...good, "transfer-encoding": "chunked" })],
		];
		for (const [status, wrong] of rows) expect(statusOf(() => refuseBadHandshake(wrong))).to.equal(status);
	});
});

describe("withToken()", () => {
	const offered = (...names: string[]) => ({ "sec-websocket-protocol": names.join(", ") });
	const tokenOf = (headers: IncomingHttpHeaders, url = "/") => withToken({ headers, url }).authorization;
	const encoded = `${tokenForm}${Buffer.from("a.b-c").toString("base64url")}`;

	it("uses the token of a subprotocol as the header that a browser cannot set", () => {
		expect(tokenOf(offered("atelier.chat", encoded))).to.equal("Bearer a.b-c");
	});

	it("prefers the header, and adds nothing without a token", () => {
		const both = { ...offered(encoded), authorization: "Bearer own" };
		expect(withToken({ headers: both, url: "/?access_token=url" })).to.equal(both);
		expect(tokenOf({})).to.equal(undefined);
		expect(tokenOf(offered("chat"))).to.equal(undefined);
	});

	it("uses the token of the URL if there is no other, in any encoding", () => {
		for (const query of ["access_token=x", "a=1&access_token=x", "access%5Ftoken=x"])
			expect(tokenOf({}, `/s/${id}/session?${query}`), query).to.equal("Bearer x");
		expect(tokenOf(offered(encoded), "/?access_token=x")).to.equal("Bearer a.b-c");
	});

	it("makes no other header of an encoded token", () => {
		const hostile = `${tokenForm}${Buffer.from("x\r\nCookie: y").toString("base64url")}`;
		expect(Object.keys(withToken({ headers: offered(hostile) }))).to.deep.equal([
			"sec-websocket-protocol",
			"authorization",
		]);
		expect(tokenOf(offered(tokenForm))).to.equal("Bearer ");
	});
});
