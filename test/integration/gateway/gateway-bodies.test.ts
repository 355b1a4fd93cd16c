/** Bodies and parameters: what is read, from which place, and up to which bound. */
import { expect } from "chai";
import { probe, type Seen } from "../../support/bus/probe-service.ts";
import { type RawAnswer, rawRequest, RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { good, json, ProbeGateway, thing, thingId as id } from "../../support/platform/probe-gateway.ts";

const maxBody = probe.actions.write.max_body ?? 0;

interface Item {
	type: string;
	loc: (string | number)[];
	msg: string;
	input?: unknown;
	ctx?: unknown;
}

describe("gateway: bodies and parameters", () => {
	const gateway = new ProbeGateway();
	const { service } = gateway;
	// The next good request succeeds after any refusal.
	afterEach(() => gateway.expectGood());

	async function refused(answer: RawAnswer | Promise<RawAnswer>): Promise<Item[]> {
		const { status, text } = await answer;
		expect([status, service.seen]).to.deep.equal([422, []]);
		return (JSON.parse(text) as { detail: Item[] }).detail;
	}

	async function taken(answer: RawAnswer | Promise<RawAnswer>): Promise<Seen["params"]> {
		const { status, text } = await answer;
		expect(status, text).to.be.within(200, 299);
		return service.seen.at(-1)?.params ?? expect.fail("nothing reached the service");
	}

	async function expectStill(status: number, answer: RawAnswer | Promise<RawAnswer>): Promise<void> {
		const { status: found, text } = await answer;
		expect([found, service.seen], text).to.deep.equal([status, []]);
		expect((JSON.parse(text) as { detail: unknown }).detail).to.be.a("string");
	}

	/** The bound is one second; the server's own time limits would end the connection too, but not before 15 s. */
	async function endedSoon(connection: RawConnection): Promise<void> {
		const answered = performance.now();
		await connection.ended();
		expect(performance.now() - answered).to.be.below(9_000);
	}

	describe("of the wrong kind", () => {
		for (const type of [
			"text/plain",
			"application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x",
			"application/jsonp",
			"application/json; charset=latin1",
			"text/plain, application/json",
			"application/json, text/plain",
		]) {
			it(`${type} is 415`, () => expectStill(415, gateway.send(`POST ${thing}`, { "Content-Type": type }, good)));
		}

		it("no type is 415, and every spelling of the right one is read", async () => {
			const untyped = await gateway.send(`POST ${thing}`, {}, good);
			await expectStill(415, untyped);
			expect(untyped.text).to.include("Content-Type: application/json").and.to.include("curl: --json");
			for (const type of ["APPLICATION/JSON", 'application/json; charset="UTF-8"', "application/json;charset=utf-8"]) {
				await taken(gateway.send(`POST ${thing}`, { "Content-Type": type }, good));
			}
		});

		it("compressed is 415", async () => {
			for (const encoding of ["gzip", "identity", "br, gzip"]) {
				await expectStill(415, gateway.send(`POST ${thing}`, { ...json, "Content-Encoding": encoding }, good));
			}
		});

		it("any on a GET is 400", async () => {
			await expectStill(400, gateway.send(`GET ${thing}`, json, good));
			await expectStill(400, gateway.send(`GET ${thing}`, { "Transfer-Encoding": "chunked" }));
		});
	});

	describe("of the wrong size", () => {
		it("is 413 by its announced length, before a byte of it is read", async () => {
			const connection = await RawConnection.open(gateway.port);
			const head = { Host: gateway.host, ...json, "Content-Length": String(maxBody + 1) };
			connection.write(rawRequest(`POST ${thing}`, head));
			await expectStill(413, connection.answer());
			await endedSoon(connection);
		});

		it("is 413 by its received bytes, and its connection is closed when more follow", async () => {
			const connection = await RawConnection.open(gateway.port);
			connection.write(rawRequest(`POST ${thing}`, { Host: gateway.host, ...json, "Transfer-Encoding": "chunked" }));
			const chunk = `400\r\n${"x".repeat(1_024)}\r\n`;
			connection.write(chunk.repeat(3));
			await expectStill(413, connection.answer());
			const more = setInterval(() => connection.write(chunk), 50);
			try {
				await endedSoon(connection);
			} finally {
				clearInterval(more);
			}
		});

		it("of exactly the limit is read", async () => {
			const body = JSON.stringify({ name: "ab", deep: "" });
			const full = JSON.stringify({ name: "ab", deep: "x".repeat(maxBody - body.length) });
			expect((await taken(gateway.send(`POST ${thing}`, json, full)))["deep"]).to.have.length(maxBody - body.length);
		});

		it("does not close the connection when the rest of it follows at once", async () => {
			const connection = await RawConnection.open(gateway.port);
			connection.write(rawRequest(`POST ${thing}`, { Host: gateway.host, ...json }, "x".repeat(maxBody + 1)));
			await expectStill(413, connection.answer());
			connection.write(rawRequest(`GET ${thing}`, { Host: gateway.host }));
			expect((await connection.answer()).status).to.equal(200);
			connection.close();
		});

		it("gets no 100 Continue", async () => {
			const connection = await RawConnection.open(gateway.port);
			const expecting = { Host: gateway.host, ...json, Expect: "100-continue" };
			connection.write(rawRequest(`POST ${thing}`, { ...expecting, "Content-Length": "9999999" }));
			await expectStill(413, connection.answer());
			connection.close();

			const second = await RawConnection.open(gateway.port);
			second.write(rawRequest(`POST ${thing}`, { ...expecting, "Content-Length": String(good.length) }));
			expect((await second.answer()).status).to.equal(100);
			second.write(good);
			expect((await second.answer()).status).to.equal(201);
			second.close();
		});
	});

	describe("of the wrong content", () => {
		for (const [what, body, type] of [
			["text that is no JSON", "{{{", "json_invalid"],
			["JSON that goes on", "{} {}", "json_invalid"],
			["a byte order mark", `\uFEFF${good}`, "json_invalid"],
			["NaN", '{"name":NaN}', "json_invalid"],
			["a list", "[]", "model_attributes_type"],
			["null", "null", "model_attributes_type"],
			["a text", '"{}"', "model_attributes_type"],
			["a trap", '{"name":"ab","__proto__":{"role":"admin"}}', "value_error"],
			["a hidden trap", '{"name":"ab","\\u005f_proto__":1}', "value_error"],
			["a deep trap", '{"name":"ab","deep":[{"a":{"__proto__":null}}]}', "value_error"],
			["a name with the character NUL (L6)", '{"name":"ab","n\\u0000":1}', "value_error"],
			["a deep name with the character NUL (L6)", '{"name":"ab","deep":[{"a":{"\\u0000":null}}]}', "value_error"],
			["33 levels", `{"deep":${"[".repeat(32)}${"]".repeat(32)}}`, "value_error"],
			["900 levels", `{"deep":${"[".repeat(900)}${"]".repeat(900)}}`, "value_error"],
		] as const) {
			it(`${what} is refused as a whole`, async () => {
				const [item, ...others] = await refused(gateway.send(`POST ${thing}`, json, body));
				expect(others).to.deep.equal([]);
				expect(item?.type).to.equal(type);
				expect(item?.loc[0]).to.equal("body");
				if (type === "json_invalid")
					expect(item?.ctx)
						.to.have.property("error")
						.that.matches(/ at line 1, column \d+$/);
			});
		}

		it("bytes that are no UTF-8 are refused", async () => {
			const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
			const head = rawRequest(`POST ${thing}`, {
				Host: gateway.host,
				...json,
				"Content-Length": String(body.length),
			});
			await refused(sendRaw(gateway.port, Buffer.concat([Buffer.from(head), body])));
		});

		it("32 levels and harmless names are read", async () => {
			const deep = `${"[".repeat(31)}${"]".repeat(31)}`;
			await taken(gateway.send(`POST ${thing}`, json, `{"name":"ab","deep":${deep}}`));
			await taken(gateway.send(`POST ${thing}`, json, '{"name":"ab","deep":{"constructor":1,"prototype":2}}'));
		});
	});

	describe("parameters", () => {
		it("come only from the place that the contract names", async () => {
			const body = JSON.stringify({ name: "ab", thing_id: "another", size: 3, stray: true });
			const params = await taken(gateway.send(`POST ${thing}?name=zz&size=9&thing_id=x`, json, body));
			expect(params).to.deep.equal({ thing_id: id, name: "ab", size: 3 });
		});

		it("cannot come from the prototype of an object", async () => {
			const [item] = await refused(gateway.send(`POST ${thing}`, json, '{"constructor":{"name":"ab"}}'));
			expect(item).to.deep.equal({ type: "missing", loc: ["body", "name"], msg: "Field required", input: {} });
		});

		it("that are missing are told with the unknown member that was probably meant", async () => {
			const [item] = await refused(gateway.send(`POST ${thing}`, json, '{"nmae":"ab","stray":1}'));
			const msg = 'Field required; "nmae" is unknown, did you mean "name"?';
			expect(item).to.deep.equal({ type: "missing", loc: ["body", "name"], msg, input: {} });
			const [other] = await refused(gateway.send(`POST ${thing}`, json, '{"stray":1}'));
			expect(other).to.include({ msg: "Field required" });
		});

		it("of a query are converted by their type, strictly", async () => {
			const params = await taken(
				gateway.send(`GET ${thing}?text=a%20b&count=12&flag=1&share=0.5&colour=red&text[$ne]=x&utm=1`),
			);
			expect(params).to.deep.equal({ thing_id: id, text: "a b", count: 12, flag: true, share: 0.5, colour: "red" });
			expect(await taken(gateway.send(`GET ${thing}`))).to.deep.equal({ thing_id: id, count: 7, flag: false });
		});

		for (const [query, type] of [
			["count=", "int_parsing"],
			["count=0x10", "int_parsing"],
			["count=1e3", "int_parsing"],
			["count=1.0", "int_parsing"],
			["count=%201", "int_parsing"],
			["count=1234567890", "int_parsing"],
			["count=NaN", "int_parsing"],
			["count=0", "greater_than_equal"],
			["count=501", "less_than_equal"],
			["share=Infinity", "float_parsing"],
			["share=1e400", "float_parsing"],
			["flag=yes", "bool_parsing"],
			["flag=TRUE", "bool_parsing"],
			["flag=", "bool_parsing"],
			["colour=blue", "enum"],
			["text=12345678901", "string_too_long"],
			["text=a&text=b", "value_error"],
			["count=1&count=1", "value_error"],
		] as const) {
			it(`?${query} is ${type}`, async () => {
				const [item] = await refused(gateway.send(`GET ${thing}?${query}`));
				expect([item?.type, item?.loc[0], item?.loc[1]]).to.deep.equal([type, "query", query.split("=")[0]]);
			});
		}

		it("of a path are checked like all others", async () => {
			const [item] = await refused(gateway.send("GET /api/v1/svc/things/x"));
			expect(item).to.deep.include({ type: "uuid_parsing", loc: ["path", "thing_id"], input: "x" });
		});

		it("that are wrong are all named in one answer, with their value and what is allowed", async () => {
			const items = await refused(gateway.send(`POST ${thing}`, json, '{"name":"A","size":0.5}'));
			expect(items).to.deep.equal([
				{
					type: "string_pattern_mismatch",
					loc: ["body", "name"],
					msg: "String should match pattern '^[a-z]+$'",
					input: "A",
					ctx: { pattern: "^[a-z]+$" },
				},
				{
					type: "int_from_float",
					loc: ["body", "size"],
					msg: "Input should be a valid integer, got a number with a fractional part",
					input: 0.5,
				},
			]);
		});

		it("of a DELETE may come with a body, or not at all", async () => {
			expect(await taken(gateway.send(`DELETE ${thing}`))).to.deep.equal({ thing_id: id, cleanup: [] });
			expect(await taken(gateway.send(`DELETE ${thing}`, json, '{"cleanup":["a"]}'))).to.deep.include({
				cleanup: ["a"],
			});
		});
	});

	describe("what Node refuses by itself", () => {
		for (const [what, bytes, statuses] of [
			["two lengths", `POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`, [400]],
			[
				"a length and chunks",
				`POST ${thing} HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
				[400],
			],
			["no Host", `GET ${thing} HTTP/1.1\r\n\r\n`, [400]],
			["a bare line feed", `GET ${thing} HTTP/1.1\nHost: h\n\n`, [400]],
			["a name with a blank", `GET ${thing} HTTP/1.1\r\nHost : h\r\n\r\n`, [400]],
			["20 KB of headers", `GET ${thing} HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, [431]],
			["20 KB of URL", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, [431]],
			["3,000 headers", `GET ${thing} HTTP/1.1\r\nHost: h\r\n${"a: b\r\n".repeat(3_000)}\r\n`, [431]],
			["an unknown expectation", `GET ${thing} HTTP/1.1\r\nHost: h\r\nExpect: more\r\n\r\n`, [417]],
		] as const) {
			it(what, async () => {
				const { status } = await sendRaw(gateway.port, bytes);
				expect([statuses.includes(status as never), service.seen]).to.deep.equal([true, []], `status ${status}`);
			});
		}

		it("a line break in a query stays out of the answer's headers", async () => {
			const { headers } = await gateway.send("GET /api/v1/svc/things?x=%0d%0aSet-Cookie:%20a=b");
			expect(headers).to.not.have.property("set-cookie");
			expect(headers["link"]).to.include("%0D%0A");
		});
	});
});
