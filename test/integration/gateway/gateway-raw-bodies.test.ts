/** Bodies that reach their action as they were sent, because a signature covers their bytes. */
import { expect } from "chai";
import { RawConnection, sendRaw } from "../../support/clients/raw-http.ts";
import { eventually } from "../../support/eventually.ts";
import { json, ProbeGateway } from "../../support/platform/probe-gateway.ts";

const hook = "POST /api/v1/svc/hooks/one";
const texts = [' {"a" : 1 }\r\n', '{"é":"\u{1F4A5}"}', "\uFEFF{}", '{"__proto__":1}', "not json", '{"a":1,"a":2}', ""];

describe("gateway: bodies as they were sent", () => {
	const gateway = new ProbeGateway();

	for (const text of texts)
		it(`keeps every byte of ${JSON.stringify(text)}`, async () => {
			const headers = {
				...json,
				"X-Signature": "s",
				"Webhook-Id": "w",
				"X-Auth-Secret": "p",
				Cookie: "c=1",
				Authorization: "Bearer secret",
			};
			const { params, principal } = await gateway.seenBy(hook, headers, text);
			expect(params).to.deep.equal({ name: "one", headers: { "x-signature": "s", "webhook-id": "w" }, body: text });
			expect(principal.kind).to.equal("anonymous");
		});

	it("refuses other types, text that is not UTF-8, bodies and headers that are too large", async () => {
		expect((await gateway.send(hook, { "Content-Type": "text/plain" }, "{}")).status).to.equal(415);
		expect((await gateway.send(hook, { ...json, "Content-Encoding": "gzip" }, "{}")).status).to.equal(415);
		expect((await gateway.send(hook, json, "x".repeat(1_001))).status).to.equal(413);
		expect((await gateway.send(hook, { ...json, "X-Event": "x".repeat(300) }, "{}")).status).to.equal(422);
		const head = `${hook} HTTP/1.1\r\nHost: ${gateway.host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`;
		const bytes = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe])]);
		expect((await sendRaw(gateway.port, bytes)).status).to.equal(422);
		expect(gateway.service.seen).to.deep.equal([]);
	});

	it("awaits thirty-two at a time, whose senders keep nobody out: the one that waits longest gives way", async () => {
		const head = `${hook} HTTP/1.1\r\nHost: ${gateway.host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;
		const slow = await Promise.all(Array.from({ length: 32 }, () => RawConnection.open(gateway.port)));
		try {
			for (const connection of slow) connection.write(`${head}{`);
			const isRefused = () => slow.some(({ text }) => text.startsWith("HTTP/1.1 429 "));
			await eventually(async () => {
				const since = performance.now();
				expect((await gateway.send(hook, json, "{}")).status).to.equal(200);
				expect(performance.now() - since).to.be.below(3_000);
				return isRefused();
			});
			const refused = slow.filter(({ text }) => text !== "");
			expect(refused.length).to.be.within(1, 31);
			for (const { text } of refused) expect(text).to.include("Too many messages at a time");
		} finally {
			for (const connection of slow) connection.close();
		}
	});
});
