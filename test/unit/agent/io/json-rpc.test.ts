import { PassThrough } from "node:stream";
import { expect } from "chai";
import { JsonRpc, RpcError, type RpcMethods } from "#agent/io/json-rpc.ts";

/** Two connected sides, and the input of the first one. */
function connected(
	one: Partial<RpcMethods>,
	other: Partial<RpcMethods> = {},
): { one: JsonRpc; other: JsonRpc; pipe: PassThrough } {
	const [toOne, toOther] = [new PassThrough(), new PassThrough()];
	const none = { requests: {}, notifications: {} };
	return {
		one: new JsonRpc(toOne, toOther, { ...none, ...one }),
		other: new JsonRpc(toOther, toOne, { ...none, ...other }),
		pipe: toOne,
	};
}

async function failureOf(answer: Promise<unknown>): Promise<string> {
	const error = await answer.catch((failure: unknown) => failure);
	expect(error).to.be.instanceOf(RpcError);
	return error instanceof RpcError ? error.message : "";
}

describe("JsonRpc", () => {
	it("sends requests in both directions at once, each with its own answer", async () => {
		const echo = { requests: { echo: ({ text }: Record<string, unknown>) => Promise.resolve({ text }) } };
		const { one, other } = connected(echo, echo);
		const texts = ["a", "ä€😀", 'x\ny"', "z".repeat(200_000)];
		const answers = await Promise.all(
			texts.flatMap((text) => [one.request("echo", { text }), other.request("echo", { text })]),
		);
		expect(answers.map(({ text }) => text)).to.deep.equal(texts.flatMap((text) => [text, text]));
	});

	it("keeps notifications in order, and before the answer that follows them", async () => {
		const heard: unknown[] = [];
		const steps = { notifications: { step: ({ n }: Record<string, unknown>) => void heard.push(n) } };
		const { one, other } = connected(steps, {
			requests: {
				walk() {
					for (let n = 1; n <= 3; n++) other.notify("step", { n });
					return {};
				},
			},
		});
		await one.request("walk", {});
		expect(heard).to.deep.equal([1, 2, 3]);
	});

	it("reports why a request failed, and has no other methods", async () => {
		const { one } = connected({}, { requests: { fail: () => Promise.reject(new Error("no credit left")) } });
		expect(await failureOf(one.request("fail", {}))).to.equal("no credit left");
		for (const method of ["unknown", "constructor", "__proto__"]) {
			expect(await failureOf(one.request(method, {}))).to.equal(`There is no method "${method}"`);
		}
	});

	it("answers an invalid message with an error, and reads the next one", async () => {
		const heard: unknown[] = [];
		const { pipe, other } = connected({ notifications: { note: (params) => void heard.push(params) } });
		pipe.write(
			'hello\n[1]\n\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"method":"unknown"}\n{"method":"note","params":[1]}\n',
		);
		pipe.write('{"method":"note","params":{"n":1}}\r\n');
		await other.request("none", {}).catch(() => {});
		expect(heard).to.deep.equal([{}, { n: 1 }]);
	});

	it("assembles messages from any chunks", async () => {
		const heard: unknown[] = [];
		const { pipe, other } = connected({ notifications: { note: ({ text }) => void heard.push(text) } });
		const bytes = Buffer.from('{"method":"note","params":{"text":"ä€😀"}}\n'.repeat(3));
		for (const byte of bytes) pipe.write(Buffer.of(byte));
		await other.request("none", {}).catch(() => {});
		expect(heard).to.deep.equal(["ä€😀", "ä€😀", "ä€😀"]);
	});

	it("rejects what waits, and what comes later, when the other side is gone", async () => {
		const { one, pipe } = connected({}, { requests: { never: () => new Promise(() => {}) } });
		const waiting = failureOf(one.request("never", {}));
		pipe.end();
		await one.closed;
		expect(await waiting).to.equal("The connection is closed");
		expect(await failureOf(one.request("never", {}))).to.equal("The connection is closed");
		expect(one.isClosed).to.equal(true);
	});

	it("stops reading a peer that sends a message without end", async () => {
		const { one, pipe } = connected({});
		const piece = Buffer.alloc(1_048_576, "x");
		for (let piecesSent = 0; piecesSent < 34; piecesSent++) pipe.write(piece);
		await one.closed;
		expect(one.isClosed).to.equal(true);
	});
});
